"""Files that are written whole or not at all, files of lines, locks, and what is wrong with damaged ones."""
