"""The consoles: results go to standard output, everything else to standard error."""

from __future__ import annotations

from rich.console import Console

from rdfcrawl.engine.choice import Engine

out = Console(soft_wrap=True, highlight=False)
err = Console(stderr=True, soft_wrap=True, highlight=False)


def how_read(engine: Engine) -> str:
    """How a page was read, in words."""
    return "over HTTP" if engine is Engine.HTTP else "in the browser"
