"""A SPARQL 1.1 server that holds copies of the graphs and answers queries."""
