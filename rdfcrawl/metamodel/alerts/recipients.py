"""Who can be told: mail addresses, webhooks, and the services of Apprise."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.forms import ENVIRONMENT

APPRISE: Final = "apprise:"
_ATOM: Final = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_MAILBOX: Final = re.compile(rf"{_ATOM}(?:\.{_ATOM})*@([^\s@.,;:<>()\[\]\"\\]+(?:\.[^\s@.,;:<>()\[\]\"\\]+)*)")
_VARIABLE: Final = re.compile(r"apprise:env:[A-Za-z_][A-Za-z0-9_]*")
_LONGEST_MAILBOX: Final = 254


class BadRecipient(ValueError):
    """Something that nothing can be sent to; ``advice`` says what would be right."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.advice = advice


class Channel(StrEnum):
    """How something is sent."""

    MAIL = "mail"
    WEBHOOK = "webhook"
    APPRISE = "apprise"


@dataclass(frozen=True, slots=True)
class Recipient:
    """Who is told: a mail address, the address of a webhook, or the variable that holds an address of Apprise."""

    way: Channel
    address: str
    subject: str | None = None
    """What a ``mailto:`` address says about the subject."""

    @classmethod
    def parse(cls, text: str) -> Recipient:
        """The recipient that a value of ``:to`` means; raises ``BadRecipient``."""
        scheme = text.partition(":")[0].lower()
        if scheme == "mailto":
            return _mail(text)
        if scheme == "https":
            return _webhook(text)
        if scheme == "http":
            raise BadRecipient("a webhook must be encrypted", f"write <https:{text[5:]}>")
        if text.startswith(APPRISE):
            if not _VARIABLE.fullmatch(text):
                advice = 'name the variable that holds the address of the service: "apprise:env:RDFCRAWL_SECRET_CHAT"'
                raise BadRecipient("this names no variable", advice)
            return cls(Channel.APPRISE, text.removeprefix(APPRISE + ENVIRONMENT))
        if _MAILBOX.fullmatch(text):
            raise BadRecipient("this is no recipient", f"write it as an address: <mailto:{text}>")
        advice = 'write <mailto:me@example.org>, <https://example.org/hook> or "apprise:env:RDFCRAWL_SECRET_CHAT"'
        raise BadRecipient("this is no recipient", advice)


def _mail(text: str) -> Recipient:
    parts = urlsplit(text)
    mailbox = unquote(parts.path, errors="replace")
    match = _MAILBOX.fullmatch(mailbox)
    try:
        domain = match[1].encode("idna").decode() if match else ""
    except UnicodeError:
        domain = ""
    if not match or not domain or len(mailbox) > _LONGEST_MAILBOX or not mailbox.isprintable():
        raise BadRecipient("this is no mail address", "write one address: <mailto:me@example.org>")
    named = parse_qsl(parts.query, keep_blank_values=True)
    if any(name.lower() != "subject" for name, _ in named) or len(named) > 1:
        raise BadRecipient("a mail address can have a subject only", "write <mailto:me@example.org?subject=News>")
    local = mailbox.rpartition("@")[0]
    return Recipient(Channel.MAIL, f"{local}@{domain}", " ".join(named[0][1].split()) if named else None)


def _webhook(text: str) -> Recipient:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host = None
    if not host:
        raise BadRecipient("this is no address", "write the address of the webhook: <https://example.org/hook>")
    if "@" in parts.netloc:
        advice = 'leave it out; a webhook can be signed: :secret "env:RDFCRAWL_SECRET_HOOK"'
        raise BadRecipient("the address has a user or password in it", advice)
    return Recipient(Channel.WEBHOOK, text)
