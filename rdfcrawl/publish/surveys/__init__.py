"""Surveys of a store go in; their pages, with charts and the picture of the links, come out."""
