"""The looking around on a site: which pages are fetched, what is found on them, and the draft that comes of it."""
