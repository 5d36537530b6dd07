"""``rdfcrawl alerts``: what was sent, what waits, and whether it would arrive."""
