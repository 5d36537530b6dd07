"""The bytes of a page go in; a tree for XPath and its visible text come out. Pure."""
