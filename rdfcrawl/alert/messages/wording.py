"""What a message says, in plain text: its subject, its lines, and for programs its JSON."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.messages.message import Content, Message
from rdfcrawl.rdf.graphs import run_iri

MOST_SHOWN: Final = 200
"""So many events are in the text of a digest; the others are in a table beside it."""

_LONGEST_SUBJECT: Final = 150
_LONGEST_VALUE: Final = 500
_UNSEEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]+")
_PLURALS: Final = {EventKind.PROBLEM: "problems", EventKind.ROW: "new rows"}
_HEADINGS: Final = {EventKind.ROW: "new row"}


def subject_of(content: Content, prefix: str | None = None) -> str:
    """The subject of a message, in one line, whatever the titles of pages contain."""
    if content.digest:
        said = counts_of(content)
    else:
        event = content.events[0]
        said = f"{heading(event)}: {event.label}"
    return cut(one_line(f"{prefix or 'rdfcrawl'}: {said}"), _LONGEST_SUBJECT)


def counts_of(content: Content) -> str:
    """How many events of each kind there are."""
    if content.total > len(content.events):
        return f"{content.total:,} events"
    counts = Counter(event.kind for event in content.events)
    return ", ".join(f"{count:,} {_counted(kind, count)}" for kind, count in counts.items())


def _counted(kind: EventKind, count: int) -> str:
    if count == 1:
        return _HEADINGS.get(kind, kind.value)
    return _PLURALS.get(kind, kind.value)


def heading(event: Event) -> str:
    """What kind of event it is."""
    return _HEADINGS.get(event.kind, event.kind.value)


def text_of(content: Content) -> str:
    """The text of a message."""
    return "\n".join(_lines(content)) + "\n"


def _lines(content: Content) -> Iterator[str]:
    if content.digest:
        yield f"{counts_of(content)}."
        yield ""
    for event in content.events[:MOST_SHOWN]:
        yield f"{heading(event)}: {one_line(event.label)}"
        if event.about and event.about != event.label:
            yield f"  {one_line(event.about)}"
        for fact in event.facts:
            yield f"  {one_line(fact.name)}: {fact_text(fact, event.kind)}"
        yield ""
    yield from footer(content)


def footer(content: Content) -> Iterator[str]:
    """Where it comes from, and what is not in it."""
    if content.total > MOST_SHOWN:
        listed = f"events.csv has {'all' if content.total == len(content.events) else f'{len(content.events):,}'}"
        yield f"{MOST_SHOWN:,} of {content.total:,} events are shown here; {listed}."
    if content.edited:
        yield "The model was edited since the run before; some of this may be new because of that."
    source = f" of {one_line(content.source)}" if content.source else ""
    yield f"Run {content.run}{source}, begun {datetime.fromtimestamp(content.run, UTC):%Y-%m-%d %H:%M} UTC."


def fact_text(fact: Fact, kind: EventKind) -> str:
    """A value, or what it was and what it is now."""
    before, after = (
        " · ".join(cut(one_line(text), _LONGEST_VALUE) for text in side) for side in (fact.before, fact.after)
    )
    if before and after:
        return f"{before} → {after}"
    return f"{before} → –" if before and kind is EventKind.CHANGED else before or after


def payload_of(message: Message) -> dict[str, Any]:
    """The message for programs: what a webhook gets."""
    content = message.content
    return {
        "id": message.id,
        "to": message.to,
        "run": run_iri(content.run),
        "model": content.source,
        "total": content.total,
        "digest": content.digest,
        "modelEdited": content.edited,
        "events": [_event_json(event, content.texts.get(event.about)) for event in content.events],
    }


def _event_json(event: Event, text: str | None) -> dict[str, Any]:
    said: dict[str, Any] = {
        "event": event.kind.value,
        "about": event.about,
        "title": event.title,
        "class": event.item,
        "values": [
            {"property": fact.property, "before": list(fact.before), "after": list(fact.after)} for fact in event.facts
        ],
    }
    return said if text is None else {**said, "text": text}


def one_line(text: str) -> str:
    """A text without line ends and what else would not be seen."""
    return " ".join(_UNSEEN.sub(" ", text).split())


def cut(text: str, length: int) -> str:
    """A text that is not longer than there is room."""
    return text if len(text) <= length else f"{text[: length - 1]}…"
