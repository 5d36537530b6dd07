"""An address goes in; a page session comes out: what was received, and what can be done with it."""
