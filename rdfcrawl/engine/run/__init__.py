"""A run from its beginning to its place in the store: a model and options go in, run files and a report come out."""
