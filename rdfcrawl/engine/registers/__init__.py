"""A SPARQL endpoint or files of names go in; a list of names, or a model with sections, comes out."""
