"""The commands that crawl: the options that they share, and the survey that needs no model."""
