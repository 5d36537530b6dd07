"""The queue in a file: what it costs, who may open it, and how one of the version before is converted."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.tally import Tally
from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import (
    MAIN_WORKER,
    NOTHING_VALID,
    Counted,
    EntryState,
    Lead,
    Lengths,
    Outcome,
    PageResult,
    Surveyed,
)
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.frontier.sqlite.glance import PagesSoFar, pages_so_far
from rdfcrawl.errors import StoreError
from rdfcrawl.metamodel.model import Section
from tests.engine.frontier.old_queue import LEADS_BY_ADDRESS, OLD_SCHEMA, WITHOUT_ANCHORS, WITHOUT_SURVEYS

LIST = "http://site.example/list"


async def frontier_of(queue: Path, run: int = 1) -> Frontier:
    return (await (await open_queue(queue)).open(run, worker=MAIN_WORKER, model="model")).frontier


async def queue_links(frontier: Frontier, links: Sequence[Follow]) -> None:
    await frontier.start([Section(LIST, "page://list")])
    (start,) = await frontier.claim(1)
    await frontier.commit([PageResult(Outcome(start, follows=links), "http")], valid=NOTHING_VALID, counted=Counted())


def to(host: str, number: int) -> Follow:
    return Follow("page://thing", f"http://{host}/{number}", f"http://{host}/{number}")


def shape_of(path: Path) -> dict[str, object]:
    """The columns of all tables and indexes, with their places in keys."""
    with closing(sqlite3.connect(path)) as db:
        names = db.execute("SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'").fetchall()
        return {name: set(db.execute(f"PRAGMA {kind}_info({name})")) for kind, name in names}


@contextmanager
def counted_steps(frontier: Frontier) -> Iterator[list[int]]:
    """What the database does, in tens of steps."""
    db: sqlite3.Connection = frontier._db  # type: ignore[attr-defined]
    taken: list[int] = []
    db.set_progress_handler(lambda: taken.append(1) or 0, 10)
    yield taken
    db.set_progress_handler(None, 0)


class TestCosts:
    """Counted in steps of the database, not in seconds."""

    async def test_a_claim_costs_the_same_however_long_the_queue_is(self, tmp_path: Path) -> None:
        """A list of 5,000 links is not looked through for every handful of pages."""
        steps = {}
        for run, count in ((1, 200), (2, 5_000)):
            frontier = await frontier_of(tmp_path / "queue.sqlite", run)
            await queue_links(frontier, [to("site.example", number) for number in range(count)])
            with counted_steps(frontier) as taken:
                assert len(await frontier.claim(16)) == 16
            steps[count] = len(taken)
        assert 0 < steps[5_000] < 1.5 * steps[200]

    @pytest.mark.parametrize("reason", ["busy", "postponed"])
    async def test_a_host_that_is_passed_over_costs_nothing(self, tmp_path: Path, reason: str) -> None:
        """However many of its pages stand before those of another host."""
        steps = {}
        for run, count in ((1, 100), (2, 3_000)):
            frontier = await frontier_of(tmp_path / "queue.sqlite", run)
            links = [to("slow.example", number) for number in range(count)]
            await queue_links(frontier, [*links, *(to("other.example", number) for number in range(16))])
            if reason == "postponed":
                await frontier.postpone("slow.example", time.time() + 600)
            with counted_steps(frontier) as taken:
                claimed = await frontier.claim(16, busy_hosts=["slow.example"] if reason == "busy" else [])
            assert {entry.host for entry in claimed} == {"other.example"}
            assert len(claimed) == 16
            steps[count] = len(taken)
        assert 0 < steps[3_000] < 1.5 * steps[100]

    async def test_many_hosts_are_not_looked_through_to_their_ends(self, tmp_path: Path) -> None:
        """A claim at a hundred hosts costs the same whether each of them has ten pages or sixty."""
        steps = {}
        for run, count in ((1, 10), (2, 60)):
            frontier = await frontier_of(tmp_path / "queue.sqlite", run)
            await queue_links(frontier, [to(f"{host}.example", n) for n in range(count) for host in range(100)])
            with counted_steps(frontier) as taken:
                assert len({entry.host for entry in await frontier.claim(100)}) == 100
            steps[count] = len(taken)
        assert 0 < steps[60] < 1.5 * steps[10]

    async def test_a_commit_costs_the_same_however_many_pages_are_known(self, tmp_path: Path) -> None:
        """What is new in the queue is counted without looking at what was there."""
        steps = {}
        for run, count in ((1, 200), (2, 5_000)):
            frontier = await frontier_of(tmp_path / "queue.sqlite", run)
            await queue_links(frontier, [to("site.example", number) for number in range(count)])
            result = PageResult(Outcome((await frontier.claim(1))[0], follows=[to("new.example", 1)]), "http")
            with counted_steps(frontier) as taken:
                assert await frontier.commit([result], valid=NOTHING_VALID, counted=Counted()) == {0: 1}
            steps[count] = len(taken)
        assert 0 < steps[5_000] < 1.5 * steps[200]

    async def test_a_commit_writes_no_more_because_many_leads_wait(self, tmp_path: Path) -> None:
        """Wherever in the order of addresses its own leads are: they are added where the last ones ended."""
        path = tmp_path / "queue.sqlite"
        run = await (await open_queue(path)).begin("identity")
        frontier = await frontier_of(path, run)
        await queue_links(frontier, [to("site.example", number) for number in range(20)])
        frontier._db.execute("PRAGMA wal_autocheckpoint = 0")  # type: ignore[attr-defined]
        log, lengths = path.with_name("queue.sqlite-wal"), []
        for entry in await frontier.claim(20):
            addresses = [f"http://site.example/{(entry.id * 200 + number) * 7919 % 10_007}" for number in range(200)]
            outcome = Outcome(entry, leads=[Lead("page://site", one, one) for one in addresses])
            await frontier.commit([PageResult(outcome, "http")], valid=NOTHING_VALID, counted=Counted())
            lengths.append(log.stat().st_size)
        first, *_, last = [after - before for before, after in pairwise(lengths)]
        assert last < 2 * first


def test_runs_that_begin_at_once_get_numbers_of_their_own(tmp_path: Path) -> None:
    """However many processes begin a run in the same second, in a file that is not even there."""

    async def begin(number: int) -> int:
        queue = await open_queue(tmp_path / "queue.sqlite")
        run = await queue.begin(f"run {number}")
        await queue.aclose()
        return run

    with ThreadPoolExecutor(12) as processes:
        begun = list(processes.map(lambda number: asyncio.run(begin(number)), range(36)))
    assert len(set(begun)) == 36


async def test_claims_that_nobody_acknowledges_in_time_go_to_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the place that they had, unless their host is busy."""
    monkeypatch.setattr("rdfcrawl.engine.frontier.sqlite.frontier.LEASE_SECONDS", -1.0)
    queue = await open_queue(tmp_path / "queue.sqlite")
    gone, other = [(await queue.open(1, worker=worker, model="model")).frontier for worker in ("gone", "other")]
    await queue_links(gone, [to("site.example", number) for number in range(3)])
    assert [entry.key[-1] for entry in await gone.claim(2)] == ["0", "1"]
    assert [entry.key[-1] for entry in await other.claim(1, busy_hosts=["site.example"])] == []
    assert [entry.key[-1] for entry in await other.claim(5)] == ["0", "1", "2"]
    await queue.aclose()


class TestQueuesOfOtherVersions:
    """A file that was written by another version."""

    async def test_an_unfinished_run_goes_on(self, tmp_path: Path) -> None:
        """With its entries, its claims, its tally and the lengths of its journal; one sentence says so, once."""
        path = tmp_path / "queue.sqlite"
        tally = {
            "pages": {"http": 3, "browser": 1},
            "problems": {"gone": 1},
            "triples": 40,
            "unchanged": 2,
            "seconds": 1.5,
            "choice": {
                "reasons": {"page://a": "bare"},
                "plain": {"page://b": 3},
                "helped": {"page://a": 1},
                "in_vain": {},
            },
        }
        lease = time.time() + 500
        with closing(sqlite3.connect(path)) as db, db:
            db.executescript(OLD_SCHEMA)
            db.execute("INSERT INTO run VALUES (6, 'identity', 1, 9, 9, '{}')")
            db.execute("INSERT INTO run VALUES (7, 'identity', 0, 120, 30, ?)", (json.dumps(tally),))
            for number, state, due in (
                (1, EntryState.DONE, 0),
                (2, EntryState.CLAIMED, lease),
                (3, EntryState.QUEUED, 0),
            ):
                key = f"http://site.example/{number}"
                db.execute(
                    "INSERT INTO entry VALUES (?, 7, 'page://thing', ?, ?, 'a.example', 0, NULL, 0, ?, ?, 0, NULL, 0)",
                    (number, key, key, state, due),
                )
        said: list[str] = []
        queue = await open_queue(path, said.append)
        assert await queue.unfinished("identity") == 7
        frontier = (await queue.open(7, worker=MAIN_WORKER, model="model")).frontier
        assert await frontier.lengths() == {MAIN_WORKER: Lengths(120, 30)}
        resumed = Tally.resumed(Engine.AUTO, await frontier.counted())
        assert (resumed.pages, resumed.problems) == ({"http": 3, "browser": 1}, {"gone": 1})
        assert (resumed.triples, resumed.unchanged, resumed.seconds) == (40, 2, 1.5)
        assert (resumed.choice.plain, resumed.choice.helped) == ({"page://b": 3}, {"page://a": 1})
        assert resumed.choice.reasons == {"page://a": "bare"}
        assert [entry.id for entry in await frontier.claim(5)] == [3]
        await frontier.release_claims()
        assert [entry.id for entry in await frontier.claim(5)] == [2, 3]
        await queue.aclose()
        await (await open_queue(path, said.append)).aclose()
        assert said == [
            f"the queue {path} was written by an earlier version and has been converted; unfinished runs continue"
        ]

    async def test_a_converted_queue_is_like_a_new_one(self, tmp_path: Path) -> None:
        """It has the same tables with the same columns, and the same indexes."""
        with closing(sqlite3.connect(tmp_path / "old.sqlite")) as db:
            db.executescript(OLD_SCHEMA)
        for name in ("old.sqlite", "new.sqlite"):
            await (await open_queue(tmp_path / name)).aclose()
        assert shape_of(tmp_path / "old.sqlite") == shape_of(tmp_path / "new.sqlite")

    async def test_a_queue_without_surveys_is_continued(self, tmp_path: Path) -> None:
        """It gets the tables that surveys need; what was acknowledged stays so."""
        path, section = tmp_path / "queue.sqlite", Section(LIST, "page://list")
        queue = await open_queue(path)
        run = await queue.begin("identity")
        frontier = (await queue.open(run, worker="main", model="model")).frontier
        await frontier.start([section])
        (entry,) = await frontier.claim(1)
        result = PageResult(Outcome(entry, follows=[Follow("page://thing", LIST + "/a", LIST + "/a")]), "http")
        await frontier.commit([result], valid=Lengths(30, 7), counted=Counted())
        await queue.aclose()
        with closing(sqlite3.connect(path)) as db:
            db.executescript(WITHOUT_SURVEYS)
        said: list[str] = []
        queue = await open_queue(path, said.append)
        frontier = (await queue.open(run, worker="main", model="model")).frontier
        assert await frontier.lengths() == {"main": Lengths(30, 7, 0)}
        assert [entry.address for entry in await frontier.claim(5)] == [LIST + "/a"]
        assert await frontier.next_level() == {}
        await queue.aclose()
        assert said == []

    @pytest.mark.parametrize("earlier", [LEADS_BY_ADDRESS, WITHOUT_ANCHORS], ids=["format 4", "format 3"])
    async def test_a_survey_of_an_earlier_format_is_continued(self, tmp_path: Path, earlier: str) -> None:
        """With what it has found so far, in tables like those of a new queue."""
        path, section = tmp_path / "queue.sqlite", Section(LIST, "page://site")
        queue = await open_queue(path)
        run = await queue.begin("identity")
        frontier = (await queue.open(run, worker="main", model="model")).frontier
        await frontier.start([section])
        (entry,) = await frontier.claim(1)
        leads = [Lead("page://site", LIST + name, LIST + name) for name in ("/b", "/a")]
        outcome = Outcome(entry, leads=leads, surveyed=Surveyed("html", "1"))
        await frontier.commit([PageResult(outcome, "http")], valid=NOTHING_VALID, counted=Counted())
        await queue.aclose()
        shape = shape_of(path)
        with closing(sqlite3.connect(path)) as db:
            db.executescript(earlier)
        assert shape_of(path) != shape
        queue = await open_queue(path)
        assert shape_of(path) == shape
        frontier = (await queue.open(run, worker="main", model="model")).frontier
        assert await frontier.next_level() == {0: 2}
        assert [(entry.address, entry.anchors) for entry in await frontier.claim(5)] == [
            (LIST + "/a", None),
            (LIST + "/b", None),
        ]
        await queue.aclose()

    async def test_a_new_queue_is_nothing_to_speak_of(self, tmp_path: Path) -> None:
        """Without a notice, whether the file was there or not."""
        said: list[str] = []
        await (await open_queue(tmp_path / "queue.sqlite", said.append)).aclose()
        await (await open_queue(tmp_path / "queue.sqlite", said.append)).aclose()
        assert said == []

    async def test_a_queue_of_a_later_version_is_refused(self, tmp_path: Path) -> None:
        """What it means is not known here; it is left as it is."""
        with closing(sqlite3.connect(tmp_path / "queue.sqlite")) as db:
            db.execute("PRAGMA user_version = 99")
        with pytest.raises(StoreError, match="has format 99; this rdfcrawl reads and writes format 5"):
            await open_queue(tmp_path / "queue.sqlite")


async def test_a_glance_tells_how_far_runs_are_and_changes_nothing(tmp_path: Path) -> None:
    """While others write; a queue that is not there, or is none, tells nothing."""
    queue = tmp_path / "queue.sqlite"
    run = await (await open_queue(queue)).begin("identity")
    await queue_links(await frontier_of(queue, run), [to("site.example", number) for number in range(7)])
    assert pages_so_far(queue) == {run: PagesSoFar(read=1, queued=7)}
    assert pages_so_far(tmp_path / "nothing.sqlite") == {}
    assert not (tmp_path / "nothing.sqlite").exists()
    (tmp_path / "text.sqlite").write_text("no database")
    assert pages_so_far(tmp_path / "text.sqlite") == {}
