"""Events become messages: one for each, or a digest; each has a name that is the same whenever it is made again."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, field
from typing import Any, Final

from rdfcrawl.alert.events.event import KEY_BYTES, Event
from rdfcrawl.alert.events.gathering import AlertEvents
from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.alerts.recipients import Recipient
from rdfcrawl.metamodel.model import Alert

MOST_SINGLE: Final = 20
"""Above so many events of a run, an alert sends a digest, whether or not it was asked for."""
MOST_TOLD: Final = 10_000
"""A digest has so many events at most; it says how many there are."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a message says: some of ``total`` events of a run, and the texts of pages by their address."""

    run: int
    source: str
    events: tuple[Event, ...]
    total: int
    digest: bool = False
    edited: bool = False
    texts: Mapping[str, str] = field(default_factory=dict)

    def packed(self) -> bytes:
        """The content as the outbox keeps it."""
        return zlib.compress(json.dumps(asdict(self), ensure_ascii=False).encode(errors="replace"))

    @classmethod
    def unpacked(cls, content: bytes) -> Content:
        """What ``packed`` has made."""
        values: dict[str, Any] = json.loads(zlib.decompress(content))
        return cls(**{**values, "events": tuple(map(Event.from_json, values["events"]))})


@dataclass(frozen=True, slots=True)
class Message:
    """Something to be sent to one recipient (as ``:to`` has it); ``keys`` are the events that it tells of.

    ``secret`` is the variable with whose value a webhook is signed.
    """

    id: str
    to: str
    content: Content
    keys: frozenset[bytes] = frozenset()
    secret: str | None = None

    @property
    def recipient(self) -> Recipient:
        """Whom it is for."""
        return Recipient.parse(self.to)


def messages_of(
    found: Iterable[AlertEvents], store: str, run: int, source: str, texts: Mapping[str, str]
) -> Iterator[Message]:
    """The messages for the events of alerts; ``store`` is the name of the store.

    Nobody is told of an event twice: of several alerts with one recipient the first tells. A row that two queries have
    in common is told for both, because it means something else each time.
    """
    told: dict[str, set[bytes]] = {}
    for one in found:
        for to in one.alert.to:
            known = told.setdefault(to, set())
            left = one if one.alert.query is not None else without_known(one, known)
            for message in _to_one(left, to, store, run, source, texts):
                known |= message.keys
                yield message


def _to_one(
    found: AlertEvents, to: str, store: str, run: int, source: str, texts: Mapping[str, str]
) -> Iterator[Message]:
    """The messages of an alert for one recipient: each event, or a digest."""
    alert, events = found.alert, found.events
    if not events:
        return
    is_digest = alert.digest or found.edited or len(events) > MOST_SINGLE
    for group in (events,) if is_digest else tuple((event,) for event in events):
        told = {event.about: texts[event.about] for event in group[:MOST_SINGLE] if event.about in texts}
        content = Content(run, source, group[:MOST_TOLD], len(group), is_digest, found.edited, told)
        keys = frozenset(key for event in group for key, _ in event.parts)
        yield Message(message_id(store, run, alert, keys, to), to, content, keys, alert.secret)


def message_id(store: str, run: int, alert: Alert, keys: Collection[bytes], to: str) -> str:
    """The name of a message: the same events of a run, for the same alert and recipient, always have the same."""
    said = [store, run, alert.on, alert.classes, alert.query, to, sorted(key.hex() for key in keys)]
    return hashlib.sha256(json.dumps(said).encode(errors="replace")).hexdigest()[:40]


def joined_keys(keys: Collection[bytes]) -> bytes:
    """Keys of events as one value."""
    return b"".join(sorted(keys))


def parted_keys(value: bytes) -> frozenset[bytes]:
    """The keys that ``joined_keys`` has joined."""
    return frozenset(value[start : start + KEY_BYTES] for start in range(0, len(value), KEY_BYTES))


def without_known(found: AlertEvents, known: Collection[bytes]) -> AlertEvents:
    """What of an alert's events was not told before."""
    left: Sequence[Event | None] = [event.without(known) for event in found.events]
    return AlertEvents(found.alert, tuple(event for event in left if event is not None), found.edited)
