"""What only a queue that several machines share must get right: who counts, what was committed, whose turn it is."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any

import psycopg
import pytest
import pytest_asyncio

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import NOTHING_VALID, Counted, Entry, Lengths, Outcome, PageResult
from rdfcrawl.engine.frontier.hosts import HostNeed, HostStanding
from rdfcrawl.engine.frontier.opening import open_shared
from rdfcrawl.engine.frontier.postgres.claims import CLAIM_NAME
from rdfcrawl.engine.frontier.postgres.database import Connection, Database
from rdfcrawl.engine.frontier.postgres.marks import mark_of
from rdfcrawl.engine.frontier.postgres.queue import PostgresQueue
from rdfcrawl.engine.frontier.protocol import OpenRun, SharedTask, WorkerGone
from rdfcrawl.metamodel.model import Section

START = "http://site.example/list"
THING = "page://thing"


@pytest_asyncio.fixture
async def queue(queue_address: str) -> AsyncIterator[PostgresQueue]:
    async with aclosing(await open_shared(queue_address, lambda text: None)) as queue:
        yield queue


@pytest_asyncio.fixture
async def run(queue: PostgresQueue) -> int:
    """A run whose start page is queued."""
    run = await queue.begin("identity")
    opened = await queue.open(run, worker="main", model="model")
    await opened.frontier.start([Section(START, "page://list")])
    return run


async def worker(queue: PostgresQueue, run: int, name: str) -> OpenRun:
    return await queue.open(run, worker=name, model="model")


async def commit(opened: OpenRun, *results: PageResult) -> None:
    await opened.frontier.commit(results, valid=NOTHING_VALID, counted=Counted({("pages", "http"): len(results)}))


def read(entry: Entry, *names: str) -> PageResult:
    follows = [Follow(THING, f"http://site.example/{name}", f"http://site.example/{name}") for name in names]
    return PageResult(
        Outcome(entry, follows=follows), "http", triples=[f"<{entry.address}> <p:> {number}" for number in (1, 2)]
    )


async def collected(queue: PostgresQueue, run: int) -> list[str]:
    """Every triple that was committed, as whoever leads the run finds them."""
    leader = await worker(queue, run, "main")
    assert leader.blocks is not None
    return [triple for block in await leader.blocks.waiting() for result in block.results for triple in result.triples]


def on_server(address: str, statement: str, *values: object) -> None:
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute(statement, values)  # type: ignore[call-overload]


class TestLives:
    """Who counts."""

    async def test_a_worker_that_was_declared_dead_can_write_nothing(
        self, queue: PostgresQueue, run: int, queue_address: str
    ) -> None:
        """Others get its pages; what it commits later is refused as a whole, and so are its claims."""
        lost, other = await worker(queue, run, "lost"), await worker(queue, run, "other")
        (entry,) = await lost.frontier.claim(1)
        on_server(queue_address, "UPDATE worker SET alive_until = now() WHERE name = 'lost'")
        (again,) = await other.frontier.claim(1)
        assert again.id == entry.id
        with pytest.raises(WorkerGone) as gone:
            await commit(lost, read(entry, "from-the-dead"))
        assert not gone.value.is_replaced
        with pytest.raises(WorkerGone):
            await lost.frontier.claim(5, busy_hosts=["x"])
        await commit(other, read(again, "a"))
        assert len(await collected(queue, run)) == 2
        assert [one.address for one in await other.frontier.claim(5)] == ["http://site.example/a"]

    async def test_a_sign_of_life_keeps_what_is_claimed(
        self, queue: PostgresQueue, run: int, queue_address: str
    ) -> None:
        """It counts for everything that a process has opened."""
        slow, other = await worker(queue, run, "slow"), await worker(queue, run, "other")
        await slow.frontier.claim(1)
        on_server(queue_address, "UPDATE worker SET alive_until = now() + interval '1 second'")
        await queue.sign_of_life()
        on_server(queue_address, "UPDATE worker SET alive_until = alive_until - interval '5 seconds'")
        assert await other.frontier.claim(1) == []

    async def test_a_leader_that_was_replaced_ends(self, queue: PostgresQueue, run: int) -> None:
        """The later one counts: the earlier one can neither commit nor collect."""
        earlier = await worker(queue, run, "main")
        (entry,) = await earlier.frontier.claim(1)
        later = await worker(queue, run, "main")
        with pytest.raises(WorkerGone) as gone:
            await commit(earlier, read(entry))
        assert gone.value.is_replaced
        assert earlier.blocks is not None
        with pytest.raises(WorkerGone):
            await earlier.blocks.collected([], Lengths(1))
        await later.frontier.release_claims()
        assert [one.id for one in await later.frontier.claim(1)] == [entry.id]

    async def test_what_was_given_up_meanwhile_is_not_committed(self, queue: PostgresQueue, run: int) -> None:
        """Neither its triples nor its links; the rest of the commit counts."""
        reader, leader = await worker(queue, run, "reader"), await worker(queue, run, "main")
        (start,) = await reader.frontier.claim(1)
        await commit(reader, read(start, "a", "b"))
        a, b = await reader.frontier.claim(2)
        await leader.frontier.leave_rest("limit", [], valid=NOTHING_VALID, counted=Counted())
        await commit(reader, read(a, "c"), read(b))
        assert len(await collected(queue, run)) == 2
        assert await reader.frontier.seconds_until_due() is None


class TestLostAnswers:
    """A server that dies after it has committed, before it could say so."""

    @pytest.fixture
    def losing(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
        """Lets the answer to the next question of this process be lost."""
        whole = Database.ask

        def lose() -> None:
            async def ask(self: Database, work: Callable[[Connection], Awaitable[Any]]) -> Any:
                monkeypatch.setattr(Database, "ask", whole)
                await whole(self, work)
                return await whole(self, work)

            monkeypatch.setattr(Database, "ask", ask)

        return lose

    async def test_a_commit_that_is_sent_again_is_recognised(
        self, queue: PostgresQueue, run: int, losing: Callable[[], None]
    ) -> None:
        """Nothing is counted, queued or written twice, and the next commit is another one."""
        reader = await worker(queue, run, "reader")
        (entry,) = await reader.frontier.claim(1)
        losing()
        await commit(reader, read(entry, "a"))
        assert len(await collected(queue, run)) == 2
        assert (await reader.frontier.counted()).amounts == {("pages", "http"): 1}
        (a,) = await reader.frontier.claim(1)
        await commit(reader, read(a))
        assert len(await collected(queue, run)) == 4

    async def test_claims_that_nobody_knows_of_are_given_back(
        self, queue: PostgresQueue, run: int, losing: Callable[[], None]
    ) -> None:
        """The worker has one page, not two of which it knows one."""
        reader = await worker(queue, run, "reader")
        (start,) = await reader.frontier.claim(1)
        await commit(reader, read(start, "a", "b", "c"))
        (held,) = await reader.frontier.claim(1)
        losing()
        claimed = await reader.frontier.claim(1)
        other = await worker(queue, run, "other")
        rest = await other.frontier.claim(5)
        assert [one.address[-1] for one in (held, *claimed, *rest)] == ["a", "b", "c"]


class TestTogether:
    """Many at once."""

    async def test_workers_that_find_the_same_links_do_not_block_each_other(
        self, queue: PostgresQueue, run: int
    ) -> None:
        """In whatever order they find them; each page is queued once."""
        first = await worker(queue, run, "main")
        (start,) = await first.frontier.claim(1)
        await commit(first, read(start, *(f"p{number}" for number in range(8))))
        names = [f"n{number}" for number in range(300)]

        async def reads(number: int) -> None:
            mine = await worker(queue, run, f"worker-{number}")
            (entry,) = await mine.frontier.claim(1)
            await commit(mine, read(entry, *(names if number % 2 else reversed(names))))

        await asyncio.gather(*map(reads, range(8)))
        queued = [one.key for one in await first.frontier.claim(1000)]
        assert len(queued) == len(set(queued)) == 300

    async def test_a_link_that_another_worker_queues_at_that_moment(
        self, queue: PostgresQueue, run: int, queue_address: str
    ) -> None:
        """It is queued once, and both pages lead to it: what a commit could not see, it looks at again."""
        reader = await worker(queue, run, "reader")
        (start,) = await reader.frontier.claim(1)
        name = "http://site.example/same"
        queueing = """
            INSERT INTO entry (run, mark, page, key, address, host, section)
            VALUES (%s, %s, %s, %s, %s, 'site.example', 0)"""
        waiting = "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'transactionid'"
        with psycopg.connect(queue_address) as other, psycopg.connect(queue_address, autocommit=True) as watcher:
            other.execute(queueing, (run, mark_of(THING, name), THING, name, name))
            committing = asyncio.create_task(commit(reader, read(start, "first", "same")))
            while watcher.execute(waiting).fetchone() == (0,):  # noqa: ASYNC110 - the server does not tell
                await asyncio.sleep(0.01)
            other.commit()
            await committing
            edges = watcher.execute("SELECT count(*) FROM edge WHERE source = %s", (start.id,)).fetchone()
        assert edges == (2,)
        assert sorted(one.address for one in await reader.frontier.claim(5)) == ["http://site.example/first", name]
        assert len(await collected(queue, run)) == 2

    async def test_pages_of_a_budget_are_for_all_together(self, queue: PostgresQueue, run: int) -> None:
        """What others have claimed or read is not left."""
        await queue.offer(run, SharedTask("{}", most_pages=4))
        one, other = await worker(queue, run, "one"), await worker(queue, run, "other")
        (start,) = await one.frontier.claim(9)
        await commit(one, read(start, *"abcdef"))
        assert len(await one.frontier.claim(2)) == 2
        assert len(await other.frontier.claim(9)) == 1
        assert await one.frontier.claim(9, busy_hosts=["x"]) == []
        assert not await one.frontier.is_used_up(4)

    async def test_where_claimed_entries_were_queued_is_swept(
        self, queue: PostgresQueue, run: int, queue_address: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Now and then, beside the rest: otherwise each claim walks past all that were claimed before."""
        monkeypatch.setattr("rdfcrawl.engine.frontier.postgres.claims.SWEEP_ENTRIES", 5)
        reader = await worker(queue, run, "reader")
        (start,) = await reader.frontier.claim(1)
        await commit(reader, read(start, *"abcdef"))
        await reader.frontier.claim(4)
        swept = "SELECT vacuum_count FROM pg_stat_user_tables WHERE relid = 'entry'::regclass"
        with psycopg.connect(queue_address, autocommit=True) as watcher:
            while watcher.execute(swept).fetchone() == (0,):  # noqa: ASYNC110 - the server does not tell
                await asyncio.sleep(0.01)

    async def test_the_order_of_links_is_kept(self, queue: PostgresQueue, run: int) -> None:
        """Although they are written in another one."""
        reader = await worker(queue, run, "reader")
        (start,) = await reader.frontier.claim(1)
        names = [f"{(number * 7919) % 100:02}" for number in range(100)]
        await commit(reader, read(start, *names))
        assert [one.address[-2:] for one in await reader.frontier.claim(100)] == names

    async def test_addresses_of_any_length_are_queued(self, queue: PostgresQueue, run: int) -> None:
        """Longer than what an index can hold, in the path and in the host."""
        reader = await worker(queue, run, "reader")
        (start,) = await reader.frontier.claim(1)
        addresses = [f"http://site.example/{'x' * 20_000}", f"http://{'y' * 9_000}.example/"]
        result = PageResult(Outcome(start, follows=[Follow(THING, one, one) for one in addresses]), "http")
        await commit(reader, result)
        assert sorted(one.address for one in await reader.frontier.claim(5)) == sorted(addresses)


class TestHosts:
    """One host, many workers."""

    async def test_turns_are_those_of_all_workers_and_runs(self, queue: PostgresQueue, run: int) -> None:
        """Nobody is let in twice at once."""
        another = await queue.begin("another")
        hosts = [(await worker(queue, number, name)).hosts for number in (run, another) for name in ("a", "b")]
        waits = await asyncio.gather(*(memory.reserve("10.0.0.1", 50.0) for memory in hosts))
        assert [round(wait / 50) for wait in sorted(waits)] == [0, 1, 2, 3]

    async def test_requests_at_once_are_shared_out(self, queue: PostgresQueue, run: int) -> None:
        """The first has all; with the second each gets half, when what is under way is over."""
        one, other = (await worker(queue, run, "one")).hosts, (await worker(queue, run, "other")).hosts
        host = "site.example"

        async def share(memory: Any, busy: int) -> int:
            return (await memory.share_out({host: HostNeed(4, busy)})).shares[host]

        assert await share(one, 0) == 4
        assert await share(other, 0) == 0
        assert await share(one, 4) == 2
        assert await share(other, 0) == 0
        assert await share(one, 2) == 2
        assert await share(other, 0) == 2
        await one.share_out({}, [host])
        assert await share(other, 2) == 4
        assert (await other.share_out({host: HostNeed(4, 0, usable=1)})).shares[host] == 1
        assert await share(one, 0) == 2

    async def test_a_host_whose_requests_are_others_is_not_claimed(self, queue: PostgresQueue, run: int) -> None:
        """Until they leave something."""
        one, other = await worker(queue, run, "one"), await worker(queue, run, "other")
        (start,) = await one.frontier.claim(1)
        await commit(one, read(start, "a", "b"))
        await one.hosts.share_out({"site.example": HostNeed(2, 2)})
        assert await other.frontier.claim(5) == []
        assert (await other.frontier.seconds_until_due() or 0) > 0
        await one.hosts.share_out({}, ["site.example"])
        while not (claimed := await other.frontier.claim(5)):  # noqa: ASYNC110 - it is the worker that waits
            await asyncio.sleep(0.01)
        assert len(claimed) == 2

    async def test_what_one_has_learnt_the_others_hear_once(self, queue: PostgresQueue, run: int) -> None:
        """Whoever noted it does not hear it."""
        one, other = (await worker(queue, run, "one")).hosts, (await worker(queue, run, "other")).hosts
        await one.note("site.example", HostStanding(1.0, 3, 1, time.time() + 60))
        heard = (await other.share_out({})).standings["site.example"]
        assert (heard.bound, heard.failures, heard.asides) == (1.0, 3, 1)
        assert 55 < heard.until - time.time() <= 60
        assert not (await other.share_out({})).standings
        assert not (await one.share_out({})).standings

    async def test_a_robots_txt_is_fetched_by_one_of_them(self, queue: PostgresQueue, run: int) -> None:
        """The others wait for it; one that cannot fetch it leaves it to the next."""
        one, other = (await worker(queue, run, "one")).hosts, (await worker(queue, run, "other")).hosts
        origin = "http://site.example"
        assert await one.await_robots(origin) is None
        waiting = asyncio.create_task(other.await_robots(origin))
        await one.robots_failed(origin)
        assert await waiting is None
        waiting = asyncio.create_task(one.await_robots(origin))
        await other.note_robots(origin, "User-agent: *")
        assert await waiting == "User-agent: *"


async def test_tables_of_another_version_get_the_functions_of_this_one(queue_address: str) -> None:
    """Whoever comes first adds them; several may come at once."""
    async with aclosing(await open_shared(queue_address, lambda text: None)):
        on_server(queue_address, f"DROP FUNCTION {CLAIM_NAME}")
    queues = await asyncio.gather(*(open_shared(queue_address, lambda text: None) for _ in range(4)))
    opened = await worker(queues[0], await queues[0].begin("identity"), "main")
    assert await opened.frontier.claim(1) == []
    for queue in queues:
        await queue.aclose()


async def test_a_clock_that_is_wrong_changes_nothing(
    queue: PostgresQueue, run: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a machine whose clock is an hour ahead puts off for a minute, others get after a minute."""
    ahead, right = await worker(queue, run, "ahead"), await worker(queue, run, "right")
    (start,) = await ahead.frontier.claim(1)
    now = time.time

    for module in ("frontier", "commits", "hosts"):
        monkeypatch.setattr(f"rdfcrawl.engine.frontier.postgres.{module}.time", lambda: now() + 3600)
    await ahead.frontier.commit(
        [PageResult(Outcome(start, retry_at=now() + 3600 + 60), "http")], valid=NOTHING_VALID, counted=Counted()
    )
    await ahead.frontier.postpone("other.example", now() + 3600 + 60)
    await ahead.hosts.note("site.example", HostStanding(1.0, until=now() + 3600 + 60))
    monkeypatch.undo()
    due = await right.frontier.seconds_until_due()
    assert due is not None
    assert 50 < due <= 60
    assert 50 < (await right.hosts.standings())["site.example"].until - now() <= 60


async def test_the_requests_at_once_of_a_dead_worker_are_free_again(
    queue: PostgresQueue, run: int, queue_address: str
) -> None:
    """Also for somebody who has claimed all that it can, and so claims no more."""
    dead, waiting = await worker(queue, run, "dead"), await worker(queue, run, "waiting")
    need = {"site.example": HostNeed(1, 0)}
    assert (await dead.hosts.share_out(need)).shares == {"site.example": 1}
    on_server(queue_address, "UPDATE worker SET alive_until = now(), life = gen_random_uuid() WHERE name = 'dead'")
    assert (await waiting.hosts.share_out(need)).shares == {"site.example": 0}
    await queue.sign_of_life()
    assert (await waiting.hosts.share_out(need)).shares == {"site.example": 1}
