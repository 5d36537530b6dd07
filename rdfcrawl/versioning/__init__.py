"""Two runs go in; what was added, changed, removed or only not seen comes out."""
