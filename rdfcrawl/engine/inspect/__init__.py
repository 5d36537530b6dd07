"""A page or an object goes in; what a model makes of it, step by step, comes out."""
