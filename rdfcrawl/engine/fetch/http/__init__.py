"""Pages over plain HTTP."""
