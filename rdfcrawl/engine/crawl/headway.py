"""How far a run has come, counted in pages of its sections."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence

from rdfcrawl.engine.crawl.progress import Progress, SectionProgress
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.frontier.entries import EntryState


class Headway:
    """The pages of a run that are done and those that are queued, kept up to date from commit to commit."""

    def __init__(self, run: int, sections: Sequence[str], counts: Mapping[tuple[int, int], int]) -> None:
        """Start from the counts of the frontier, by section number and state."""
        self._run = run
        self._sections = sections
        self._count(counts)
        self._before = self._done.total()
        self._told: Tally | None = None
        self._read_now = 0
        self._begun = asyncio.get_running_loop().time()

    def tell(self, counts: Mapping[tuple[int, int], int], tally: Tally) -> None:
        """Begin again from the counts of the frontier: other workers have read pages as well."""
        self._count(counts)
        self._told = tally
        self._read_now = self._done.total() - self._before

    def queued(self, pages: Mapping[int, int]) -> None:
        """Add new pages of the queue, by section number."""
        self._queued.update(pages)

    def read(self, section: int) -> None:
        """Count a page of a section that was read, or that could not be."""
        self._read_now += 1
        self.left(section, 1)

    def left(self, section: int, pages: int) -> None:
        """Subtract pages of a section that are no longer queued."""
        self._done[section] += pages
        self._queued[section] -= pages

    def progress(self, tally: Tally) -> Progress:
        """How far the run has come by now."""
        tally = self._told or tally
        return Progress(
            self._run,
            tuple(
                SectionProgress(address, self._done[number], self._queued[number])
                for number, address in enumerate(self._sections)
            ),
            problems=tally.problems.total(),
            triples=tally.triples,
            seconds=asyncio.get_running_loop().time() - self._begun,
            read_now=self._read_now,
        )

    def _count(self, counts: Mapping[tuple[int, int], int]) -> None:
        self._done: Counter[int] = Counter()
        self._queued: Counter[int] = Counter()
        for (section, state), count in counts.items():
            (self._done if state in (EntryState.DONE, EntryState.FAILED) else self._queued)[section] += count
