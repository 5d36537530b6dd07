"""Where mail is handed in, as the environment says; neither a model nor the store knows any of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.alerts.recipients import BadRecipient, Recipient

PREFIX: Final = "RDFCRAWL_SMTP_"
HOST: Final = f"{PREFIX}HOST"


class MailSecurity(StrEnum):
    """How the connection to a mail server is encrypted."""

    STARTTLS = "starttls"
    """Before anything else is said; a server that cannot is not used."""
    TLS = "tls"
    """From the beginning."""
    NONE = "none"
    """Not at all; then nobody logs in."""


_PORTS: Final = {MailSecurity.STARTTLS: 587, MailSecurity.TLS: 465, MailSecurity.NONE: 25}


@dataclass(frozen=True, slots=True)
class MailSettings:
    """A mail server, and who sends there."""

    host: str
    port: int
    security: MailSecurity
    sender: str
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> MailSettings:
        """What the environment says; raises ``UsageError`` with what is missing or wrong."""
        said = {
            name: environment.get(PREFIX + name, "").strip()
            for name in ("HOST", "PORT", "SECURITY", "USER", "PASSWORD", "FROM")
        }
        if not said["HOST"]:
            raise UsageError(f"{HOST} is not set: it names the mail server")
        security = _security(said["SECURITY"], said["PORT"])
        if security is MailSecurity.NONE and (said["USER"] or said["PASSWORD"]):
            raise UsageError(
                f"{PREFIX}SECURITY is none: a password is not sent over a connection that is not encrypted"
            )
        if bool(said["USER"]) != bool(said["PASSWORD"]):
            raise UsageError(f"{PREFIX}USER and {PREFIX}PASSWORD belong together; one of them is not set")
        return cls(said["HOST"], _port(said["PORT"], security), security, _sender(said), said["USER"], said["PASSWORD"])


def _security(said: str, port: str) -> MailSecurity:
    if not said:
        return MailSecurity.TLS if port == str(_PORTS[MailSecurity.TLS]) else MailSecurity.STARTTLS
    try:
        return MailSecurity(said.lower())
    except ValueError:
        raise UsageError(f"{PREFIX}SECURITY must be one of {', '.join(MailSecurity)}") from None


def _port(said: str, security: MailSecurity) -> int:
    if not said:
        return _PORTS[security]
    if not said.isascii() or not said.isdigit() or not 0 < int(said) < 65536:
        raise UsageError(f"{PREFIX}PORT is not the number of a port")
    return int(said)


def _sender(said: Mapping[str, str]) -> str:
    given = said["FROM"] or (said["USER"] if "@" in said["USER"] else "")
    if not given:
        raise UsageError(f"{PREFIX}FROM is not set: it is the address that mails come from")
    try:
        return Recipient.parse(f"mailto:{given}").address
    except BadRecipient:
        raise UsageError(f"{PREFIX}FROM is no mail address") from None
