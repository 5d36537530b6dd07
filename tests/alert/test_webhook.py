"""Webhooks get signed JSON, at the address that the model names and at no other."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import shutil
import ssl
from collections.abc import Callable
from pathlib import Path

import pytest
from aiohttp import web

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.messages.message import Content, Message
from rdfcrawl.alert.messengers.outcome import Delivery, Fate
from rdfcrawl.alert.messengers.webhook import WebhookMessenger
from rdfcrawl.engine.fetch.guard import AddressGuard
from tests.mail_server import certificate
from tests.serving import Answer, serving

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")
SECRET = {"RDFCRAWL_SECRET_HOOK": "quite-secret"}


@pytest.fixture
def context(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate of this machine that is trusted."""
    trusted, made = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    return made


def message(to: str, secret: str | None = None) -> Message:
    facts = (Fact("book:price", "property://book/price", ("9.90",), ("7.50",)),)
    event = Event(EventKind.CHANGED, "https://library.example/a", "Mömo", "item://book", facts)
    return Message("abc", to, Content(1_700_000_000, "model.ttl", (event,), 1), secret=secret)


async def sent(
    to: str, *, secret: str | None = None, homes: tuple[str, ...] = (), private: bool = True, seconds: float = 20.0
) -> Delivery:
    messenger = WebhookMessenger(AddressGuard(homes, allow_private=private), SECRET, seconds=seconds)
    try:
        return await messenger.send(message(to, secret))
    finally:
        await messenger.close()


async def outcome_of(answer: Answer, context: ssl.SSLContext, seconds: float = 20.0) -> Delivery:
    async with serving(answer, context=context) as address:
        return await sent(f"{address}/hook", seconds=seconds)


async def test_a_receiver_can_check_who_has_sent_it(context: ssl.SSLContext) -> None:
    """The signature is that of the body, which has the address that it was meant for."""
    got: list[tuple[str, bytes, dict[str, str]]] = []

    async def receive(request: web.Request) -> web.Response:
        got.append((request.method, await request.read(), dict(request.headers)))
        return web.Response(text="thanks")

    async with serving(receive, context=context) as address:
        outcome = await sent(f"{address}/hook", secret="env:RDFCRAWL_SECRET_HOOK")
    assert outcome == Delivery(Fate.SENT, "200 OK thanks")
    ((method, body, headers),) = got
    made = hmac.new(b"quite-secret", body, hashlib.sha256).hexdigest()
    assert (method, headers["X-Hub-Signature-256"], headers["Rdfcrawl-Message"]) == ("POST", f"sha256={made}", "abc")
    said = json.loads(body)
    assert (said["id"], said["to"], said["run"]) == ("abc", f"{address}/hook", "run://1700000000")
    assert said["events"] == [
        {
            "event": "changed",
            "about": "https://library.example/a",
            "title": "Mömo",
            "class": "item://book",
            "values": [{"property": "property://book/price", "before": ["9.90"], "after": ["7.50"]}],
        }
    ]


async def test_without_a_secret_nothing_is_signed(context: ssl.SSLContext) -> None:
    """One that is not set is not replaced by none: the message waits."""
    got: list[dict[str, str]] = []

    async def receive(request: web.Request) -> web.Response:
        got.append(dict(request.headers))
        return web.Response()

    async with serving(receive, context=context) as address:
        await sent(f"{address}/hook")
        outcome = await sent(f"{address}/hook", secret="env:RDFCRAWL_SECRET_OTHER")
    assert ["X-Hub-Signature-256" in headers for headers in got] == [False]
    assert outcome == Delivery(Fate.WAITS, "the environment variable RDFCRAWL_SECRET_OTHER is not set")


def answering(status: int, text: str = "", **headers: str) -> Answer:
    async def answer(_: web.Request) -> web.Response:
        return web.Response(
            status=status, text=text, headers={name.replace("_", "-"): value for name, value in headers.items()}
        )

    return answer


@pytest.mark.parametrize(
    ("answer", "fate", "pause"),
    [
        (answering(204), Fate.SENT, None),
        (answering(400, "what is this?"), Fate.REFUSED, None),
        (answering(410), Fate.REFUSED, None),
        (answering(429, Retry_After="700"), Fate.WAITS, 700.0),
        (answering(503, Retry_After="Fri, 17 May 2024 12:00:00 GMT"), Fate.WAITS, None),
        (answering(500), Fate.WAITS, None),
    ],
    ids=["204", "400", "410", "429", "503", "500"],
)
async def test_the_status_decides(answer: Answer, fate: Fate, pause: float | None, context: ssl.SSLContext) -> None:
    """What may change is tried again, as late as the server wants it."""
    outcome = await outcome_of(answer, context)
    assert (outcome.fate, outcome.pause) == (fate, pause)
    if "what is this" in outcome.said:
        assert outcome.said == "400 Bad Request what is this?"


async def test_redirects_are_not_followed(context: ssl.SSLContext) -> None:
    """What is meant for one address is not sent to another."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response(status=307, headers={"Location": "/elsewhere"})

    outcome = await outcome_of(answer, context)
    assert outcome.fate is Fate.REFUSED
    assert "redirects are not followed" in outcome.said
    assert asked == ["/hook"]


async def test_an_answer_without_end_is_read_in_part(context: ssl.SSLContext) -> None:
    """What is kept of it is one short line, without the secret that it repeats."""

    async def answer(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(status=400)
        await response.prepare(request)
        while True:
            await response.write(b"quite-secret\n\x1b[31m" * 100)

    async with serving(answer, context=context) as address:
        outcome = await sent(f"{address}/hook", secret="env:RDFCRAWL_SECRET_HOOK")
    assert outcome.fate is Fate.REFUSED
    assert "quite-secret" not in outcome.said
    assert outcome.said.isprintable()
    assert len(outcome.said) <= 300


async def test_a_receiver_that_never_answers_ends_by_the_time_limit(context: ssl.SSLContext) -> None:
    """The message waits."""

    async def answer(_: web.Request) -> web.Response:
        await asyncio.Event().wait()
        raise AssertionError

    outcome = await outcome_of(answer, context, seconds=0.3)
    assert (outcome.fate, outcome.server_fails) == (Fate.WAITS, True)


async def test_a_certificate_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    """Nothing is sent."""
    _, unknown = certificate(tmp_path)
    outcome = await outcome_of(answering(200), unknown)
    assert outcome.fate is Fate.WAITS
    assert "certificate verify failed" in outcome.said.lower()


@pytest.mark.parametrize("name", [lambda a: a, lambda a: a.replace("127.0.0.1", "localhost")], ids=["address", "name"])
async def test_private_networks_are_closed_unless_somebody_opens_them(
    name: Callable[[str], str], context: ssl.SSLContext
) -> None:
    """A section there opens its own host, as for pages."""
    asked: list[str] = []

    async def answer(request: web.Request) -> web.Response:
        asked.append(request.path)
        return web.Response()

    async with serving(answer, context=context) as address:
        closed = await sent(name(f"{address}/hook"), private=False)
        assert asked == []
        opened = await sent(f"{address}/hook", private=False, homes=(f"{address}/list",))
    assert closed.fate is Fate.WAITS
    assert "private network" in closed.said
    assert opened.fate is Fate.SENT
