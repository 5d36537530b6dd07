"""Opens a queue, wherever it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from rdfcrawl.engine.frontier.protocol import CrawlQueue
from rdfcrawl.engine.frontier.sqlite.queue import open_sqlite_queue


async def open_queue(location: Path, notice: Callable[[str], None] = lambda text: None) -> CrawlQueue:
    """Open the queue in that file, or begin one; ``notice`` is told what had to be repaired or converted."""
    return open_sqlite_queue(location, notice)
