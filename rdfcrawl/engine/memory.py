"""How often Python looks for garbage in a process that does nothing but crawl, and when it gives memory back."""

from __future__ import annotations

import ctypes
import gc
from typing import Final

_THRESHOLDS: Final = (20_000, 20, 50)


def look_for_garbage_rarely() -> None:
    """Leave alone what is there by now, libraries and model, and look through the rest less often.

    Pages come and go without reference cycles. With Python's own settings a tenth of a crawl's time goes into looking
    for them.
    """
    gc.freeze()
    gc.set_threshold(*_THRESHOLDS)


def give_memory_back() -> None:
    """Return to the system what is free; by itself the C library keeps most of it."""
    # Only glibc has this, and elsewhere there is nothing to be done.
    if (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)) is not None:
        trim(0)
