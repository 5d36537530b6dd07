"""Objects that have another name than before: told apart from those that are gone, and from those that are new."""
