"""The kinds of pages, one module each: what a page of the kind has, and its answers to those who read and follow it."""
