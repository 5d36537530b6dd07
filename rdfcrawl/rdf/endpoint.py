"""Requests to a SPARQL 1.1 server: credentials, the size of answers, and what to do when there is no answer."""

from __future__ import annotations

import base64
import netrc
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import field
from http import HTTPStatus
from http.client import HTTPException, HTTPResponse, IncompleteRead
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.rdf.servers import NoAnswer, Refused

_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
_REDIRECTIONS = range(300, 400)
_LONGEST_PAUSE = 30.0
_MESSAGE_BYTES = 4096
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Credentials:
    """User and password, a token, or nothing. Never part of a model, nor of an address in a message."""

    user: str | None = None
    password: str | None = field(default=None, repr=False)
    token: str | None = field(default=None, repr=False)

    @property
    def header(self) -> str | None:
        """The value of the Authorization header."""
        if self.token:
            return f"Bearer {self.token}"
        if self.user is not None:
            return "Basic " + base64.b64encode(f"{self.user}:{self.password or ''}".encode()).decode()
        return None


NOBODY = Credentials()


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer of a server."""

    content_type: str
    body: bytes


def checked_address(address: str, variables: str) -> str:
    """Returns the address if it has no user or password: addresses are recorded and shown, passwords must not be."""
    parts = urlsplit(address)
    if "@" in parts.netloc:
        plain = urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))
        raise UsageError(f"{plain}: user and password do not belong in an address; set {who_asks(variables)}")
    return address


def who_asks(variables: str) -> str:
    """Where credentials can be set, for messages."""
    return f"{variables}_USER and {variables}_PASSWORD, {variables}_TOKEN or a netrc file"


def credentials_for(address: str, variables: str) -> Credentials:
    """The credentials for an address: from the environment variables with that prefix, else from the netrc file."""
    if token := os.environ.get(f"{variables}_TOKEN"):
        return Credentials(token=token)
    if user := os.environ.get(f"{variables}_USER"):
        return Credentials(user, os.environ.get(f"{variables}_PASSWORD"))
    try:
        entry = netrc.netrc(os.environ.get("NETRC")).authenticators(urlsplit(address).hostname or "")
    except (OSError, netrc.NetrcParseError):
        entry = None
    return Credentials(entry[0], entry[2]) if entry else NOBODY


@dataclass(frozen=True, slots=True)
class ServerAccess:
    """Sends requests; retries with growing pauses while a server is temporarily unavailable.

    ``timeout`` applies to each step of a request and to its answer as a whole. Without ``repeats_late``, a request that
    took longer is not sent again: the server may still be at work on it. ``answer_bytes`` is the largest answer that is
    read into memory.
    """

    credentials: Credentials = NOBODY
    variables: str = "RDFCRAWL_SPARQL"
    attempts: int = 6
    first_pause: float = 0.5
    timeout: float | None = 120.0
    repeats_late: bool = True
    answer_bytes: int = 64 << 20
    sleep: Callable[[float], None] = time.sleep

    def send(
        self, method: str, address: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        """Send a request that is safe to repeat."""
        pause = self.first_pause
        for attempt in range(1, self.attempts + 1):
            try:
                return self._send_once(method, address, body, headers or {})
            except urllib.error.HTTPError as error:
                with error:
                    refusal = self._refusal(method, address, error)
                if error.code not in _TEMPORARY or attempt == self.attempts:
                    raise refusal from None
                pause = _longer(pause, error.headers.get("Retry-After"))
            except (OSError, HTTPException) as error:
                reason = getattr(error, "reason", None) or error
                in_time = not isinstance(reason, TimeoutError)
                if attempt == self.attempts or not (in_time or self.repeats_late):
                    raise NoAnswer(f"{address} does not answer: {reason}", in_time) from error
            self.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        raise AssertionError("the last attempt returns or raises")

    def _send_once(self, method: str, address: str, body: bytes | None, headers: Mapping[str, str]) -> Reply:
        request = urllib.request.Request(address, data=body, headers=dict(headers), method=method)
        if header := self.credentials.header:
            request.add_unredirected_header("Authorization", header)
        try:
            return self._reply(request)
        except urllib.error.HTTPError as error:
            if error.code != HTTPStatus.UNAUTHORIZED or self.credentials.user is None:
                raise
            error.close()
        # Virtuoso wants a digest of the password, but asks for it only if the request has no Authorization header.
        request.remove_header("Authorization")
        passwords = urllib.request.HTTPPasswordMgrWithDefaultRealm()
        passwords.add_password(None, address, self.credentials.user, self.credentials.password or "")
        return self._reply(request, urllib.request.HTTPDigestAuthHandler(passwords))

    def _reply(self, request: urllib.request.Request, *handlers: urllib.request.BaseHandler) -> Reply:
        opener = urllib.request.build_opener(_StayHere, *handlers)
        with opener.open(request, timeout=self.timeout) as response:
            return Reply(response.headers.get("Content-Type") or "", self._body(request.full_url, response))

    def _body(self, address: str, response: HTTPResponse) -> bytes:
        """Reads the whole answer, within limits: a server could send without end, in large pieces or in small ones."""
        end = None if self.timeout is None else time.monotonic() + self.timeout
        body = bytearray()
        length = response.length
        while chunk := response.read1(_CHUNK if length is None else min(_CHUNK, length - len(body))):
            body += chunk
            if len(body) > self.answer_bytes:
                bound = f"{self.answer_bytes / (1 << 20):g} MiB"
                raise StoreError(f"{address} answers with more than {bound}, the limit; request less at once")
            if end is not None and time.monotonic() > end:
                raise TimeoutError(f"the answer was not complete after {self.timeout:g} seconds")
        if length is not None and len(body) < length:
            raise IncompleteRead(bytes(body), length - len(body))
        return bytes(body)

    def _refusal(self, method: str, address: str, error: urllib.error.HTTPError) -> Refused:
        if error.code in _REDIRECTIONS and (target := error.headers.get("Location")):
            return Refused(f"{address} has moved to {target}; use that address instead", error.code)
        said = first_line(error.read(_MESSAGE_BYTES))
        hint = f" (set {who_asks(self.variables)})" if error.code in (401, 403) else ""
        message = f"{address} refuses {method}: {error.code} {error.reason}{': ' + said if said else ''}{hint}"
        return Refused(message, error.code)


class _StayHere(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: it could lead to a host that must not get credentials, and it turns a POST into a GET."""

    def redirect_request(self, *_: Any) -> None:
        return None


def first_line(body: bytes) -> str:
    """The first line of an error's body that is not blank."""
    lines = (line.strip() for line in body.decode(errors="replace").splitlines())
    return next((line for line in lines if line), "")[:500]


def _longer(pause: float, retry_after: str | None) -> float:
    asked = float(retry_after) if retry_after and retry_after.isdigit() else 0.0
    return min(max(pause, asked), _LONGEST_PAUSE)
