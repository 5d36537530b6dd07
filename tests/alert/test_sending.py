"""What waits is sent by one process at a time; what fails waits longer and longer, and nothing is sent twice."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl.alert.events.event import Event, EventKind
from rdfcrawl.alert.messages.message import Content, Message
from rdfcrawl.alert.messengers.outcome import Fate
from rdfcrawl.alert.outbox import FIRST_PAUSE, LONGEST_PAUSE, MessageState, Noted, Outbox, list_messages, open_outbox
from rdfcrawl.alert.sending import SendOptions, send_waiting
from rdfcrawl.errors import StoreError
from rdfcrawl.store.files.locks import exclusive
from rdfcrawl.store.folder import Store, open_store
from tests.mail_server import mail_server


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return open_store(tmp_path / "store")


def message(name: str, to: str = "mailto:me@books.example") -> Message:
    content = Content(1, "model.ttl", (Event(EventKind.ADDED, f"https://books.example/{name}", name),), 1)
    return Message(name, to, content, frozenset({name.encode().ljust(12)}))


def put(store: Store, *messages: Message, run: int = 1) -> None:
    with open_outbox(store.folder) as outbox:
        outbox.note(Noted(run, "", tuple((one, one.id) for one in messages)))


def states(store: Store) -> dict[str, MessageState]:
    return {one.id: one.state for one in list_messages(store.folder)}


async def test_a_message_is_sent_once(store: Store) -> None:
    """Sending again sends nothing, and noting the same again neither."""
    put(store, message("a"), message("b"))
    async with mail_server() as server:
        options = SendOptions(environment=server.environment())
        sent = await send_waiting(store, options)
        put(store, message("a"), message("b"))
        again = await send_waiting(store, replace(options, everything=True))
    assert (sent.count(Fate.SENT), again.outcomes) == (2, ())
    assert server.names == ["<a@rdfcrawl.invalid>", "<b@rdfcrawl.invalid>"]
    assert set(states(store).values()) == {MessageState.SENT}


async def test_what_fails_is_tried_again_after_a_pause(store: Store) -> None:
    """Not before, unless somebody wants everything to be tried; the server's words are kept."""
    put(store, message("a"))
    async with mail_server() as server:
        server.answers = ["451 4.3.0 try later"]
        options = SendOptions(environment=server.environment())
        await send_waiting(store, options)
        assert (await send_waiting(store, options)).outcomes == ()
        (one,) = list_messages(store.folder)
        assert (one.state, one.tries, one.said) == (MessageState.WAITING, 1, "451 4.3.0 try later")
        await send_waiting(store, replace(options, everything=True))
    (one,) = list_messages(store.folder)
    assert (one.state, one.tries) == (MessageState.SENT, 2)


def pauses(outbox: Outbox, tries: int, asked: float | None = None) -> Iterable[float]:
    for _ in range(tries):
        outbox.mark_failed("a", "no", asked)
        (one,) = outbox.listed()
        assert one.tried is not None
        yield one.due - one.tried


def test_pauses_grow_up_to_a_bound(store: Store) -> None:
    """A server may ask for a longer one, but not for ever."""
    put(store, message("a"))
    with open_outbox(store.folder) as outbox:
        found = list(pauses(outbox, 12))
        assert found[:4] == pytest.approx([FIRST_PAUSE, 2 * FIRST_PAUSE, 4 * FIRST_PAUSE, 8 * FIRST_PAUSE])
        assert found[-1] == pytest.approx(LONGEST_PAUSE)
        assert list(pauses(outbox, 1, asked=10 * LONGEST_PAUSE)) == pytest.approx([LONGEST_PAUSE])


async def test_a_refused_recipient_is_not_tried_again_by_itself(store: Store) -> None:
    """Others are told; when the mailbox is there, everything can be tried."""
    put(store, message("a"), message("b", "mailto:you@books.example"))
    async with mail_server() as server:
        server.refusals["me@books.example"] = "550 5.1.1 no such user"
        options = SendOptions(environment=server.environment())
        sent = await send_waiting(store, options)
        assert (sent.count(Fate.REFUSED), sent.count(Fate.SENT)) == (1, 1)
        assert (await send_waiting(store, options)).outcomes == ()
        server.refusals.clear()
        await send_waiting(store, replace(options, everything=True))
    assert set(states(store).values()) == {MessageState.SENT}


async def test_a_server_that_is_down_is_asked_once_for_all_messages(store: Store) -> None:
    """They all wait, and know why."""
    put(store, *(message(str(number)) for number in range(30)))
    async with mail_server() as server:
        server.answers = ["drop"]
        sent = await send_waiting(store, SendOptions(environment=server.environment()))
    assert sent.count(Fate.WAITS) == 30
    assert server.connections == 1
    assert {one.tries for one in list_messages(store.folder)} == {1}


async def test_settings_that_are_missing_let_messages_wait(store: Store) -> None:
    """They say which variable is missing."""
    put(store, message("a"), message("b", "apprise:env:RDFCRAWL_SECRET_CHAT"))
    await send_waiting(store, SendOptions(environment={}))
    assert [one.said for one in list_messages(store.folder)] == [
        "RDFCRAWL_SMTP_HOST is not set: it names the mail server",
        "the environment variable RDFCRAWL_SECRET_CHAT is not set",
    ]


async def test_one_process_sends_at_a_time(store: Store) -> None:
    """The other one says so, and sends nothing."""
    put(store, message("a"))
    async with mail_server() as server:
        with exclusive(store.folder / "alerts.lock", wait=0) as mine:
            assert mine
            sent = await send_waiting(store, SendOptions(environment=server.environment()))
    assert (sent.busy, server.received) == (True, [])


async def test_two_that_send_at_once_do_not_send_twice(store: Store) -> None:
    """Whoever comes second finds nothing, or leaves it to the first."""
    put(store, *(message(str(number)) for number in range(10)))
    async with mail_server() as server:
        options = SendOptions(environment=server.environment())
        await asyncio.gather(*(send_waiting(store, options) for _ in range(3)))
    assert sorted(server.names) == sorted({f"<{number}@rdfcrawl.invalid>" for number in range(10)})


async def test_what_others_put_in_while_something_is_sent_is_sent_as_well(store: Store) -> None:
    """They have left it to whoever was sending."""
    put(store, message("a"))
    async with mail_server() as server:
        sending = asyncio.create_task(send_waiting(store, SendOptions(environment=server.environment())))
        await server.has_received.wait()
        put(store, message("b"), run=2)
        sent = await sending
    assert sent.count(Fate.SENT) == 2
    assert server.names == ["<a@rdfcrawl.invalid>", "<b@rdfcrawl.invalid>"]


async def test_when_the_time_is_up_the_rest_waits_as_it_is(store: Store) -> None:
    """It has not been tried."""
    put(store, message("a"), message("b"))
    async with mail_server() as server:
        sent = await send_waiting(store, SendOptions(environment=server.environment(), seconds=0.0))
    assert (sent.outcomes, sent.left, server.received) == ((), 2, [])
    assert {one.tries for one in list_messages(store.folder)} == {0}


async def test_services_are_reached_through_apprise(store: Store) -> None:
    """Whether it was taken is known; the address is a secret, and nothing of it is kept."""
    from aiohttp import web

    from tests.serving import serving

    got: list[dict[str, object]] = []

    async def receive(request: web.Request) -> web.Response:
        got.append(await request.json())
        return web.Response(status=500 if len(got) == 1 else 200)

    put(store, message("a", "apprise:env:RDFCRAWL_SECRET_CHAT"))
    async with serving(receive) as address:
        place = address.replace("http://", "json://user:chat-token@") + "/hook"
        options = SendOptions(environment={"RDFCRAWL_SECRET_CHAT": place}, everything=True)
        first, second = await send_waiting(store, options), await send_waiting(store, options)
    assert (first.count(Fate.WAITS), second.count(Fate.SENT)) == (1, 1)
    assert got[1]["title"] == "rdfcrawl: added: a"
    assert "chat-token" not in repr((first, second, list_messages(store.folder)))
    assert b"chat-token" not in (store.folder / "alerts.sqlite").read_bytes()


async def test_an_address_that_apprise_does_not_know_is_not_shown(
    store: Store, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not even in a log."""
    put(store, message("a", "apprise:env:RDFCRAWL_SECRET_CHAT"))
    await send_waiting(store, SendOptions(environment={"RDFCRAWL_SECRET_CHAT": "slack://chat-token"}))
    (one,) = list_messages(store.folder)
    assert one.said == "RDFCRAWL_SECRET_CHAT holds no address that Apprise knows"
    assert "chat-token" not in caplog.text + "".join(capfd.readouterr())


def test_an_outbox_that_is_damaged_is_named(store: Store) -> None:
    """With what can be done; listing and sending say the same."""
    (store.folder / "alerts.sqlite").write_bytes(b"no database at all, but long enough to be read as one" * 30)
    for use in (list_messages, open_outbox):
        with pytest.raises(StoreError, match=r"is damaged .* move it away"):
            use(store.folder)


async def test_a_fault_of_our_own_costs_a_message_a_try_and_nothing_else(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Other servers get theirs; what the fault says may contain a secret and is not kept."""

    async def broken(*_: object) -> None:
        raise TypeError("chat-token")

    monkeypatch.setattr("rdfcrawl.alert.messengers.services.AppriseMessenger.send", broken)
    put(store, message("a", "apprise:env:RDFCRAWL_SECRET_CHAT"), message("b"))
    async with mail_server() as server:
        sent = await send_waiting(store, SendOptions(environment=server.environment()))
    assert (sent.count(Fate.WAITS), sent.count(Fate.SENT)) == (1, 1)
    assert [one.said for one in list_messages(store.folder)] == ["internal: TypeError", "127.0.0.1 took it"]
