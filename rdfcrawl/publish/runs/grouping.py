"""Changes as pages list them: by class, and in a class by object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.changes import PublishedChange
from rdfcrawl.publish.data.objects import class_of
from rdfcrawl.publish.data.schema import Schema
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.publish.web.presentation import Showing, ShownChange

_MODEL, _ELSEWHERE = "the model", "elsewhere"


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Changes of objects of one class; ``total`` also counts those that are on other pages."""

    name: str
    href: str | None
    total: int
    changes: Sequence[ShownChange]


@dataclass(frozen=True, slots=True)
class PlacedChange:
    """A change, and the predicate that leads to the objects of the class that it is about, if there is one."""

    change: PublishedChange
    item: str | None

    @classmethod
    def of(cls, snapshot: Snapshot, change: PublishedChange) -> PlacedChange:
        """Find out the class of the object that a change is about."""
        if change.model:
            return cls(change, None)
        if change.target:
            return cls(change, change.predicate)
        found = class_of(snapshot, change.subject)
        return cls(change, found.predicate if found else None)


def grouped(showing: Showing, changes: Sequence[PublishedChange], start: int, stop: int) -> list[ChangeGroup]:
    """A part of the changes in groups: the classes as the start page has them, the model at the end."""
    schema = showing.snapshot.schema
    placed = [PlacedChange.of(showing.snapshot, change) for change in changes]
    placed.sort(key=lambda one: _place(schema, one))
    totals = Counter(_name(schema, one) for one in placed)
    found = []
    for name, group in groupby(placed[start:stop], key=lambda one: _name(schema, one)):
        several = list(group)
        item = several[0].item
        href = showing.addresses.object_class(item) if item in schema.classes and item else None
        found.append(ChangeGroup(name, href, totals[name], [showing.change(one.change) for one in several]))
    return found


def _name(schema: Schema, placed: PlacedChange) -> str:
    if placed.change.model:
        return _MODEL
    return schema.name_of(placed.item) if placed.item else _ELSEWHERE


def _place(schema: Schema, placed: PlacedChange) -> tuple[int, bool, str, str, str, str]:
    """The model and what has no class last; then by the names of classes, objects and properties."""
    change, item = placed.change, placed.item
    rank = 2 if change.model else 1 if item is None else 0
    shown = schema.classes.get(item) if item else None
    about = change.target or change.subject
    return rank, not (shown and shown.top), _name(schema, placed), item or "", about, change.predicate or ""
