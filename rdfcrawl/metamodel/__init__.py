"""Reads Turtle, N3 or a SPARQL endpoint; returns a validated, frozen ``Model``, or all findings at once."""
