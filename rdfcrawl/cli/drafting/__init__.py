"""``rdfcrawl draft``: models that are written, or repaired, from what is on the pages."""
