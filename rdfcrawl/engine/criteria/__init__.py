"""Criteria: the parts of a page or of a link go in; which criteria are met, where, and the score come out. Pure."""
