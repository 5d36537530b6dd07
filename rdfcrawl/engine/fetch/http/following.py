"""How much a request over plain HTTP may take, and what is asked on its way.

Whoever makes requests knows these; the library that sends them is imported with the fetcher.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.fetch.session import Glance, Submission


@dataclass(frozen=True, slots=True)
class RequestBounds:
    """How much one request may take; a larger body is ``cut`` at its bound, or else a problem."""

    redirects: int
    body_bytes: int
    cut: bool = False
    glance: Glance | None = None


@dataclass(frozen=True, slots=True)
class Following:
    """What is asked on the way: before a redirect is followed, and before a large body is held.

    ``sent`` is a form that is sent first; nothing is archived that is not ``recorded``.
    """

    led_to: Callable[[str], Awaitable[None]] | None = None
    room: Callable[[], Awaitable[None]] | None = None
    sent: Submission | None = None
    recorded: bool = True
