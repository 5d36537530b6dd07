"""Requests to a SPARQL 1.1 server: where its endpoints are, who asks, and what to do when it does not answer."""

from __future__ import annotations

import base64
import netrc
import os
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException
from urllib.parse import urlsplit

from rdfcrawl.errors import StoreError

_TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
_LONGEST_PAUSE = 30.0
_WHO_ASKS = "RDFCRAWL_SPARQL_USER and RDFCRAWL_SPARQL_PASSWORD, RDFCRAWL_SPARQL_TOKEN or a netrc file"
_GRAPHDB = "/repositories/"


@dataclass(frozen=True, slots=True)
class Endpoints:
    """Where a server takes queries, updates and, if it has that, whole graphs."""

    query: str
    update: str
    graphs: str | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who asks: user and password, a token, or nobody. Never part of a model or of an address in a message."""

    user: str | None = None
    password: str | None = None
    token: str | None = None

    @property
    def header(self) -> str | None:
        """The value of the Authorization header."""
        if self.token:
            return f"Bearer {self.token}"
        if self.user is not None:
            return "Basic " + base64.b64encode(f"{self.user}:{self.password or ''}".encode()).decode()
        return None


class Refused(StoreError):
    """A server said no; ``status`` is how."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def is_address(location: str) -> bool:
    """Whether a store's location is a server rather than a folder."""
    return location.startswith(("http://", "https://"))


def endpoints_of(address: str) -> Endpoints:
    """The endpoints of a server, as the usual servers lay them out; the environment can name others.

    Known are Oxigraph (``…/query``, or the bare host), Fuseki (``…/DATASET/query`` or ``/sparql``), GraphDB and RDF4J
    (``…/repositories/NAME``) and Virtuoso (``…/sparql``).
    """
    address = address.rstrip("/")
    parent, _, last = address.rpartition("/")
    has_dataset = urlsplit(parent).path.strip("/") != ""
    if _GRAPHDB in urlsplit(address).path:
        found = Endpoints(address, f"{address}/statements", f"{address}/rdf-graphs/service")
    elif last in ("query", "sparql") and has_dataset:
        found = Endpoints(address, f"{parent}/update", f"{parent}/data")
    elif last == "query":
        found = Endpoints(address, f"{parent}/update", f"{parent}/store")
    elif last == "sparql":
        found = Endpoints(address, address, f"{parent}/sparql-graph-crud-auth")
    else:
        found = Endpoints(f"{address}/query", f"{address}/update", f"{address}/store")
    update = os.environ.get("RDFCRAWL_UPDATE_URL") or found.update
    return Endpoints(found.query, update, os.environ.get("RDFCRAWL_GRAPH_STORE_URL") or found.graphs)


def credentials_for(address: str) -> Credentials:
    """Who asks at that address: from the environment, else from the netrc file."""
    if token := os.environ.get("RDFCRAWL_SPARQL_TOKEN"):
        return Credentials(token=token)
    if user := os.environ.get("RDFCRAWL_SPARQL_USER"):
        return Credentials(user, os.environ.get("RDFCRAWL_SPARQL_PASSWORD"))
    try:
        entry = netrc.netrc(os.environ.get("NETRC")).authenticators(urlsplit(address).hostname or "")
    except (OSError, netrc.NetrcParseError):
        entry = None
    return Credentials(entry[0], entry[2]) if entry else Credentials()


@dataclass(frozen=True, slots=True)
class Access:
    """Sends requests; tries again, with growing pauses, when a server is only out of order for a while."""

    credentials: Credentials
    attempts: int = 6
    first_pause: float = 0.5
    timeout: float = 120.0
    sleep: Callable[[float], None] = time.sleep

    def send(self, method: str, address: str, body: bytes | None = None, content_type: str | None = None) -> None:
        """Send a request that may be sent twice."""
        pause = self.first_pause
        for attempt in range(1, self.attempts + 1):
            try:
                self._send_once(method, address, body, content_type)
                return
            except urllib.error.HTTPError as error:
                with error:
                    refusal = _refusal(method, address, error)
                if error.code not in _TEMPORARY or attempt == self.attempts:
                    raise refusal from None
                pause = _longer(pause, error.headers.get("Retry-After"))
            except (OSError, HTTPException) as error:
                if attempt == self.attempts:
                    reason = getattr(error, "reason", None) or error
                    raise StoreError(f"{address} does not answer: {reason}") from error
            self.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)

    def _send_once(self, method: str, address: str, body: bytes | None, content_type: str | None) -> None:
        request = urllib.request.Request(address, data=body, method=method)
        if content_type:
            request.add_header("Content-Type", content_type)
        if header := self.credentials.header:
            # A redirection may lead to another host, which must not get them.
            request.add_unredirected_header("Authorization", header)
        with urllib.request.urlopen(request, timeout=self.timeout) as response:
            response.read()


def first_line(body: bytes) -> str:
    """The first line of an error's body that says something."""
    lines = (line.strip() for line in body.decode(errors="replace").splitlines())
    return next((line for line in lines if line), "")[:500]


def _refusal(method: str, address: str, error: urllib.error.HTTPError) -> Refused:
    said = first_line(error.read(4096))
    hint = ""
    if error.code in (401, 403):
        hint = f" ({_WHO_ASKS} say who asks)"
    message = f"{address} refuses {method}: {error.code} {error.reason}{': ' + said if said else ''}{hint}"
    return Refused(message, error.code)


def _longer(pause: float, retry_after: str | None) -> float:
    asked = float(retry_after) if retry_after and retry_after.isdigit() else 0.0
    return min(max(pause, asked), _LONGEST_PAUSE)
