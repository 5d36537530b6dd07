"""The SPARQL protocol, its service description and the page on which people write queries."""
