"""Terms, names with prefixes, N-Quads lines, graph names and requests to SPARQL servers: the lowest layer."""
