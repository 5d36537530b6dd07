"""Mail by SMTP: encrypted, with certificates that are verified, and within limits of time."""

from __future__ import annotations

import asyncio
import re
import ssl
from contextlib import suppress
from datetime import UTC, datetime
from typing import Final

import aiosmtplib
from aiosmtplib import SMTP, SMTPException

from rdfcrawl.alert.messages.mail import mail_of
from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.messengers.outcome import Delivery, Fate, words
from rdfcrawl.alert.messengers.settings import MailSecurity, MailSettings

_REPLY_SECONDS: Final = 30.0
_MESSAGE_SECONDS: Final = 120.0
_FULL: Final = re.compile(r"\b[45]\.2\.2\b")
"""A mailbox that is full will have room some day, whichever way the server puts it."""
_CLOSING: Final = 421


class MailMessenger:
    """Hands mail in at one server, over one connection as long as that holds."""

    def __init__(
        self, settings: MailSettings, *, reply_seconds: float = _REPLY_SECONDS, seconds: float = _MESSAGE_SECONDS
    ) -> None:
        self._settings = settings
        self._reply_seconds = reply_seconds
        self._seconds = seconds
        self._connection: SMTP | None = None

    async def send(self, message: Message) -> Delivery:
        """Hand a mail in; what the server says decides what becomes of it."""
        mail = mail_of(message, self._settings.sender, datetime.now(UTC))
        is_used = self._connection is not None
        try:
            async with asyncio.timeout(self._seconds):
                connection = await self._connected()
                await connection.sendmail(self._settings.sender, [message.recipient.address], mail.as_bytes())
        except TimeoutError:
            # aiosmtplib's own timeouts are of this kind as well.
            self._drop()
            return self._outcome(Fate.WAITS, f"{self._settings.host} took too long to answer", server_fails=True)
        except (SMTPException, OSError, ssl.SSLError) as error:
            outcome = self._judged(error)
            if outcome.server_fails:
                self._drop()
            else:
                await self._reset()
            # A server may close a connection after some mails; that says nothing about the next one.
            return await self.send(message) if is_used and outcome.server_fails and _is_closed(error) else outcome
        return Delivery(Fate.SENT, f"{self._settings.host} took it")

    async def close(self) -> None:
        """End the connection."""
        if self._connection is not None:
            with suppress(SMTPException, OSError, TimeoutError):
                async with asyncio.timeout(self._reply_seconds):
                    await self._connection.quit()
        self._drop()

    async def _connected(self) -> SMTP:
        if self._connection is None:
            settings = self._settings
            made = SMTP(
                hostname=settings.host,
                port=settings.port,
                use_tls=settings.security is MailSecurity.TLS,
                start_tls=settings.security is MailSecurity.STARTTLS,
                tls_context=ssl.create_default_context(),
                timeout=self._reply_seconds,
            )
            # Kept before it is connected, so that whatever happens it is closed.
            self._connection = made
            await made.connect()
            if settings.user:
                await made.login(settings.user, settings.password)
        return self._connection

    async def _reset(self) -> None:
        """Begin anew with the next mail, on the same connection if that still works."""
        try:
            if self._connection is not None:
                await self._connection.rset()
        except (SMTPException, OSError, TimeoutError):
            self._drop()

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _judged(self, error: Exception) -> Delivery:
        if isinstance(error, aiosmtplib.SMTPRecipientsRefused) and error.recipients:
            refused = error.recipients[0]
            return self._answered(refused.code, refused.message)
        if isinstance(error, aiosmtplib.SMTPDataError):
            return self._answered(error.code, error.message)
        if isinstance(error, aiosmtplib.SMTPResponseException):
            # Before any recipient was named: who sends, or how, is the trouble.
            return self._outcome(Fate.WAITS, f"{error.code} {error.message}", server_fails=True)
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        said = reason or type(error).__name__
        if self._settings.host not in said:
            said = f"{self._settings.host}:{self._settings.port}: {said}"
        return self._outcome(Fate.WAITS, said, server_fails=True)

    def _answered(self, code: int, said: str) -> Delivery:
        """What an answer about a recipient or a mail means: 4xx may change, 5xx will not."""
        is_lasting = 500 <= code < 600 and not _FULL.search(said)
        fate = Fate.REFUSED if is_lasting else Fate.WAITS
        return self._outcome(fate, f"{code} {said}", server_fails=code == _CLOSING)

    def _outcome(self, fate: Fate, said: str, *, server_fails: bool = False) -> Delivery:
        return Delivery(fate, words(said, (self._settings.password,)), server_fails)


def _is_closed(error: Exception) -> bool:
    code = error.code if isinstance(error, aiosmtplib.SMTPResponseException) else None
    return code == _CLOSING or isinstance(error, aiosmtplib.SMTPServerDisconnected | ConnectionError)
