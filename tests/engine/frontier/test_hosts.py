"""What a run has learnt of its hosts, whoever keeps it."""

from __future__ import annotations

from rdfcrawl.engine.frontier.hosts import HostStanding
from tests.engine.frontier.conftest import OpenRunOf


async def test_what_was_learnt_outlives_the_process(open_run: OpenRunOf) -> None:
    """The rules of an origin and how a host stands are there at the next start; the latest counts."""
    hosts = (await open_run()).hosts
    await hosts.note_robots("http://a.example", "User-agent: *")
    await hosts.note_robots("http://b.example", "")
    await hosts.note("a.example", HostStanding(2.0))
    await hosts.note("a.example", HostStanding(1.5, 7, 2, 12345.5))
    again = (await open_run()).hosts
    assert await again.robots() == {"http://a.example": "User-agent: *", "http://b.example": ""}
    assert await again.standings() == {"a.example": HostStanding(1.5, 7, 2, 12345.5)}


async def test_runs_learn_for_themselves(open_run: OpenRunOf) -> None:
    """A host that was in trouble yesterday is asked today."""
    yesterday = await open_run("yesterday")
    await yesterday.hosts.note("a.example", HostStanding(1.0))
    await yesterday.hosts.note_robots("http://a.example", "")
    today = (await open_run("today")).hosts
    assert await today.standings() == await today.robots() == {}


async def test_a_run_that_has_ended_leaves_nothing(open_run: OpenRunOf) -> None:
    """Its hosts are forgotten with it."""
    ended = await open_run()
    await ended.hosts.note("a.example", HostStanding(1.0))
    await ended.hosts.note_robots("http://a.example", "")
    await ended.frontier.forget()
    assert await ended.hosts.standings() == await ended.hosts.robots() == {}


async def test_turns_at_a_host_lie_a_delay_apart(open_run: OpenRunOf) -> None:
    """Each reservation waits for the one before it; other hosts have turns of their own."""
    hosts = (await open_run()).hosts
    waits = [await hosts.reserve("a.example", 100.0) for _ in range(3)]
    assert waits[0] == await hosts.reserve("b.example", 100.0) == 0
    assert 0 < waits[1] <= 100 < waits[2] <= 200
