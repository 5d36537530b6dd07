"""Opens a queue, wherever it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from rdfcrawl.engine.frontier.protocol import CrawlQueue
from rdfcrawl.engine.frontier.sqlite.database import FAULTS
from rdfcrawl.engine.frontier.sqlite.queue import open_sqlite_queue

QUEUE_FAULTS: Final[tuple[type[Exception], ...]] = FAULTS
"""What a queue raises where it cannot be read or written, which no page is to blame for."""


async def open_queue(location: Path, notice: Callable[[str], None] = lambda text: None) -> CrawlQueue:
    """Open the queue in that file, or begin one; ``notice`` is told what had to be repaired or converted."""
    return open_sqlite_queue(location, notice)
