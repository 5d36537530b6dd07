"""What a model says goes in; what in it the shipped SHACL shapes do not allow comes out, as findings."""
