"""A report of changes as readable lines, coloured if the terminal supports colours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from rich.text import Text

from rdfcrawl.cli.console import counted
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.names import shorten
from rdfcrawl.rdf.ntriples import term_text
from rdfcrawl.versioning.changes import ChangeKind, PropertyChange
from rdfcrawl.versioning.models import ModelChange, ModelPart
from rdfcrawl.versioning.pairing.words import PieceKind, in_brackets
from rdfcrawl.versioning.report import Report, ReportedChange
from rdfcrawl.versioning.sites import SiteChange, site_changes
from rdfcrawl.versioning.suspicion.wording import in_words

MARKS = {
    ChangeKind.ADDED: ("+", "green"),
    ChangeKind.CHANGED: ("~", "yellow"),
    ChangeKind.REMOVED: ("-", "red"),
    ChangeKind.REPLACED: ("±", "yellow"),
    ChangeKind.UNOBSERVED: ("?", "cyan"),
    ChangeKind.SUSPECTED: ("!", "magenta"),
}
_SITE_MARKS: Mapping[SiteChange | None, tuple[str, str]] = {
    SiteChange.BROKEN: ("✗", "red"),
    SiteChange.REPAIRED: ("✓", "green"),
}
_LONGEST_VALUE = 120
_PIECE_COLOURS = {PieceKind.BOTH: "", PieceKind.OLD: "red", PieceKind.NEW: "green"}


def report_lines(report: Report, prefixes: Mapping[str, str]) -> Iterator[Text]:
    """The changes by section, class and object, then the edits of the model, then the counts."""
    before = ", ".join(run_iri(run) for run in report.old_runs) or "nothing"
    yield Text(f"{before} → {run_iri(report.new_run)}", "bold")
    for (section, item), group in groupby(report.entries, key=lambda entry: (entry.section, entry.item)):
        yield Text()
        heading = Text(section[1:-1] if section else "elsewhere", "bold")
        if item:
            heading.append(f"  {shorten(item[1:-1], prefixes)}", "bold blue")
        yield heading
        yield from _class_lines(list(group), prefixes)
    if report.suspicions:
        yield Text()
        yield Text("suspected, not removed", "bold")
        for suspicion in report.suspicions:
            yield Text("  ! ", "magenta") + Text(in_words(suspicion, prefixes))
    if report.edits:
        yield Text()
        yield Text("model", "bold")
        for edit in report.edits:
            yield _edit_line(edit, prefixes)
    yield Text()
    yield Text(str(report.summary()))


def values_text(change: PropertyChange, prefixes: Mapping[str, str]) -> Text:
    """A property with its old and new values; of a long text that was changed, the words that differ."""
    text = Text(shorten(change.predicate[1:-1], prefixes))
    text.append(": ")
    if pieces := change.words:
        for piece in pieces:
            text.append(" ".join(in_brackets([piece]).split("\n")), _PIECE_COLOURS[piece.kind])
        return text
    text.append(_values(change.old), "red")
    if change.old and change.new:
        text.append(" → ")
    text.append(_values(change.new), "green")
    return text


def renamed_text(item: str, prefixes: Mapping[str, str]) -> str:
    """That the objects of a class only have other names."""
    return f"objects of {shorten(item, prefixes)} are named differently since this version of rdfcrawl"


def _class_lines(entries: list[ReportedChange], prefixes: Mapping[str, str]) -> Iterator[Text]:
    announced = None
    words = site_changes(entry.change for entry in entries)
    for entry in entries:
        change = entry.change
        if isinstance(change, PropertyChange):
            if change.subject != announced:
                announced = change.subject
                yield _object_line(ChangeKind.CHANGED, change.subject, entry.label, words.get(change.subject))
            mark, colour = MARKS[change.kind]
            yield Text(f"      {mark} ", colour) + values_text(change, prefixes)
            continue
        line = _object_line(change.kind, change.object, entry.label, words.get(change.object))
        if change.subject != entry.section:
            parent = term_text(entry.parent_label) if entry.parent_label else change.subject[1:-1]
            line.append(f"  in {parent}", "dim")
        yield line
        if entry.replaced_by:
            new = entry.replaced_by.label
            named = f"{_short_value(term_text(new))}  " if new and new != entry.label else ""
            yield Text(f"      replaced by {named}{entry.replaced_by.object[1:-1]}")
            for difference in entry.replaced_by.changes:
                yield Text("      ~ ", "yellow") + values_text(difference, prefixes)


def _object_line(kind: ChangeKind, term: str, label: str | None, word: SiteChange | None = None) -> Text:
    mark, colour = MARKS[kind] if word not in _SITE_MARKS else _SITE_MARKS[word]
    text = Text(f"  {mark} ", colour)
    if label:
        text.append(_short_value(term_text(label)), colour)
        text.append("  ")
    text.append(term[1:-1], "dim" if label else colour)
    if word is not None:
        text.append(f"  {word}", colour)
    return text


def _edit_line(edit: ModelChange, prefixes: Mapping[str, str]) -> Text:
    mark, colour = MARKS[edit.kind]
    text = Text(f"  {mark} ", colour)
    if edit.part is ModelPart.NAMING:
        text.append(renamed_text(edit.iri, prefixes))
    else:
        text.append(f"{edit.part} {shorten(edit.iri, prefixes)}")
    if edit.count:
        text.append(f" ({counted(edit.count, 'difference')} explained by it)", "dim")
    return text


def _values(values: tuple[str, ...]) -> str:
    return ", ".join(_short_value(term_text(value)) for value in values)


def _short_value(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_VALUE else f"{line[: _LONGEST_VALUE - 1]}…"
