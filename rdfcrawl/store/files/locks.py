"""Locks between processes: the system releases them when their holder ends, however it ends."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

_LOCK_POLL_SECONDS = 0.02


@contextmanager
def exclusive(path: Path, wait: float) -> Iterator[bool]:
    """Hold a lock that one process at a time can have; yields whether it was obtained within ``wait`` seconds."""
    with path.open("ab") as file:
        held = lock(file, fcntl.LOCK_EX, wait)
        try:
            yield held
        finally:
            if held:
                fcntl.flock(file, fcntl.LOCK_UN)


def lock(file: IO[bytes], kind: int, wait: float = 0.0) -> bool:
    """Take a shared or exclusive lock on an open file, trying for ``wait`` seconds."""
    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(file, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(_LOCK_POLL_SECONDS)
        else:
            return True
