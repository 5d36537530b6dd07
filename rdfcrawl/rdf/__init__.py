"""Terms, names with prefixes, N-Quads lines, graph names and requests to SPARQL servers: what every room stands on."""
