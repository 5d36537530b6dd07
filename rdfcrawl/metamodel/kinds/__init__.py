"""The kinds of pages, one module each: the fields of each kind, and what reading and following it needs to know."""
