"""The loop of a run: entries are claimed, pages are visited concurrently, and the results are committed."""
