"""Pages that were read on their way to being acknowledged."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.crawl.headway import Headway
from rdfcrawl.engine.crawl.pending import Pending
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import Entry, EntryState, Lengths, Outcome, PageResult
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.journal import Journal
from rdfcrawl.metamodel.model import Section

SECTIONS = ("http://site.example/a", "http://site.example/b")


class Started:
    """A run of two sections whose start pages are claimed."""

    def __init__(self, frontier: Frontier, entries: list[Entry], headway: Headway, folder: Path) -> None:
        self.frontier = frontier
        self.entries = entries
        self.headway = headway
        self.journal = Journal(folder, "<run://1>")
        self.tally = Tally(Choice(Engine.AUTO))
        self.pending = Pending(frontier, self.journal, None, self.tally, headway)

    def progress(self) -> list[tuple[int, int]]:
        """Done and queued pages of each section."""
        return [(section.done, section.queued) for section in self.headway.progress(self.tally).sections]


@pytest_asyncio.fixture
async def started(tmp_path: Path) -> AsyncIterator[Started]:
    """A run that has just claimed its start pages."""
    queue = await open_queue(tmp_path / "queue.sqlite")
    frontier = (await queue.open(await queue.begin("identity"), worker="main", model="model")).frontier
    await frontier.start([Section(address, "page://list") for address in SECTIONS])
    headway = Headway(frontier.run, SECTIONS, await frontier.counts())
    begun = Started(frontier, await frontier.claim(5), headway, tmp_path / "journal")
    yield begun
    begun.journal.close()
    await queue.aclose()


def to(name: str) -> Follow:
    return Follow("page://thing", f"http://site.example/{name}", name)


async def test_nothing_counts_before_it_is_committed(started: Started) -> None:
    """Then it is in the journal, in the queue, in the tally and in the progress, and the lengths agree."""
    problem = Problem(ProblemKind.MISSING, SECTIONS[0], "page://list", "not there")
    read = PageResult(Outcome(started.entries[0], follows=[to("1"), to("2")]), "http", ["<a> <b> <c>"], [problem])
    started.pending.add(read)
    started.pending.add(PageResult(Outcome(started.entries[1], retry_at=0.0), "http"))
    assert (len(started.pending), started.pending.settled) == (2, 1)
    assert started.progress() == [(0, 1), (0, 1)]
    await started.pending.commit()
    assert (len(started.pending), started.pending.settled) == (0, 0)
    assert started.progress() == [(1, 2), (0, 1)]
    sizes = (started.journal.triples_path.stat().st_size, started.journal.problems_path.stat().st_size)
    assert await started.frontier.lengths() == {"main": Lengths(*sizes)}
    assert started.journal.triples_path.read_text() == "<a> <b> <c> <run://1> .\n"
    assert (await started.frontier.counted()).amounts == {
        ("pages", "http"): 1,
        ("problems", "missing"): 1,
        ("triples", ""): 1,
    }


async def test_what_is_given_up_has_a_problem_for_each_section(started: Started) -> None:
    """With the number of pages that were left, those that were claimed included."""
    started.pending.add(PageResult(Outcome(started.entries[0], follows=[to("1"), to("2")]), "http"))
    asked: list[tuple[int, int]] = []

    def problem(section: int, count: int) -> Problem:
        asked.append((section, count))
        return Problem(ProblemKind.LIMIT, SECTIONS[section], "page://list", f"{count} left")

    await started.pending.leave_rest("limit", problem)
    assert asked == [(0, 2), (1, 1)]
    assert [problem.reason for problem in started.journal.problems()] == ["2 left", "1 left"]
    assert await started.frontier.counts() == {
        (0, EntryState.DONE): 1,
        (0, EntryState.FAILED): 2,
        (1, EntryState.FAILED): 1,
    }
    assert started.progress() == [(3, 0), (1, 0)]
    assert (await started.frontier.counted()).amounts == {("pages", "http"): 1, ("problems", "limit"): 2}


async def test_what_comes_while_a_commit_waits_is_for_the_next(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A frontier that answers over a network lets others go on meanwhile."""
    frontier, pending = started.frontier, started.pending
    first, second = (PageResult(Outcome(entry), "http") for entry in started.entries)
    commit = frontier.commit

    async def slow_commit(results: Sequence[PageResult], **about: Any) -> Counter[int]:
        pending.add(second)
        return await commit(results, **about)

    pending.add(first)
    with monkeypatch.context() as slowed:
        slowed.setattr(frontier, "commit", slow_commit)
        await pending.commit()
    assert len(pending) == 1
    await pending.commit()
    assert await frontier.counts() == {(0, EntryState.DONE): 1, (1, EntryState.DONE): 1}


async def test_after_a_commit_that_failed_nothing_is_acknowledged(
    started: Started, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the journal holds is cut off at the next start, so that no later commit may call it valid."""
    first, second = (PageResult(Outcome(entry), "http", ["<a> <b> <c>"]) for entry in started.entries)

    async def full_disk(results: Sequence[PageResult], **about: Any) -> Counter[int]:
        raise OSError(errno.ENOSPC, "No space left on device")

    started.pending.add(first)
    with monkeypatch.context() as full:
        full.setattr(started.frontier, "commit", full_disk)
        with pytest.raises(OSError, match="No space left"):
            await started.pending.commit()
    started.pending.add(second)
    await started.pending.commit()
    assert await started.frontier.lengths() == {}
    assert await started.frontier.counts() == {(0, EntryState.CLAIMED): 1, (1, EntryState.CLAIMED): 1}
