"""Configurations of other crawlers go in; models as Turtle come out, with what became of each option. Pure."""
