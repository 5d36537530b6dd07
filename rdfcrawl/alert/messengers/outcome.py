"""What became of a message, and what a messenger is."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from typing import Final, Protocol

from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.messages.wording import cut, one_line
from rdfcrawl.dataclass import dataclass

_LONGEST_WORDS: Final = 300


class Fate(Enum):
    """What became of a message."""

    SENT = "sent"
    """The server took it."""
    WAITS = "waits"
    """It is worth another try."""
    REFUSED = "refused"
    """The server will never take it as it is."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """What became of a message, with the server's own words.

    ``server_fails`` says that the server itself is the trouble, so that others need not be tried now; ``pause`` is
    how many seconds it asked for.
    """

    fate: Fate
    said: str = ""
    server_fails: bool = False
    pause: float | None = None


class Messenger(Protocol):
    """Delivers messages to one server."""

    async def send(self, message: Message) -> Delivery:
        """Deliver a message, or say why not; nothing that a server does is an exception."""
        ...

    async def close(self) -> None:
        """Say goodbye."""
        ...


def words(said: str, secrets: Iterable[str] = ()) -> str:
    """What a server said, in one line, and without secrets that it may have repeated."""
    for secret in secrets:
        if secret:
            said = said.replace(secret, "***")
    return cut(one_line(said), _LONGEST_WORDS)
