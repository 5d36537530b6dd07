"""A model's statements go in; findings come out, each with its line, what is wrong and what would be right."""
