"""Paths of a model go in; which of them cannot match anything that an HTML parser makes comes out."""
