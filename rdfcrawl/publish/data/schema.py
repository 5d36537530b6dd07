"""What the models say about the data: classes, their properties, prefixes, and which properties are labels."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.edges import predicates_below, predicates_inside
from rdfcrawl.metamodel.labels import WELL_KNOWN_LABELS, label_predicates
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import last_part

_WORD_BREAK: Final = re.compile(r"[_\-.]+")
_NUMBERS: Final = re.compile(r"(\d+)")


@dataclass(frozen=True, slots=True)
class PropertyColumn:
    """A property of a class, as a table shows it."""

    predicate: str
    name: str
    datatype: str = terms.STRING
    is_label: bool = False
    multiple: bool = False

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers or lengths of time, which tables align to the right."""
        return self.datatype in (*terms.NUMERIC_DATATYPES, *terms.DURATION_DATATYPES)


@dataclass(frozen=True, slots=True)
class ObjectClass:
    """A class of objects: those that the edges of ``predicate`` lead to. ``nested`` are the classes inside it."""

    predicate: str
    name: str
    columns: tuple[PropertyColumn, ...]
    nested: tuple[str, ...] = ()
    top: bool = False

    @property
    def key(self) -> PropertyColumn | None:
        """The column by which tables name the objects: their label, otherwise the first one."""
        labels = (column for column in self.columns if column.is_label)
        return next(labels, self.columns[0] if self.columns else None)


@dataclass(frozen=True)
class Schema:
    """The classes of all current models, the prefixes, and the predicates of labels, the best first."""

    classes: Mapping[str, ObjectClass] = field(default_factory=dict)
    prefixes: Mapping[str, str] = field(default_factory=dict)
    labels: tuple[str, ...] = WELL_KNOWN_LABELS

    @cached_property
    def property_names(self) -> dict[str, str]:
        """The names of the properties, by predicate."""
        return {column.predicate: column.name for found in self.classes.values() for column in found.columns}

    @cached_property
    def predicates(self) -> tuple[str, ...]:
        """All predicates that the models write, those of values before those that lead to objects."""
        return (*dict.fromkeys((*WELL_KNOWN_LABELS, terms.RDF_TYPE, *self.property_names)), *self.classes)

    def name_of(self, predicate: str) -> str:
        """The name of a predicate for people."""
        if predicate in self.classes:
            return self.classes[predicate].name
        return self.property_names.get(predicate) or readable_name(predicate)


def make_schema(models: Sequence[Model], prefixes: Mapping[str, str], written: Collection[str] = ()) -> Schema:
    """The schema of the current models, the newest first; ``written`` are the predicates of values in all runs."""
    own = {found.predicate for model in models for item in model.items() for found in item.properties}
    # Every title asks for one label after the other; those that nobody has written would only take time.
    labels = tuple(name for name in label_predicates(models, written) if name in own or name in written)
    classes: dict[str, ObjectClass] = {}
    for model in models:
        for found in _classes(model, labels):
            known = classes.get(found.predicate)
            classes[found.predicate] = found if known is None else _together(known, found, labels)
    return Schema(classes, prefixes, labels)


def readable_name(iri: str) -> str:
    """The last part of an IRI in words: ``property://recipe/workingTime`` is the working time."""
    words = ""
    for character in last_part(iri):
        # Of any script that has capital letters.
        if character.isupper() and (words[-1:].islower() or words[-1:].isdigit()):
            words += " "
        words += character
    return _WORD_BREAK.sub(" ", words).strip().lower() or iri


def natural_order(text: str) -> list[tuple[int, str]]:
    """A key that puts season 2 before season 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in _NUMBERS.split(text.casefold())]


def _classes(model: Model, labels: Sequence[str]) -> Iterable[ObjectClass]:
    nested = _nested(model)
    tops = {predicate for section in model.sections for predicate in predicates_below(model, section.page)}
    for item in model.items():
        columns = [
            PropertyColumn(
                found.predicate, readable_name(found.iri), found.datatype, found.predicate in labels, found.multiple
            )
            for found in item.properties
        ]
        inside = tuple(sorted(nested.get(item.predicate, ())))
        ordered = _in_order(columns, labels)
        yield ObjectClass(item.predicate, readable_name(item.iri), ordered, inside, item.predicate in tops)


def _in_order(columns: Iterable[PropertyColumn], labels: Sequence[str]) -> tuple[PropertyColumn, ...]:
    named = sorted(columns, key=lambda column: natural_order(column.name))
    return tuple(sorted(named, key=lambda one: labels.index(one.predicate) if one.is_label else len(labels)))


def _together(newer: ObjectClass, older: ObjectClass, labels: Sequence[str]) -> ObjectClass:
    """One class that two models write, with the columns of both; the newer one says what those of both are."""
    columns = {column.predicate: column for column in older.columns}
    for column in newer.columns:
        known = columns.get(column.predicate, column)
        columns[column.predicate] = replace(column, multiple=column.multiple or known.multiple)
    return replace(
        newer,
        columns=_in_order(columns.values(), labels),
        nested=tuple(sorted({*newer.nested, *older.nested})),
        top=newer.top or older.top,
    )


def _nested(model: Model) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for page in model.pages.values():
        for item in page.items:
            found.setdefault(item.predicate, set()).update(predicates_inside(model, page))
    return found
