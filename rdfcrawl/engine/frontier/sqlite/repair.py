"""A queue that can no longer be read is put aside: complete runs are in files, and unfinished ones start over."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Final

_BROKEN: Final = ("not a database", "malformed", "file is encrypted")


def put_aside_if_broken(queue: Path, notice: Callable[[str], None]) -> bool:
    """Check that the queue's database is intact; returns whether it had to be put aside."""
    if not queue.exists() or (reason := _fault(queue)) is None:
        return False
    aside = next(path for number in range(1, 10_000) if not (path := _aside(queue, number)).exists())
    queue.replace(aside)
    for ending in ("-wal", "-shm"):
        queue.with_name(queue.name + ending).unlink(missing_ok=True)
    notice(
        f"the queue {queue} is broken ({reason}) and was put aside as {aside.name}; "
        "complete runs are not affected, an unfinished one starts over"
    )
    return True


def _fault(queue: Path) -> str | None:
    try:
        with closing(sqlite3.connect(queue, timeout=60)) as db:
            found = str(db.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.DatabaseError as error:
        # A database that is only busy, or on a disk that fails, is not broken.
        return str(error) if any(sign in str(error) for sign in _BROKEN) else None
    return None if found == "ok" else found


def _aside(queue: Path, number: int) -> Path:
    return queue.with_name(f"{queue.name}.broken-{number}")
