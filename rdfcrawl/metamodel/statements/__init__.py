"""Reads the statements of a source: with their places, by resource, and as terms of the metamodel."""
