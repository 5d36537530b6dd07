"""A ``Model`` and the pages of its site go in; triples and problems come out."""
