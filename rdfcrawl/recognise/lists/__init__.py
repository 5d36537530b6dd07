"""Full names, single names or a file of counts go in; how often a word is a given and a family name comes out."""
