"""``rdfcrawl queue``: what those see who watch over a queue."""

from __future__ import annotations

import json

from rdfcrawl.engine.frontier.hosts import HostNeed, HostStanding
from rdfcrawl.engine.frontier.opening import open_shared
from rdfcrawl.engine.frontier.protocol import SharedTask
from rdfcrawl.metamodel.model import Section
from rdfcrawl.version import VERSION
from tests.commands import Command


async def shown(queue: str, *options: str) -> str:
    command = Command("queue", "--queue", queue, *options)
    assert await command.ended() == 0, command.said
    return command.printed


async def test_an_empty_queue(queue_address: str) -> None:
    """It says so."""
    printed = await shown(queue_address)
    assert "No run is under way." in printed
    assert "There are no workers." in printed


async def test_runs_workers_and_hosts(queue_address: str) -> None:
    """Runs with their pages, workers with their last sign of life and claims, hosts with who waits and their pace."""
    queue = await open_shared(queue_address, lambda text: None)
    run = await queue.begin("identity")
    await queue.offer(run, SharedTask("{}"))
    await queue.enlist("idle-1")
    opened = await queue.open(run, worker="busy-1", model="model")
    sections = [Section(f"http://site.example/{number}", "page://list") for number in range(3)]
    await opened.frontier.start(sections)
    await opened.frontier.claim(1)
    await opened.hosts.share_out({"site.example": HostNeed(4, 1)})
    await opened.hosts.note("site.example", HostStanding(2.0, 1))
    await opened.hosts.reserve("192.0.2.1", 30.0)
    await queue.aclose()

    state = json.loads(await shown(queue_address, "--format", "json"))
    (known,) = state["runs"]
    assert {name: known[name] for name in ("run", "version", "queued", "claimed", "done", "failed", "blocks")} == {
        "run": run,
        "version": VERSION,
        "queued": 2,
        "claimed": 1,
        "done": 0,
        "failed": 0,
        "blocks": 0,
    }
    assert {(one["name"], one["run"], one["is_alive"], one["claimed"]) for one in state["workers"]} == {
        ("idle-1", None, True, 0),
        ("busy-1", run, True, 1),
    }
    (host,) = state["hosts"]
    assert (host["host"], host["waiting"], host["claimed"], host["shared"], host["bound"]) == (
        *("site.example", 2, 1, 4, 2.0),
    )
    (turn,) = state["turns"]
    assert (turn["machine"], turn["delay"]) == ("192.0.2.1", 30.0)

    printed = await shown(queue_address)
    for said in (str(run), "idle-1", "busy-1", "site.example", "192.0.2.1", "30 s"):
        assert said in printed
