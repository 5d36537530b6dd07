"""From what was chosen to a model: forms, names, items, pages, and the text that a person reads."""
