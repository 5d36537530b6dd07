"""Turtle, N3 or a SPARQL repository goes in; a validated, frozen ``Model`` comes out, or every finding at once."""
