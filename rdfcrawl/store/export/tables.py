"""Objects as tables, one for each class, as the models describe them.

A table has the columns ``iri`` and ``parent`` (the object or section that the object belongs to; the first one, where
there are several) and one for each property. The table ``edges`` has every edge: parent, class and child.
A property that may have several values is a column of lists; of any other the first value counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Item, Model, Property
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import last_part
from rdfcrawl.rdf.ntriples import iri, split, term_text
from rdfcrawl.store.current import Lines

Value = str | list[str] | None
Row = tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its values are lexical forms of one datatype, and say what the predicate, if there is one, means."""

    name: str
    datatype: str
    multiple: bool = False
    predicate: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """The objects of a class, or the edges."""

    name: str
    columns: tuple[Column, ...]


_KEYS = (Column("iri", terms.ANY_URI), Column("parent", terms.ANY_URI))
EDGES = Table("edges", (Column("parent", terms.ANY_URI), Column("class", terms.STRING), Column("child", terms.ANY_URI)))


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of what sorted lines say; the rows are not kept, but built from the lines on demand."""

    lines: Lines
    classes: Mapping[str, Table]

    def __iter__(self) -> Iterator[Table]:
        yield from self.classes.values()
        yield EDGES

    def rows(self) -> Iterator[tuple[Table, Row]]:
        """The rows of all tables, each with its table; those of a class are in the order of the objects."""
        parents = self._parents()
        for subject, values in _objects(self.lines()):
            for predicate, parent in parents.pop(subject, {}).items():
                table = self.classes[predicate]
                yield table, _row(table, subject, parent, values)
            for predicate in values.keys() & self.classes.keys():
                for child in values[predicate]:
                    if child.startswith("<"):
                        yield EDGES, (term_text(subject), self.classes[predicate].name, term_text(child))
        for subject in sorted(parents):
            for predicate, parent in parents[subject].items():
                table = self.classes[predicate]
                yield table, _row(table, subject, parent, {})

    def _parents(self) -> dict[str, dict[str, str]]:
        """For each object and each class that it is in, the first object or section that it belongs to."""
        wanted = {predicate.encode() for predicate in self.classes}
        found: dict[str, dict[str, str]] = {}
        for line in self.lines():
            if line.split(b" ", 2)[1] in wanted:
                parent, predicate, child = split(line.decode())
                if child.startswith("<"):
                    found.setdefault(child, {}).setdefault(predicate, parent)
        return found


def tables(lines: Lines, models: Sequence[Model]) -> Tables:
    """The tables of what sorted lines say, by the models that they were made with."""
    items: dict[str, list[Item]] = {}
    for model in models:
        for item in model.items():
            items.setdefault(iri(item.predicate), []).append(item)
    names = _names(sorted(items), reserved={EDGES.name})
    classes = {}
    for predicate, name in names.items():
        properties = {found.predicate: found for item in items[predicate] for found in item.properties}
        classes[predicate] = Table(name, (*_KEYS, *_columns(properties)))
    return Tables(lines, classes)


def _columns(properties: Mapping[str, Property]) -> Iterator[Column]:
    for predicate, name in _names(properties, reserved={column.name for column in _KEYS}).items():
        found = properties[predicate]
        yield Column(name, found.datatype, found.multiple, predicate)


def _objects(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each subject with its different values, by their predicates."""
    statements = (split(line.decode()) for line in lines)
    for subject, group in groupby(statements, key=lambda statement: statement[0]):
        values: dict[str, dict[str, None]] = {}
        for _, predicate, value in group:
            values.setdefault(predicate, {})[value] = None
        yield subject, {predicate: list(found) for predicate, found in values.items()}


def _row(table: Table, subject: str, parent: str, values: Mapping[str, Sequence[str]]) -> Row:
    row: list[Value] = [term_text(subject), term_text(parent)]
    for column in table.columns[len(row) :]:
        assert column.predicate is not None
        texts = list(dict.fromkeys(term_text(term) for term in values.get(iri(column.predicate), ())))
        row.append(texts if column.multiple else next(iter(texts), None))
    return tuple(row)


def _names(addresses: Iterable[str], reserved: set[str]) -> dict[str, str]:
    """A short name for each address: its last part, with a number where that is taken."""
    taken = set(reserved)
    names = {}
    for address in addresses:
        base = re.sub(r"[^\w-]+", "_", last_part(address.strip("<>")))
        name, number = base, 2
        while name.lower() in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name.lower())
        names[address] = name
    return names
