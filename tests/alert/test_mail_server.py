"""Mail is handed in at a real server, encrypted and logged in; whatever it does, what became of a mail is known."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rdfcrawl.alert.events.event import Event, EventKind
from rdfcrawl.alert.messages.message import Content, Message
from rdfcrawl.alert.messengers.mail import MailMessenger
from rdfcrawl.alert.messengers.outcome import Delivery, Fate
from rdfcrawl.alert.messengers.settings import MailSecurity, MailSettings
from rdfcrawl.errors import UsageError
from tests.mail_server import PASSWORD, USER, MailServer, certificate, mail_server

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl makes the certificate")


def message(name: str = "1", to: str = "mailto:me@books.example") -> Message:
    content = Content(1_700_000_000, "model.ttl", (Event(EventKind.ADDED, "https://books.example/1", "Momo"),), 1)
    return Message(name, to, content)


async def sent(
    server: MailServer, *messages: Message, security: str = "none", seconds: float = 30.0, **more: str
) -> list[Delivery]:
    """What becomes of messages that are handed in one after the other."""
    messenger = MailMessenger(MailSettings.of(server.environment(security, **more)), seconds=seconds)
    try:
        return [await messenger.send(one) for one in messages]
    finally:
        await messenger.close()


async def test_mails_go_over_one_connection_under_their_own_names() -> None:
    """The server took both, and each is for its recipient."""
    async with mail_server() as server:
        outcomes = await sent(server, message("1"), message("2", "mailto:you@books.example"))
    assert [outcome.fate for outcome in outcomes] == [Fate.SENT, Fate.SENT]
    assert [one.to for one in server.received] == [["me@books.example"], ["you@books.example"]]
    assert server.names == ["<1@rdfcrawl.invalid>", "<2@rdfcrawl.invalid>"]
    assert server.connections == 1


@needs_openssl
@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_login_is_encrypted(security: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With STARTTLS and with TLS, once the certificate is known."""
    trusted, context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    async with mail_server(context, is_tls=security == "tls", login=True) as server:
        (outcome,) = await sent(server, message(), security=security, USER=USER, PASSWORD=PASSWORD)
    assert outcome == Delivery(Fate.SENT, "127.0.0.1 took it")
    assert [(one.is_encrypted or security == "tls", one.user) for one in server.received] == [(True, USER)]


@needs_openssl
@pytest.mark.parametrize("security", ["starttls", "tls"])
async def test_a_certificate_that_nobody_has_signed_is_refused(security: str, tmp_path: Path) -> None:
    """Nothing is said to such a server."""
    _, context = certificate(tmp_path)
    async with mail_server(context, is_tls=security == "tls", login=True) as server:
        (outcome,) = await sent(server, message(), security=security, USER=USER, PASSWORD=PASSWORD)
    assert outcome.fate is Fate.WAITS
    assert "certificate verify failed" in outcome.said
    assert server.received == []


async def test_a_server_without_encryption_is_not_used_where_it_is_wanted() -> None:
    """There is no way back to plain text."""
    async with mail_server() as server:
        (outcome,) = await sent(server, message(), security="starttls", USER=USER, PASSWORD=PASSWORD)
    assert outcome.fate is Fate.WAITS
    assert outcome.server_fails
    assert "STARTTLS" in outcome.said
    assert server.received == []


@needs_openssl
async def test_a_wrong_password_waits_and_is_told_to_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It may be set right; nothing that is kept repeats it."""
    trusted, context = certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(trusted))
    async with mail_server(context, login=True) as server:
        (outcome,) = await sent(server, message(), security="starttls", USER=USER, PASSWORD="guessed-word")
    assert (outcome.fate, outcome.server_fails) == (Fate.WAITS, True)
    assert outcome.said.startswith("535 ")
    assert "guessed-word" not in repr(
        (outcome, MailSettings.of(server.environment("tls", USER="a@b", PASSWORD="guessed-word")))
    )


async def test_a_server_that_repeats_the_password_does_not_have_it_kept() -> None:
    """What it says is cleaned first."""
    settings = MailSettings("127.0.0.1", 25, MailSecurity.TLS, "a@b.example", USER, PASSWORD)
    assert MailMessenger(settings)._outcome(Fate.WAITS, f"no {PASSWORD} here").said == "no *** here"


@pytest.mark.parametrize(
    ("answer", "fate"),
    [
        ("550 5.1.1 no such user", Fate.REFUSED),
        ("452 4.2.2 mailbox full", Fate.WAITS),
        ("552 5.2.2 mailbox full", Fate.WAITS),
        ("450 4.7.1 greylisted", Fate.WAITS),
    ],
)
async def test_a_recipient_that_is_refused_does_not_concern_the_others(answer: str, fate: Fate) -> None:
    """The server's words are kept, and the next mail goes over the same connection."""
    async with mail_server() as server:
        server.refusals["me@books.example"] = answer
        refused, other = await sent(server, message("1"), message("2", "mailto:you@books.example"))
    assert refused == Delivery(fate, answer)
    assert other.fate is Fate.SENT
    assert server.connections == 1


@pytest.mark.parametrize(
    ("answer", "fate"), [("554 5.7.1 looks like spam", Fate.REFUSED), ("451 4.3.0 try later", Fate.WAITS)]
)
async def test_a_mail_can_be_refused_when_it_was_read(answer: str, fate: Fate) -> None:
    """For good, or for now."""
    async with mail_server() as server:
        server.answers = [answer]
        outcomes = await sent(server, message("1"), message("2"))
    assert outcomes[0] == Delivery(fate, answer)
    assert outcomes[1].fate is Fate.SENT


async def test_a_connection_that_drops_after_the_mail_leaves_it_waiting() -> None:
    """Nobody knows whether it was taken, so it is sent again, under the same name."""
    async with mail_server() as server:
        server.answers = ["drop"]
        (first,) = await sent(server, message())
        (second,) = await sent(server, message())
    assert (first.fate, first.server_fails) == (Fate.WAITS, True)
    assert second.fate is Fate.SENT
    assert server.names == ["<1@rdfcrawl.invalid>"] * 2


async def test_a_server_that_ends_the_connection_after_some_mails_gets_a_new_one() -> None:
    """That is no failure."""
    async with mail_server() as server:
        server.answers = ["250 OK", "421 4.7.0 too many messages on this connection"]
        outcomes = await sent(server, message("1"), message("2"))
    assert [outcome.fate for outcome in outcomes] == [Fate.SENT, Fate.SENT]
    assert server.connections == 2


async def test_a_server_that_never_answers_ends_by_the_time_limit() -> None:
    """The mail waits."""
    async with mail_server() as server:
        server.answers = ["never"]
        (outcome,) = await sent(server, message(), seconds=0.3)
    assert outcome == Delivery(Fate.WAITS, "127.0.0.1 took too long to answer", server_fails=True)


async def test_a_server_that_is_down_is_named() -> None:
    """With what the system says."""
    async with mail_server() as server:
        pass
    (outcome,) = await sent(server, message())
    assert (outcome.fate, outcome.server_fails) == (Fate.WAITS, True)
    assert "127.0.0.1" in outcome.said
    assert str(server.port) in outcome.said


@pytest.mark.parametrize(
    ("said", "message_start"),
    [
        ({}, "RDFCRAWL_SMTP_HOST is not set"),
        ({"HOST": "h"}, "RDFCRAWL_SMTP_FROM is not set"),
        ({"HOST": "h", "FROM": "me"}, "RDFCRAWL_SMTP_FROM is no mail address"),
        ({"HOST": "h", "FROM": "a@b.example", "PORT": "x"}, "RDFCRAWL_SMTP_PORT is not the number of a port"),
        ({"HOST": "h", "FROM": "a@b.example", "SECURITY": "ssl"}, "RDFCRAWL_SMTP_SECURITY must be one of"),
        ({"HOST": "h", "FROM": "a@b.example", "USER": "a"}, "RDFCRAWL_SMTP_USER and RDFCRAWL_SMTP_PASSWORD belong"),
        (
            {"HOST": "h", "FROM": "a@b.example", "USER": "a", "PASSWORD": "b", "SECURITY": "none"},
            "RDFCRAWL_SMTP_SECURITY is none: a password is not sent",
        ),
    ],
)
def test_settings_that_make_no_sense_are_named(said: dict[str, str], message_start: str) -> None:
    """By the variable that is to be mended, never with the value of a secret."""
    with pytest.raises(UsageError, match=f"^{message_start}"):
        MailSettings.of({f"RDFCRAWL_SMTP_{name}": value for name, value in said.items()})


def test_the_port_follows_the_encryption_and_the_other_way_round() -> None:
    """587 with STARTTLS, 465 with TLS."""
    said = {"RDFCRAWL_SMTP_HOST": "h", "RDFCRAWL_SMTP_USER": "a@b.example", "RDFCRAWL_SMTP_PASSWORD": "c"}
    usual = MailSettings.of(said)
    assert (usual.port, usual.security, usual.sender) == (587, MailSecurity.STARTTLS, "a@b.example")
    assert MailSettings.of(said | {"RDFCRAWL_SMTP_SECURITY": "tls"}).port == 465
    assert MailSettings.of(said | {"RDFCRAWL_SMTP_PORT": "465"}).security is MailSecurity.TLS
