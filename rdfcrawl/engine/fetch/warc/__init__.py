"""Archives: every answer of a run as a standard WARC 1.1 file, and answers from such files in place of the network."""
