"""Commands that look at single pages."""
