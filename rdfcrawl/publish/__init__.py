"""A store goes in; a SPARQL endpoint, Linked Data and pages for people come out."""
