"""The changes of a run become events: objects that were added, changed or removed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import groupby
from typing import Final

from rdfcrawl.alert.events.event import Event, EventKind, Fact
from rdfcrawl.alert.events.values import facts_of, shown, values_in
from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import term_text
from rdfcrawl.versioning.changes import ChangeKind, ObjectChange, PropertyChange
from rdfcrawl.versioning.compare import Comparison
from rdfcrawl.versioning.report import Report, ReportedChange

DESCRIBED: Final = 1000
"""So many objects that came or went are described; of the others only their names are told."""

_CERTAIN: Final = (ChangeKind.ADDED, ChangeKind.CHANGED, ChangeKind.REMOVED)
_OF_OBJECTS: Final = {ChangeKind.ADDED: EventKind.ADDED, ChangeKind.REMOVED: EventKind.REMOVED}


def change_events(
    report: Report, comparison: Comparison, known_sections: Collection[str], prefixes: Mapping[str, str]
) -> list[Event]:
    """The events of a report. What was only not seen, or is suspected, is none; nor is a section's first content."""
    objects = [entry for entry in report.entries if _is_event(entry, known_sections)]
    come, gone = (
        values_in(state, _described(objects, kind))
        for state, kind in ((comparison.new, ChangeKind.ADDED), (comparison.old, ChangeKind.REMOVED))
    )
    events = [_object_event(entry, come, gone, prefixes) for entry in objects]
    return [*events, *_replacements(report.entries, prefixes), *_value_events(report.entries, prefixes)]


def _is_event(entry: ReportedChange, known_sections: Collection[str]) -> bool:
    if not isinstance(entry.change, ObjectChange) or entry.change.kind not in _OF_OBJECTS:
        return False
    is_first = entry.section is not None and entry.section[1:-1] not in known_sections
    return not (is_first and entry.change.kind is ChangeKind.ADDED)


def _described(entries: Iterable[ReportedChange], kind: ChangeKind) -> list[str]:
    names = (
        entry.change.object for entry in entries if isinstance(entry.change, ObjectChange) and entry.change.kind is kind
    )
    return list(dict.fromkeys(names))[:DESCRIBED]


def _object_event(
    entry: ReportedChange,
    come: Mapping[str, Mapping[str, list[str]]],
    gone: Mapping[str, Mapping[str, list[str]]],
    prefixes: Mapping[str, str],
) -> Event:
    change = entry.change
    assert isinstance(change, ObjectChange)
    is_gone = change.kind is ChangeKind.REMOVED
    facts = facts_of((gone if is_gone else come).get(change.object, {}), prefixes, gone=is_gone)
    return Event(_OF_OBJECTS[change.kind], change.object[1:-1], _title(entry), change.predicate[1:-1], facts)


def _replacements(entries: Iterable[ReportedChange], prefixes: Mapping[str, str]) -> Iterator[Event]:
    for entry in entries:
        if entry.replaced_by is not None:
            facts = tuple(_fact(change, prefixes) for change in entry.replaced_by.changes)
            item = entry.change.predicate[1:-1]
            yield Event(EventKind.CHANGED, entry.replaced_by.object[1:-1], _title(entry), item, facts)


def _value_events(entries: Iterable[ReportedChange], prefixes: Mapping[str, str]) -> Iterator[Event]:
    """One event for each object, however many of its values are different."""
    changed = [entry for entry in entries if isinstance(entry.change, PropertyChange) and entry.change.kind in _CERTAIN]
    for subject, group in groupby(sorted(changed, key=lambda entry: entry.change.subject), _subject):
        about = list(group)
        facts = tuple(_fact(entry.change, prefixes) for entry in about if isinstance(entry.change, PropertyChange))
        item = (about[0].item or "<>")[1:-1]
        yield Event(EventKind.CHANGED, subject[1:-1], _title(about[0]), item, facts)


def _subject(entry: ReportedChange) -> str:
    return entry.change.subject


def _fact(change: PropertyChange, prefixes: Mapping[str, str]) -> Fact:
    name = change.predicate[1:-1]
    return Fact(shorten(name, prefixes), name, tuple(map(shown, change.old)), tuple(map(shown, change.new)))


def _title(entry: ReportedChange) -> str:
    return term_text(entry.label) if entry.label else ""
