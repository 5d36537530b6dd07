"""How each kind of page is read, one module each: as the page itself, and nested in an object."""
