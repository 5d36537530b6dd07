"""An address goes in; the picture that a run has kept from it comes out, if it is one and the publisher wants that."""
