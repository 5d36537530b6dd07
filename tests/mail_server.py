"""A real mail server on a free port of this machine, which fails as a test wants it to."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from pathlib import Path

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

USER, PASSWORD = "crawler@books.example", "pass word 123"


@dataclass(slots=True)
class Received:
    """A mail that the server has seen in full, whether or not it took it."""

    to: list[str]
    mail: EmailMessage
    is_encrypted: bool
    user: str | None


@dataclass(slots=True)
class MailServer:
    """A running server. ``refusals`` answer to recipients, ``answers`` to mails, one after the other.

    An answer ``drop`` closes the connection after the mail was received, ``never`` says nothing any more.
    """

    port: int = 0
    received: list[Received] = field(default_factory=list)
    refusals: dict[str, str] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    connections: int = 0
    has_received: asyncio.Event = field(default_factory=asyncio.Event)

    def environment(self, security: str = "none", **more: str) -> dict[str, str]:
        """The variables that name this server."""
        said = {"HOST": "127.0.0.1", "PORT": str(self.port), "SECURITY": security, "FROM": "crawler@books.example"}
        return {f"RDFCRAWL_SMTP_{name}": value for name, value in (said | more).items()}

    @property
    def names(self) -> list[str]:
        """The Message-IDs of all mails, in their order."""
        return [one.mail["Message-ID"] for one in self.received]

    async def handle_EHLO(  # noqa: N802 - aiosmtpd calls it so
        self, server: SMTP, session: Session, envelope: Envelope, hostname: str, responses: list[str]
    ) -> list[str]:
        session.host_name = hostname
        return responses

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address in self.refusals:
            return self.refusals[address]
        envelope.rcpt_tos.append(address)
        return "250 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        assert isinstance(envelope.content, bytes)
        mail = message_from_bytes(envelope.content, policy=default)
        user = session.auth_data.login.decode() if session.auth_data else None
        self.received.append(Received(list(envelope.rcpt_tos), mail, session.ssl is not None, user))
        self.has_received.set()
        answer = self.answers.pop(0) if self.answers else "250 OK"
        if answer == "drop":
            assert server.transport is not None
            server.transport.abort()
        elif answer == "never":
            await asyncio.Event().wait()
        return answer


@asynccontextmanager
async def mail_server(
    context: ssl.SSLContext | None = None, *, is_tls: bool = False, login: bool = False
) -> AsyncIterator[MailServer]:
    """Serve mail, with STARTTLS where there is a ``context``, or encrypted from the beginning."""
    running = MailServer()

    def authenticated(server: SMTP, session: Session, envelope: Envelope, mechanism: str, data: object) -> AuthResult:
        assert isinstance(data, LoginPassword)
        is_right = (data.login.decode(), data.password.decode()) == (USER, PASSWORD)
        return AuthResult(success=is_right, handled=is_right, auth_data=data)

    def made() -> SMTP:
        running.connections += 1
        return SMTP(
            running,
            hostname="mail.example",
            loop=asyncio.get_running_loop(),
            tls_context=None if is_tls else context,
            require_starttls=context is not None and not is_tls,
            authenticator=authenticated if login else None,
            auth_required=login,
            auth_require_tls=not is_tls,
        )

    server = await asyncio.get_running_loop().create_server(made, "127.0.0.1", 0, ssl=context if is_tls else None)
    running.port = server.sockets[0].getsockname()[1]
    try:
        yield running
    finally:
        server.close()


def certificate(folder: Path) -> tuple[Path, ssl.SSLContext]:
    """A certificate of this machine that nobody else has signed, and what a server shows of it."""
    key, made = folder / "key.pem", folder / "certificate.pem"
    command = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    command += ["-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    subprocess.run([*command, "-keyout", key, "-out", made], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made, key)
    return made, context
