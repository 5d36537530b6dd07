"""Turn structured websites into versioned Linked Data, from one Turtle model."""

__version__ = "0.1.0"
