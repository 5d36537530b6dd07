"""Text from a page goes in; a typed RDF term comes out, or the reason why there is none. Pure."""
