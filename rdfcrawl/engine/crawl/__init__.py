"""The loop of a run: entries are claimed, pages are visited side by side, and what they brought is committed."""
