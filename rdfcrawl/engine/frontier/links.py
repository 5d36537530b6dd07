"""The pages that a run is led to: by its sections, by lists that go on, by links."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.frontier.entries import Outcome
from rdfcrawl.metamodel.model import Section


class QueuedLink(NamedTuple):
    """A page to be queued: which page leads to it, in which section and level, and which part of which list it is."""

    follow: Follow
    source: int
    section: int
    level: int = 0
    list: int | None = None
    part: int = 0
    list_address: str | None = None


def starts_of(sections: Sequence[Section], params: Mapping[str, Sequence[str]] | None) -> list[QueuedLink]:
    """The start pages; ``params`` are those that are removed from the addresses of a page."""
    cleaned = [clean_address(section.address, (params or {}).get(section.page, ())) for section in sections]
    return [
        QueuedLink(Follow(section.page, section.address, key, section.address), 0, number)
        for number, (section, key) in enumerate(zip(sections, cleaned, strict=True))
    ]


def links_of(outcome: Outcome) -> Iterator[QueuedLink]:
    """What a page leads to; before all else, where its list goes on: while its pages are read, the list continues."""
    entry = outcome.entry
    if outcome.next_part is not None:
        place = entry.list, entry.part + 1, outcome.list_address
        yield QueuedLink(outcome.next_part, entry.id, entry.section, entry.level, *place)
    for follow in outcome.follows:
        yield QueuedLink(follow, entry.id, entry.section, entry.level)
