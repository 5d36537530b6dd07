"""``kill -9`` between any two steps: every event arrives, and one that arrives twice has the same name both times."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from tests.commands import Command
from tests.faults.test_kill_points import kill_at
from tests.mail_server import MailServer, mail_server
from tests.thing_site import ThingSite, thing_site

ALERT = """
@prefix alert: <alert://> .
<model:> :alert [ :on alert:added ; :to <mailto:me@books.example> ] .
"""


async def run(model: Path, store: Path, first: Callable[[], None] | None = None) -> int:
    command = Command("run", str(model), "--engine", "http", "--no-record", "--store", str(store), first=first)
    return await command.ended()


async def told(
    server: MailServer, site: ThingSite, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, point: str, moment: str
) -> None:
    """A first run, one that is killed while it tells of two new things, and one that makes up for it."""
    for name, value in server.environment().items():
        monkeypatch.setenv(name, value)
    model, store = tmp_path / "things.ttl", tmp_path / "store"
    model.write_text(site.turtle() + ALERT, encoding="utf-8")
    assert await run(model, store) == 0
    assert server.received == []
    site.things += 2
    assert await run(model, store, partial(kill_at, point, moment, 1)) == -signal.SIGKILL
    again = Command("alerts", "send", "--store", str(store))
    assert await again.ended() == 0, again.said


@pytest.mark.parametrize(
    ("point", "moment"),
    [
        ("rdfcrawl.alert.outbox:Outbox.note", "before"),
        ("rdfcrawl.alert.outbox:Outbox.mark_sent", "after"),
        *(
            pytest.param(point, moment, marks=pytest.mark.exhaustive)
            for point, moment in (
                ("rdfcrawl.api:record_changes", "after"),
                ("rdfcrawl.alert.outbox:Outbox.note", "after"),
                ("rdfcrawl.alert.messengers.mail:MailMessenger.send", "before"),
            )
        ),
    ],
)
async def test_killed_before_or_after_sending_every_event_arrives_once(
    point: str, moment: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was not in the outbox is found out again; what was marked is not sent again."""
    async with mail_server() as server, thing_site() as site:
        await told(server, site, tmp_path, monkeypatch, point, moment)
    assert sorted(one.mail["Subject"] for one in server.received) == [
        "rdfcrawl: added: Thing 3",
        "rdfcrawl: added: Thing 4",
    ]
    assert len(set(server.names)) == 2


async def test_killed_between_sending_and_marking_the_same_mail_is_sent_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its Message-ID is the same, so that a mail program shows it once; the other one is sent once."""
    async with mail_server() as server, thing_site() as site:
        await told(server, site, tmp_path, monkeypatch, "rdfcrawl.alert.outbox:Outbox.mark_sent", "before")
    assert len(server.received) == 3
    first, second, third = server.names
    assert first == second != third


@pytest.mark.exhaustive
async def test_killed_by_somebody_else_while_the_server_has_the_mail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server has received it and not yet said so; it is sent again, under the same name."""
    async with mail_server() as server, thing_site() as site:
        for name, value in server.environment().items():
            monkeypatch.setenv(name, value)
        model, store = tmp_path / "things.ttl", tmp_path / "store"
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        assert await run(model, store) == 0
        site.things += 1
        server.answers = ["never"]
        running = Command("run", str(model), "--engine", "http", "--no-record", "--store", str(store))
        await server.has_received.wait()
        os.kill(running.pid, signal.SIGKILL)
        assert await running.ended() == -signal.SIGKILL
        again = Command("alerts", "send", "--store", str(store))
        assert await again.ended() == 0, again.said
    assert len(server.received) == 2
    assert len(set(server.names)) == 1
