"""``rdfcrawl convert``: models from the configurations of other crawlers."""
