"""A SPARQL query goes in; an answer within limits of time and size comes out."""
