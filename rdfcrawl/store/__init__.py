"""Triples go in as N-Quads files and come out by SPARQL; a run file is the truth, the index can be rebuilt."""
