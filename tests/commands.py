"""``rdfcrawl`` as a process of its own, forked from one that has everything imported.

Starting Python and importing takes most of the time of a small command; everything after that is the same as with
``python -m rdfcrawl``.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rdfcrawl.cli import main

_FORKING = multiprocessing.get_context("forkserver")
# A child also imports the program that asked for it, which is pytest.
_FORKING.set_forkserver_preload(["pytest", "tests.warm"])
_OUTPUTS = ("printed", "said")


class Command:
    """A command that runs or has run; it begins when it is made, ``first`` being called in its process before all else.

    When it has ended, ``printed`` and ``said`` are what it wrote to standard output and standard error.
    """

    printed: str
    said: str

    def __init__(self, *arguments: str, first: Callable[[], None] | None = None) -> None:
        self._folder = Path(tempfile.mkdtemp())
        for name in _OUTPUTS:
            (self._folder / name).touch()
        self._process = _FORKING.Process(
            target=_run, args=(arguments, self._folder, dict(os.environ), first), daemon=True
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
    arguments: tuple[str, ...], folder: Path, environment: dict[str, str], first: Callable[[], None] | None
) -> None:
    for number, name in enumerate(_OUTPUTS, start=1):
        os.dup2(os.open(folder / name, os.O_WRONLY), number)
    os.environ.clear()
    os.environ.update(environment)
    if first is not None:
        first()
    sys.argv = ["rdfcrawl", *arguments]
    main()
