"""A process beside the crawl: it reads pages in the order in which it is asked, and is gone when one takes too long."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import signal
import sys
from collections import deque
from collections.abc import Sequence
from typing import Any

from rdfcrawl.engine.document.tree import DocumentError
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.metamodel.model import Model

LENGTH_BYTES = 8


class Overtaken(Exception):
    """The process ended over an earlier page; this one was not looked at."""


class Beside:
    """The crawl's end of the pipe; the process starts when it is told to, or with the first page."""

    def __init__(self, model: Model, limits: RunLimits) -> None:
        self._model = model
        self._limits = limits
        self._process: asyncio.subprocess.Process | None = None
        self._listening: asyncio.Task[None] | None = None
        self._asked: deque[asyncio.Future[tuple[str, Any]]] = deque()
        self._unsent: list[bytes] = []
        self._starting = asyncio.Lock()

    @property
    def waiting(self) -> int:
        """How many pages it has been asked to read and has not yet."""
        return len(self._asked)

    @property
    def running(self) -> bool:
        """Whether it can be asked at once."""
        return self._process is not None

    async def read(self, page: str, documents: Sequence[Fetched]) -> bytes:
        """What the documents of a page say, packed.

        Raises ``DocumentError``, ``FetchFailed`` at a limit, and ``Overtaken`` when an earlier page was at it.
        """
        await self.start()
        loop = asyncio.get_running_loop()
        answer: asyncio.Future[tuple[str, Any]] = loop.create_future()
        self._asked.append(answer)
        if not self._unsent:
            # Pages that come at the same moment are sent together: to wake the other process takes longer than a page.
            loop.call_soon(self._send)
        self._unsent.append(framed((page, list(documents))))
        kind, value = await answer
        if kind == "limit":
            raise FetchFailed(ProblemKind.LIMIT, value)
        if kind == "unreadable":
            raise DocumentError(value)
        if kind == "failed":
            raise RuntimeError(f"reading failed in the process beside:\n{value}")
        assert isinstance(value, bytes)
        return value

    async def start(self) -> None:
        """Start the process, unless it runs."""
        async with self._starting:
            if self._process is not None:
                return
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "rdfcrawl.engine.workers.process",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            assert process.stdin is not None
            process.stdin.write(framed((self._model, self._limits)))
            self._process = process
            self._listening = asyncio.create_task(self._listen(process))

    async def aclose(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()
        if self._listening is not None:
            await self._listening

    def _send(self) -> None:
        unsent, self._unsent = b"".join(self._unsent), []
        # Where the process is gone already, whoever listens to it says so.
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.write(unsent)

    async def _listen(self, process: asyncio.subprocess.Process) -> None:
        """Hand on the answers, in the order of the questions, until the process ends."""
        assert process.stdout is not None
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                length = int.from_bytes(await process.stdout.readexactly(LENGTH_BYTES))
                answer = pickle.loads(await process.stdout.readexactly(length))
                asked = self._asked.popleft()
                if not asked.done():
                    asked.set_result(answer)
        if self._process is process:
            self._process = None
        # Whoever asks from now on asks the next process.
        left, self._asked = self._asked, deque()
        is_idle = len(left) == len(self._unsent)
        self._unsent.clear()
        ended = self._in_words(await process.wait())
        for number, asked in enumerate(left):
            if not asked.done():
                asked.set_exception(Overtaken() if number or is_idle else ended)

    def _in_words(self, status: int) -> Exception:
        """Why the process has ended, for the page that it was reading."""
        if status == -signal.SIGALRM:
            seconds = self._limits.extraction_seconds
            reason = f"reading the page takes more than {seconds:g} seconds; its XPaths cost too much here"
            return FetchFailed(ProblemKind.LIMIT, reason)
        return DocumentError(f"the process that read the page has ended over it, with status {status}")


def framed(message: object) -> bytes:
    """A message as it goes through the pipe: its length, then itself."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(LENGTH_BYTES) + content
