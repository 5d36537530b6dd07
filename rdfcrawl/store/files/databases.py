"""SQLite files that are only read: nothing is made, nothing is written, wherever the path is relative to."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Final

_BUSY_SECONDS: Final = 5.0


def open_to_read(path: Path, *, busy_seconds: float = _BUSY_SECONDS) -> sqlite3.Connection:
    """Open a file that others may be writing; waits so long for whoever does."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=busy_seconds)


def open_finished(path: Path) -> sqlite3.Connection:
    """Open a file that nobody writes any more, for any thread; it needs neither locks nor other files."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True, check_same_thread=False)
