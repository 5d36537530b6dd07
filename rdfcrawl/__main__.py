"""``python -m rdfcrawl``, and what the program ``rdfcrawl`` calls."""

import gc

# What is imported stays: looking through it for garbage meanwhile takes a tenth of the time of a small command.
gc.disable()

from rdfcrawl.cli import main  # noqa: E402 - only what comes now is imported without that

gc.enable()

if __name__ == "__main__":
    main()
