"""Opens a queue, wherever it is kept."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from rdfcrawl.engine.frontier.protocol import CrawlQueue
from rdfcrawl.engine.frontier.sqlite.database import FAULTS
from rdfcrawl.engine.frontier.sqlite.queue import open_sqlite_queue
from rdfcrawl.errors import UsageError

if TYPE_CHECKING:
    from rdfcrawl.engine.frontier.postgres.queue import PostgresQueue

QUEUE_FAULTS: Final[tuple[type[Exception], ...]] = FAULTS
"""What a queue raises where it cannot be read or written, which no page is to blame for."""

_SCHEMES: Final = ("postgresql://", "postgres://")


async def open_queue(location: Path | str, notice: Callable[[str], None] = lambda text: None) -> CrawlQueue:
    """Open the queue in that file or at that address, or begin one.

    ``notice`` is told what had to be repaired or converted, and when a server is away.
    """
    return open_sqlite_queue(location, notice) if isinstance(location, Path) else await open_shared(location, notice)


async def open_shared(address: str, notice: Callable[[str], None], *, waits: bool = False) -> PostgresQueue:
    """Open the queue of several machines; with ``waits``, a server that is not there yet is waited for."""
    if not address.startswith(_SCHEMES):
        raise UsageError(
            "a queue that several machines share is at an address of PostgreSQL, like postgresql:///?service=crawl"
        )
    if find_spec("psycopg") is None:
        raise UsageError("a queue in PostgreSQL needs psycopg: pip install 'rdfcrawl[postgres]'")
    from rdfcrawl.engine.frontier.postgres.queue import open_postgres_queue

    return await open_postgres_queue(address, notice, waits=waits)
