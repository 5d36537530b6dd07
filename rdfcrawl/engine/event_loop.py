"""The loop that a crawl runs in: libuv's, which needs less processor time for requests than asyncio's own."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


def run_to_end(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine in a loop of its own, like ``asyncio.run``."""
    with asyncio.Runner(loop_factory=_new_loop) as runner:
        return runner.run(main)


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        from uvloop import new_event_loop
    except ImportError:
        # There is none for PyPy; asyncio's own loop does the same.
        return asyncio.new_event_loop()
    return new_event_loop()
