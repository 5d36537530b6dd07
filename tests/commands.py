"""``rdfcrawl`` as a process of its own, forked; apart from that it is the same as with ``python -m rdfcrawl``."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rdfcrawl.cli import main
from tests.forking import FORKING, Shortcuts, shortcuts_taken, take_surroundings

_INPUT = "typed"
_OUTPUTS = ("printed", "said")


class Command:
    """A command that runs or has run; it begins when it is made, ``first`` being called in its process before all else.

    ``typed`` is what it finds on standard input. When it has ended, ``printed`` and ``said`` are what it wrote to
    standard output and standard error.
    """

    printed: str
    said: str

    def __init__(self, *arguments: str, typed: str = "", first: Callable[[], None] | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp())
        (self._folder / _INPUT).write_text(typed, encoding="utf-8")
        for name in _OUTPUTS:
            (self._folder / name).touch()
        self._process = FORKING.Process(
            target=_run, args=(arguments, self._folder, dict(os.environ), first, shortcuts_taken()), daemon=True
        )
        self._process.start()

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self._process.pid is not None
        return self._process.pid

    def kill(self) -> None:
        """End it as ``kill -9`` does."""
        self._process.kill()

    def wait(self) -> int:
        """Its exit code, when it has ended."""
        self._process.join()
        assert self._process.exitcode is not None
        self.printed, self.said = ((self._folder / name).read_text(encoding="utf-8") for name in _OUTPUTS)
        shutil.rmtree(self._folder)
        return self._process.exitcode

    async def ended(self) -> int:
        """The same, while others go on."""
        return await asyncio.to_thread(self.wait)


def _run(
    arguments: tuple[str, ...],
    folder: Path,
    environment: dict[str, str],
    first: Callable[[], None] | None,
    shortcuts: Shortcuts,
) -> None:
    # As at a terminal: tests that were started in the background would have Ctrl-C ignored.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    take_surroundings(environment, *(folder / name for name in (_INPUT, *_OUTPUTS)))
    for take in shortcuts:
        take()
    if first is not None:
        first()
    sys.argv = ["rdfcrawl", *arguments]
    main()
