"""Ways to the values of sample pages: which there are, what each finds, and which are chosen."""
