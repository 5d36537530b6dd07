"""Sample pages of a site go in; a model of the site, as Turtle that a person could have written, comes out."""
