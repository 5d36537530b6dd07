"""Turn structured websites into versioned Linked Data, from one Turtle model."""

from rdfcrawl.version import VERSION as __version__

__all__ = ["__version__"]
