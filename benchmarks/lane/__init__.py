"""The lanes of ``lanes.py``: what is run in each, and what its goals are."""
