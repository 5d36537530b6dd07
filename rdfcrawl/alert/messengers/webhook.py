"""Webhooks: a message as JSON, signed, sent to where the model says and nowhere else."""

from __future__ import annotations

import hashlib
import hmac
import json
import ssl
from collections.abc import Mapping
from typing import Final

import aiohttp

from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.messages.wording import payload_of
from rdfcrawl.alert.messengers.outcome import Delivery, Fate, words
from rdfcrawl.engine.fetch.guard import AddressGuard
from rdfcrawl.engine.fetch.http.resolver import GuardedResolver
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.secrets import secret_value
from rdfcrawl.errors import UsageError
from rdfcrawl.version import VERSION

SIGNATURE: Final = "X-Hub-Signature-256"
MESSAGE: Final = "Rdfcrawl-Message"
_SECONDS: Final = 30.0
_ANSWER_BYTES: Final = 2000
_MAY_PASS: Final = (408, 425, 429)


class WebhookMessenger:
    """Posts messages to webhooks; ``environment`` holds the secrets that models may name."""

    def __init__(
        self,
        guard: AddressGuard,
        environment: Mapping[str, str],
        *,
        seconds: float = _SECONDS,
    ) -> None:
        self._guard = guard
        self._environment = environment
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(resolver=GuardedResolver(guard), ssl=ssl.create_default_context()),
            timeout=aiohttp.ClientTimeout(total=seconds),
            cookie_jar=aiohttp.DummyCookieJar(),
            # A proxy of the environment would be asked instead of the address that was checked.
            trust_env=False,
        )

    async def send(self, message: Message) -> Delivery:
        """Post a message; an answer that it was taken is any of the 200s."""
        body = json.dumps(payload_of(message), ensure_ascii=False).encode(errors="replace")
        headers = {"Content-Type": "application/json", "User-Agent": f"rdfcrawl/{VERSION}", MESSAGE: message.id}
        secret = ""
        try:
            if message.secret is not None:
                secret = secret_value(message.secret, self._environment)
                headers[SIGNATURE] = signature(secret, body)
            self._guard.check(message.to)
            async with self._session.post(message.to, data=body, headers=headers, allow_redirects=False) as answer:
                said = (await answer.content.read(_ANSWER_BYTES)).decode(errors="replace")
                return _judged(answer, words(f"{answer.status} {answer.reason or ''} {said}", (secret,)))
        except UsageError as error:
            return Delivery(Fate.WAITS, str(error))
        except (TimeoutError, aiohttp.ClientError, FetchFailed, OSError, ValueError) as error:
            said = str(error) or ("it took too long to answer" if isinstance(error, TimeoutError) else "no answer")
            return Delivery(Fate.WAITS, words(said, (secret,)), server_fails=True)

    async def close(self) -> None:
        """Close the connections."""
        await self._session.close()


def signature(secret: str, body: bytes) -> str:
    """The value of the header by which a receiver recognises that a message is ours."""
    return f"sha256={hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()}"


def _judged(answer: aiohttp.ClientResponse, said: str) -> Delivery:
    status = answer.status
    if 200 <= status < 300:
        return Delivery(Fate.SENT, said)
    if 300 <= status < 400:
        return Delivery(Fate.REFUSED, f"{said} (redirects are not followed)")
    if status < 500 and status not in _MAY_PASS:
        return Delivery(Fate.REFUSED, said)
    asked = answer.headers.get("Retry-After", "")
    return Delivery(
        Fate.WAITS, said, server_fails=True, pause=float(asked) if asked.isascii() and asked.isdigit() else None
    )
