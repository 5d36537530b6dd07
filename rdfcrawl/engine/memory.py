"""How often Python collects garbage in a process that only crawls, and when it returns memory to the system."""

from __future__ import annotations

import ctypes
import gc
from typing import Final

_THRESHOLDS: Final = (20_000, 20, 50)


def look_for_garbage_rarely() -> None:
    """Exempt what is loaded by now, libraries and model, from garbage collection, and collect the rest less often.

    Pages come and go without reference cycles. With Python's own settings a tenth of a crawl's time goes into looking
    for them.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


def give_memory_back() -> None:
    """Return free memory to the system; the C library would keep most of it."""
    # Only glibc has this function.
    if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
