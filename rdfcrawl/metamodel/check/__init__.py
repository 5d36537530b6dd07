"""Checks the statements of a model; each finding has its line, what is wrong and what would be right."""
