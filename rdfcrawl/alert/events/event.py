"""An event: something that a run has found out and the run before had not."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from enum import StrEnum
from hashlib import blake2b
from typing import Any, Final

from rdfcrawl.dataclass import dataclass

KEY_BYTES: Final = 12


class EventKind(StrEnum):
    """What has happened; but for a row of a query, the value is the local name of what ``:on`` says."""

    FOUND = "found"
    ADDED = "added"
    CHANGED = "changed"
    REMOVED = "removed"
    PROBLEM = "problem"
    ROW = "row"


@dataclass(frozen=True, slots=True)
class Fact:
    """A value of what an event is about: the texts that only one side has, or all there is to say.

    ``name`` is for people, ``property`` is the predicate, or the variable of a query.
    """

    name: str
    property: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Event:
    """What happened to ``about``, an address or the name of an object; ``item`` is the class of that object."""

    kind: EventKind
    about: str
    title: str = ""
    item: str = ""
    facts: tuple[Fact, ...] = ()

    @property
    def parts(self) -> Iterator[tuple[bytes, Fact | None]]:
        """What of it can be known already, by a key: each changed value on its own, else the whole."""
        if self.kind is EventKind.CHANGED:
            for fact in self.facts:
                yield key_of(self.kind, self.about, fact.property), fact
        elif self.kind is EventKind.ROW:
            said = (f"{fact.property}={text}" for fact in self.facts for text in fact.after)
            yield key_of(self.kind, *said), None
        elif self.kind is EventKind.PROBLEM:
            # A page can have several, and most are not about one page.
            yield key_of(self.kind, self.about, self.title), None
        else:
            yield key_of(self.kind, self.about), None

    def without(self, known: Collection[bytes]) -> Event | None:
        """The event without what is known already, if anything is left of it."""
        new = [fact for key, fact in self.parts if key not in known]
        if not new:
            return None
        return replace(self, facts=tuple(fact for fact in new if fact)) if self.kind is EventKind.CHANGED else self

    @property
    def label(self) -> str:
        """What people call it."""
        return self.title or self.about

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Event:
        """The event that ``dataclasses.asdict`` has taken apart."""
        facts = tuple(
            Fact(fact["name"], fact["property"], tuple(fact["before"]), tuple(fact["after"]))
            for fact in values["facts"]
        )
        return cls(EventKind(values["kind"]), values["about"], values["title"], values["item"], facts)


def key_of(*parts: str) -> bytes:
    """A short name of some texts, which no others have."""
    made = blake2b(digest_size=KEY_BYTES)
    for part in parts:
        encoded = part.encode(errors="replace")
        made.update(len(encoded).to_bytes(8, "big") + encoded)
    return made.digest()
