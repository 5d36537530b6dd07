"""Pages from a folder or an archive in place of the network."""
