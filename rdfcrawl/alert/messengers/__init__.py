"""A message goes in; whether a server took it, or why not, comes out."""
