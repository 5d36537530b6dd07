"""Pages that were read and are not acknowledged yet."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence

from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.frontier.entries import EntryState, Lengths, PageResult
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.problem import Problem
from rdfcrawl.engine.run.journal import Results


class Pending:
    """Collects results and commits them together: journal and archive first, then the acknowledgement.

    A crash in between costs work, never data.
    """

    def __init__(
        self,
        frontier: Frontier,
        journal: Results,
        recorder: WarcRecorder | None,
        tally: Tally,
        headway: Headway,
        *,
        in_rounds: bool = False,
    ) -> None:
        """In a run that goes ``in_rounds``, what pages link to waits until all of their round are read."""
        self._in_rounds = in_rounds
        self._frontier = frontier
        self._journal = journal
        self._recorder = recorder
        self._tally = tally
        self._headway = headway
        self._results: list[PageResult] = []
        self._failed = False

    def __len__(self) -> int:
        return len(self._results)

    @property
    def settled(self) -> int:
        """How many of the pages will not be tried again."""
        return sum(result.outcome.retry_at is None for result in self._results)

    def add(self, result: PageResult) -> None:
        """Keep a result until the next commit."""
        self._results.append(result)

    async def commit(self) -> None:
        """Commit everything that was added so far.

        If that fails, no later commit is possible: the next start cuts the journal to what was acknowledged.
        """
        if not self._results or self._failed:
            return
        # Others may add results while this one waits for the frontier.
        results, self._results = self._results, []
        try:
            await self._deliver(results)
        except BaseException:
            self._failed = True
            raise

    async def leave_rest(self, failure: str, problem_of: Callable[[int, int], Problem]) -> None:
        """Give up what is not read yet; ``problem_of`` names the problem of a section and its number of pages."""
        await self.commit()
        self._headway.queued(await self._frontier.leave_leads())
        left: Counter[int] = Counter()
        for (section, state), count in (await self._frontier.counts()).items():
            if state in (EntryState.QUEUED, EntryState.CLAIMED, EntryState.HELD):
                left[section] += count
        problems = [problem_of(section, count) for section, count in sorted(left.items())]
        self._journal.write((), problems)
        self._tally.problems.update(problem.kind.value for problem in problems)
        await self._frontier.leave_rest(failure, problems, valid=self._journal.sync(), counted=self._tally.news())
        for section, count in left.items():
            self._headway.left(section, count)

    async def _deliver(self, results: Sequence[PageResult]) -> None:
        for result in results:
            self._journal.write(result.triples, result.problems, result.address, result.links)
            if result.outcome.retry_at is None:
                self._tally.count(result)
                self._headway.read(result.outcome.entry.section)
        if self._recorder is not None:
            self._recorder.write_out()
        # The disk takes its time, in which other pages can be asked for.
        valid = await asyncio.to_thread(self._brought_to_disk)
        counted = self._tally.news()
        queued = await self._frontier.commit(results, valid=valid, counted=counted, in_rounds=self._in_rounds)
        self._headway.queued(queued)

    def _brought_to_disk(self) -> Lengths:
        """Archive and journal on the disk; pages that are read meanwhile only add to the archive."""
        if self._recorder is not None:
            self._recorder.sync()
        return self._journal.sync()
