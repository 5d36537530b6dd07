"""What was, paired with what is: objects that have another name than before, and the words of two texts."""
