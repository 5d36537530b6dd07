"""A run tells what it has found out, and ends as it would without that, whatever becomes of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.alert.messengers.outcome import Fate
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Silent
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import check_text
from rdfcrawl.rdf.ntriples import split, term_text
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunState
from tests.commands import Command
from tests.mail_server import MailServer, mail_server
from tests.thing_site import thing_site

OPTIONS = RunOptions(engine=Engine.HTTP, record=False)
ALERT = """
@prefix alert: <alert://> .
<model:> :alert [ :on alert:added , alert:problem ; :to <mailto:me@books.example> ] .
"""


class Told(Silent):
    """Keeps its notices."""

    def __init__(self) -> None:
        self.notices: list[str] = []

    def notice(self, text: str) -> None:
        self.notices.append(text)


def use(server: MailServer, monkeypatch: pytest.MonkeyPatch, **more: str) -> None:
    for name, value in server.environment(**more).items():
        monkeypatch.setenv(name, value)


async def test_a_run_tells_what_is_new_and_what_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Problems of the first run are news, its objects are not; the same problem is no news again."""
    model, store = tmp_path / "things.ttl", tmp_path / "store"
    async with mail_server() as server, thing_site() as site:
        use(server, monkeypatch)
        site.links = ["/missing"]
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        first = await api.run(model, store=store, options=OPTIONS)
        assert [one.mail["Subject"] for one in server.received] == ["rdfcrawl: problem: gone on page:thing"]
        site.things += 1
        second = await api.run(model, store=store, options=OPTIONS)
        third = await api.run(model, store=store, options=OPTIONS)
    assert [done.alerts.count(Fate.SENT) for done in (first, second, third)] == [1, 1, 0]
    assert server.received[1].mail["Subject"] == "rdfcrawl: added: Thing 3"
    assert f"{site.address}/thing/3" in server.received[1].mail.as_string()


async def test_who_is_told_is_not_published(tmp_path: Path) -> None:
    """The copy of the model that the record of a run has in RDF is without alerts; the folder has all of it."""
    model, store = tmp_path / "things.ttl", tmp_path / "store"
    async with thing_site() as site:
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        done = await api.run(model, store=store, options=OPTIONS)
    runs, run = open_store(store).runs, done.report.record.id
    assert "me@books.example" in runs.model(run).read_text(encoding="utf-8")
    record = runs.record_graph(run).read_text(encoding="utf-8")
    (said,) = (split(line)[2] for line in record.splitlines() if "<predicate://record/turtle>" in line)
    published = check_text(term_text(said), "published.ttl").model
    assert published is not None
    assert (published.digest, published.alerts) == (done.report.record.model.digest, ())
    assert "me@books.example" not in record


async def test_a_server_that_is_down_is_a_notice_and_the_next_run_tells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run is complete, its exit code is that of a run without alerts, and its report says what waits."""
    model, store, report = tmp_path / "things.ttl", tmp_path / "store", tmp_path / "report.json"
    run = ("run", str(model), "--engine", "http", "--no-record", "--store", str(store), "--report", str(report))
    async with thing_site() as site:
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        async with mail_server() as server:
            use(server, monkeypatch)
            assert await Command(*run).ended() == 0
        site.things += 1
        failing = Command(*run)
        assert await failing.ended() == 0, failing.said
        assert "1 alert waits for mailto:me@books.example: " in failing.said
        (told,) = json.loads(report.read_text())["alerts"]
        assert (told["to"], told["state"]) == ("mailto:me@books.example", "waits")
        listing = Command("alerts", "--store", str(store))
        assert await listing.ended() == 0
        assert "waits" in listing.printed
        assert "rdfcrawl: added: Thing 3" in listing.printed
        async with mail_server() as server:
            use(server, monkeypatch)
            sending = Command("alerts", "send", "--store", str(store))
            assert await sending.ended() == 1
            assert "nothing is due; 1 waits" in sending.printed
            assert server.received == []
            everything = Command("alerts", "send", "--all", "--store", str(store))
            assert await everything.ended() == 0
            assert everything.printed == "1 alert was sent\n"
            assert len(server.received) == 1


async def test_a_refused_recipient_is_a_problem_in_the_servers_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The run ends with the exit code of problems, and is complete."""
    model, store = tmp_path / "things.ttl", tmp_path / "store"
    run = ("run", str(model), "--engine", "http", "--no-record", "--store", str(store))
    async with mail_server() as server, thing_site() as site:
        use(server, monkeypatch)
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        assert await Command(*run).ended() == 0
        site.things += 1
        server.refusals["me@books.example"] = "550 5.1.1 no such user here"
        refused = Command(*run)
        assert await refused.ended() == 1
        assert "1 alert was refused for mailto:me@books.example: 550 5.1.1 no such user here." in refused.said
        listing = Command("alerts", "--format", "json", "--store", str(store))
        await listing.ended()
    (one,) = json.loads(listing.printed)
    assert (one["state"], one["tries"], one["said"]) == ("refused", 1, "550 5.1.1 no such user here")


async def test_a_run_says_at_its_beginning_what_will_have_to_wait(tmp_path: Path) -> None:
    """And is not kept from anything."""
    model, watcher = tmp_path / "things.ttl", Told()
    async with thing_site() as site:
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        done = await api.run(model, store=tmp_path / "store", options=OPTIONS, observer=watcher)
    assert done.report.record.state is RunState.COMPLETE
    assert watcher.notices == ["alerts will have to wait: RDFCRAWL_SMTP_HOST is not set: it names the mail server"]


async def test_a_variable_that_models_do_not_get_is_refused_before_the_first_request(tmp_path: Path) -> None:
    """As for headers and cookies."""
    model = tmp_path / "things.ttl"
    async with thing_site() as site:
        alert = ALERT.replace("<mailto:me@books.example>", '"apprise:env:HOME"')
        model.write_text(site.turtle() + alert, encoding="utf-8")
        with pytest.raises(
            UsageError, match="an alert asks for the environment variable HOME, which models do not get"
        ):
            await api.run(model, store=tmp_path / "store", options=OPTIONS)
        assert site.log == []


async def test_an_outbox_that_is_damaged_does_not_keep_a_run_from_ending(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is a notice, at the beginning and at the end."""
    model, store, watcher = tmp_path / "things.ttl", tmp_path / "store", Told()
    async with mail_server() as server, thing_site() as site:
        use(server, monkeypatch)
        model.write_text(site.turtle() + ALERT, encoding="utf-8")
        await api.run(model, store=store, options=OPTIONS)
        (store / "alerts.sqlite").write_bytes(b"damaged" * 1000)
        done = await api.run(model, store=store, options=OPTIONS, observer=watcher)
    assert done.report.record.state is RunState.COMPLETE
    assert len(watcher.notices) == 2
    assert all("is damaged" in notice for notice in watcher.notices)


async def test_a_test_message_goes_to_every_recipient(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each once, also if several alerts name it; one that does not arrive is an exit code."""
    model = tmp_path / "things.ttl"
    async with mail_server() as server, thing_site() as site:
        use(server, monkeypatch)
        more = "<model:> :alert [ :on alert:changed ; :to <mailto:me@books.example> , <mailto:you@books.example> ] ."
        model.write_text(f"{site.turtle()}{ALERT}{more}", encoding="utf-8")
        server.refusals["you@books.example"] = "550 5.1.1 no such user here"
        trying = Command("alerts", "test", str(model))
        assert await trying.ended() == 1
    assert trying.printed.splitlines() == [
        "mailto:me@books.example: arrived: 127.0.0.1 took it",
        "mailto:you@books.example: did not arrive: 550 5.1.1 no such user here",
    ]
    (received,) = server.received
    assert "rdfcrawl alerts test has sent this" in received.mail.as_string()


async def test_without_anything_to_list_that_is_said(tmp_path: Path) -> None:
    """A store without alerts, and a store that is not there."""
    async with thing_site() as site:
        await api.run(site.model(tmp_path), store=tmp_path / "store", options=OPTIONS)
    listing = Command("alerts", "--store", str(tmp_path / "store"))
    assert await listing.ended() == 0
    assert (listing.printed, listing.said) == ("", "There were no alerts yet.\n")
    assert not (tmp_path / "store" / "alerts.sqlite").exists()
    missing = Command("alerts", "--store", str(tmp_path / "other"))
    assert await missing.ended() == 2
