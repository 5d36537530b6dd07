"""``python -m rdfcrawl``."""

from rdfcrawl.cli import main

main()
