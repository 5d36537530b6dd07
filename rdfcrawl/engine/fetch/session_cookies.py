"""The cookies of a session, as they go from one engine to the other and from one start of a run to the next."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final
from urllib.parse import quote_plus

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.fetch.session import Body, Exchange, Recorder, ReferringRecorder

_SESSION_HEADERS: Final = frozenset(("cookie", "set-cookie", "cookie2", "set-cookie2"))


@dataclass(frozen=True, slots=True)
class StoredCookie:
    """A cookie: its value must be shown to nobody but its host, so it is not part of the representation."""

    name: str
    value: str
    domain: str
    path: str = "/"
    secure: bool = False
    host_only: bool = True

    def __repr__(self) -> str:
        return f"StoredCookie({self.name} of {self.domain})"


def from_browser(cookies: Iterable[Mapping[str, Any]], host: str) -> list[StoredCookie]:
    """The cookies of a browser that are meant for a host."""
    found = []
    for cookie in cookies:
        said = str(cookie["domain"]).lower()
        domain = said.lstrip(".")
        if host == domain or host.endswith(f".{domain}"):
            path, is_secure = str(cookie.get("path") or "/"), bool(cookie.get("secure"))
            is_host_only = not said.startswith(".")
            found.append(StoredCookie(str(cookie["name"]), str(cookie["value"]), domain, path, is_secure, is_host_only))
    return found


def for_browser(cookie: StoredCookie) -> Any:
    """A cookie as a browser takes it."""
    domain = cookie.domain if cookie.host_only else f".{cookie.domain}"
    return {
        "name": cookie.name,
        "value": cookie.value,
        "domain": domain,
        "path": cookie.path,
        "secure": cookie.secure,
    }


class DiscreetRecorder:
    """Records without the cookies of sessions, and without the values that forms take from the environment."""

    def __init__(self, recorder: ReferringRecorder, values: Mapping[str, str]) -> None:
        """``values`` are the secret ones, by the names that stand in the archive instead."""
        self._recorder = recorder
        self._hidden = [
            (as_sent(value), as_sent(name)) for name, value in values.items() for as_sent in (quote_plus, str)
        ]

    def record(self, exchange: Exchange) -> None:
        """Keep what is nobody's secret."""
        self._recorder.record(self._discreet(exchange))

    def held(self, digest: str) -> Body | None:
        """Where a body is kept."""
        return self._recorder.held(digest)

    def record_unchanged(self, exchange: Exchange, digest: str, body: Body) -> None:
        """Keep what is nobody's secret of an answer whose body is held already."""
        self._recorder.record_unchanged(self._discreet(exchange), digest, body)

    def _discreet(self, exchange: Exchange) -> Exchange:
        headers = tuple(header for header in exchange.headers if header[0].lower() not in _SESSION_HEADERS)
        asked = {
            name: value for name, value in exchange.request_headers.items() if name.lower() not in _SESSION_HEADERS
        }
        body = exchange.request_body
        for value, name in self._hidden:
            if body is not None:
                body = body.replace(value.encode(), name.encode())
            asked = {header: said.replace(value, name) for header, said in asked.items()}
        return replace(exchange, headers=headers, request_headers=asked, request_body=body)


def discreet(recorder: Recorder | None, values: Mapping[str, str], *, has_session: bool) -> Recorder | None:
    """The recorder of a run, which keeps its secrets if it has any."""
    if isinstance(recorder, ReferringRecorder) and (values or has_session):
        return DiscreetRecorder(recorder, values)
    return recorder
