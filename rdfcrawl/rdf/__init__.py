"""Terms, N-Quads lines, names of graphs and requests to SPARQL servers: what every other room stands on."""
