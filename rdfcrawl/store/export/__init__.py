"""Run files go in; RDF documents and tables come out."""
