"""Reading pages under a limit that really holds: what may take long is read in a process that ends itself in time."""

from __future__ import annotations

import asyncio
import contextlib
import pickle
import sys
from collections.abc import Sequence
from typing import Any

from rdfcrawl.engine.cost import TAME_TAGS, is_deep, is_tame
from rdfcrawl.engine.document import DocumentError
from rdfcrawl.engine.extract import Extraction
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.limits import Limits
from rdfcrawl.engine.plan import PagePlan
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.reading import parsed_documents, read_parsed
from rdfcrawl.metamodel.model import Model

_LENGTH_BYTES = 8


class Extractor:
    """Reads the pages of one run; the process beside it starts with the first page that needs one."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits
        self._tame: dict[str, bool] = {}
        self._worker: asyncio.subprocess.Process | None = None
        self._one_at_a_time = asyncio.Lock()

    async def read(self, plan: PagePlan, documents: Sequence[Fetched]) -> Extraction:
        """Everything that the documents of a page say; raises ``DocumentError``, and ``FetchFailed`` at a limit."""
        if self._is_tame(plan) and all(self._is_small(fetched.body) for fetched in documents):
            parsed = parsed_documents(documents)
            if not any(is_deep(document.root) for document in parsed):
                return read_parsed(plan, documents, parsed)
        async with self._one_at_a_time:
            return await self._read_beside(plan, documents)

    async def aclose(self) -> None:
        """End the process beside."""
        worker, self._worker = self._worker, None
        if worker is not None:
            with contextlib.suppress(ProcessLookupError):
                worker.kill()
            await worker.wait()

    def _is_tame(self, plan: PagePlan) -> bool:
        if plan.page.iri not in self._tame:
            self._tame[plan.page.iri] = is_tame(plan)
        return self._tame[plan.page.iri]

    def _is_small(self, body: bytes) -> bool:
        return body.count(b"<") <= min(TAME_TAGS, self._limits.elements)

    async def _read_beside(self, plan: PagePlan, documents: Sequence[Fetched]) -> Extraction:
        try:
            worker = await self._running()
            kind, value = await _asked(worker, (plan.page.iri, list(documents)))
        except (asyncio.IncompleteReadError, ConnectionError):
            await self.aclose()
            seconds = self._limits.extraction_seconds
            reason = f"reading the page takes more than {seconds:g} seconds; its XPaths cost too much here"
            raise FetchFailed(ProblemKind.LIMIT, reason) from None
        except asyncio.CancelledError:
            # Its answer would be taken for that to the next question.
            await self.aclose()
            raise
        if kind == "limit":
            raise FetchFailed(ProblemKind.LIMIT, value)
        if kind == "unreadable":
            raise DocumentError(value)
        if kind == "failed":
            raise RuntimeError(f"reading failed in the process beside:\n{value}")
        assert isinstance(value, Extraction)
        return value

    async def _running(self) -> asyncio.subprocess.Process:
        if self._worker is None:
            self._worker = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "rdfcrawl.engine.isolated",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            assert self._worker.stdin is not None
            self._worker.stdin.write(framed((self._model, self._limits)))
        return self._worker


def framed(message: object) -> bytes:
    """A message as it goes through the pipe: its length, then itself."""
    content = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return len(content).to_bytes(_LENGTH_BYTES) + content


async def _asked(worker: asyncio.subprocess.Process, question: object) -> tuple[str, Any]:
    assert worker.stdin is not None
    assert worker.stdout is not None
    worker.stdin.write(framed(question))
    await worker.stdin.drain()
    length = int.from_bytes(await worker.stdout.readexactly(_LENGTH_BYTES))
    answer: tuple[str, Any] = pickle.loads(await worker.stdout.readexactly(length))
    return answer
