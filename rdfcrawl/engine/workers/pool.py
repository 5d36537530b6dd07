"""Who reads a page: the crawl's own process, or one beside it.

What may take long is read where it can be ended in time. Everything else is read here, until reading is what the crawl
waits for: then a second process takes over what it can, and the two share the work.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rdfcrawl.engine.extract.packing import unpacked
from rdfcrawl.engine.extract.page import Extraction
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.workers.cost import TAME_TAGS, is_deep, is_tame
from rdfcrawl.engine.workers.reading import parsed_documents, read_parsed
from rdfcrawl.engine.workers.worker import Beside, Overtaken
from rdfcrawl.metamodel.model import Model

_WORTH_SHARING: Final = 0.5
"""The seconds that this process must have read before another one is started."""
_BUSY: Final = 0.2
"""And the share of the time that this must have been; a crawl that mostly waits for its hosts needs no help."""
_AHEAD: Final = 24
"""How many pages the other process has at hand; what comes on top is read here."""


@dataclass(frozen=True, slots=True)
class Read:
    """What a page says, and the same in few bytes where another process has packed it."""

    extraction: Extraction
    packed: bytes | None = None


class Extractor:
    """Reads the pages of one run."""

    def __init__(self, model: Model, limits: RunLimits, *, share: bool | None = None) -> None:
        """Share the work with a second process, or not; by itself it does where there are processors."""
        self._limits = limits
        self._tame: dict[str, bool] = {}
        self._costly = Beside(model, limits)
        self._one_at_a_time = asyncio.Lock()
        self._helper = Beside(model, limits)
        self._share = (os.cpu_count() or 1) > 1 if share is None else share
        self._spent = 0.0
        self._begun = time.monotonic()
        self._starting: asyncio.Task[None] | None = None

    async def read(self, plan: PagePlan, documents: Sequence[Fetched]) -> Read:
        """Everything that the documents of a page say; raises ``DocumentError``, and ``FetchFailed`` at a limit."""
        if self._is_tame(plan) and all(self._is_small(fetched.body) for fetched in documents):
            if self._helper.running and self._helper.waiting < _AHEAD:
                return await self._read_beside(self._helper, plan, documents)
            if (extraction := self._read_here(plan, documents)) is not None:
                return Read(extraction)
        async with self._one_at_a_time:
            return await self._read_beside(self._costly, plan, documents)

    @property
    def processes(self) -> int:
        """How many processes are reading, this one included."""
        return 1 + self._helper.running + self._costly.running

    async def aclose(self) -> None:
        """End the processes beside."""
        if self._starting is not None:
            await self._starting
        await self._costly.aclose()
        await self._helper.aclose()

    def _is_tame(self, plan: PagePlan) -> bool:
        if plan.page.iri not in self._tame:
            self._tame[plan.page.iri] = is_tame(plan)
        return self._tame[plan.page.iri]

    def _is_small(self, body: bytes) -> bool:
        return body.count(b"<") <= min(TAME_TAGS, self._limits.elements)

    def _read_here(self, plan: PagePlan, documents: Sequence[Fetched]) -> Extraction | None:
        """What the documents say, unless one of them is too deep to be read here."""
        begun = time.monotonic()
        parsed = parsed_documents(documents)
        if any(is_deep(document.root) for document in parsed):
            return None
        extraction = read_parsed(plan, documents, parsed)
        now = time.monotonic()
        self._spent += now - begun
        if self._share and self._spent > _WORTH_SHARING and self._spent > _BUSY * (now - self._begun):
            self._share = False
            self._starting = asyncio.create_task(self._helper.start())
        return extraction

    async def _read_beside(self, beside: Beside, plan: PagePlan, documents: Sequence[Fetched]) -> Read:
        while True:
            try:
                packed = await beside.read(plan.page.iri, documents)
            except Overtaken:
                continue
            return Read(unpacked(packed), packed)
