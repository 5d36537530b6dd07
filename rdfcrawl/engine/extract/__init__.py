"""A tree and a compiled model go in; triples, links and problems come out. Pure."""
