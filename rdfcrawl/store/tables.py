"""Objects as tables, one for each class, as the model describes them.

A table has the columns ``iri`` and ``parent`` (the object or section that the object hangs from; the first one, where
there are several) and one for each property. The table ``edges`` has every edge: parent, class and child.
A property that may have several values is a column of lists; of any other the first value counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from rdfcrawl.metamodel import terms
from rdfcrawl.metamodel.model import Item, Model, Property
from rdfcrawl.store.ntriples import iri, split

Value = str | list[str] | None

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_LOCAL_NAME = re.compile(r"[^/#:?]+(?=[/#:?]*$)")


@dataclass(slots=True)
class Column:
    """A column: its values as the lexical forms of one datatype."""

    name: str
    datatype: str
    multiple: bool = False
    values: list[Value] = field(default_factory=list)


@dataclass(slots=True)
class Table:
    """The objects of a class, one row each."""

    name: str
    columns: list[Column]

    @property
    def rows(self) -> Iterator[tuple[Value, ...]]:
        """The rows."""
        return zip(*(column.values for column in self.columns), strict=True)


def tables(lines: Callable[[], Iterable[bytes]], models: Sequence[Model]) -> list[Table]:
    """The tables of what sorted lines say, by the models that they were made with; the lines are read twice."""
    classes = _classes(models)
    edges = _edges(lines(), classes)
    names = _names({predicate: predicate for predicate in classes}, reserved={"edges"})
    made = {predicate: _empty(names[predicate], properties) for predicate, properties in classes.items()}
    parents: dict[str, dict[str, str]] = {}
    for parent, predicate, child in edges:
        parents.setdefault(child, {}).setdefault(predicate, parent)
    for subject, values in _objects(lines()):
        for predicate, parent in parents.pop(subject, {}).items():
            _add(made[predicate], subject, parent, values, classes[predicate])
    for subject in sorted(parents):
        for predicate, parent in parents[subject].items():
            _add(made[predicate], subject, parent, {}, classes[predicate])
    return [*made.values(), _edge_table(edges, names)]


def _classes(models: Sequence[Model]) -> dict[str, list[Property]]:
    """The properties of each class, by the predicate of the edges that lead to its objects."""
    items: dict[str, list[Item]] = {}
    for model in models:
        for item in model.items():
            items.setdefault(iri(item.predicate), []).append(item)
    return {
        predicate: list({found.predicate: found for item in same for found in item.properties}.values())
        for predicate, same in sorted(items.items())
    }


def _edges(lines: Iterable[bytes], classes: Iterable[str]) -> list[tuple[str, str, str]]:
    wanted = {predicate.encode() for predicate in classes}
    found = []
    for line in lines:
        if line.split(b" ", 2)[1] in wanted:
            subject, predicate, value = split(line.decode())
            if value.startswith("<"):
                found.append((subject, predicate, value))
    return list(dict.fromkeys(found))


def _objects(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    statements = (split(line.decode()) for line in lines)
    for subject, group in groupby(statements, key=lambda statement: statement[0]):
        values: dict[str, list[str]] = {}
        for _, predicate, value in group:
            values.setdefault(predicate, []).append(value)
        yield subject, values


def _empty(name: str, properties: Sequence[Property]) -> Table:
    names = _names({found.predicate: found.predicate for found in properties}, reserved={"iri", "parent"})
    columns = [Column("iri", terms.ANY_URI), Column("parent", terms.ANY_URI)]
    columns += [Column(names[found.predicate], found.datatype, found.multiple) for found in properties]
    return Table(name, columns)


def _add(table: Table, subject: str, parent: str, values: dict[str, list[str]], properties: Sequence[Property]) -> None:
    row: list[Value] = [plain(subject), plain(parent)]
    for found in properties:
        texts = list(dict.fromkeys(plain(term) for term in values.get(iri(found.predicate), ())))
        row.append(texts if found.multiple else next(iter(texts), None))
    for column, value in zip(table.columns, row, strict=True):
        column.values.append(value)


def _edge_table(edges: Iterable[tuple[str, str, str]], names: dict[str, str]) -> Table:
    columns = [Column("parent", terms.ANY_URI), Column("class", terms.STRING), Column("child", terms.ANY_URI)]
    for parent, predicate, child in edges:
        for column, value in zip(columns, (plain(parent), names[predicate], plain(child)), strict=True):
            column.values.append(value)
    return Table("edges", columns)


def plain(term: str) -> str:
    """The text of a term: an address without its brackets, a literal's lexical form."""
    if term.startswith("<"):
        return term[1:-1]
    match = _LITERAL.match(term)
    assert match is not None, term
    return _ESCAPE.sub(_unescaped, match[1]) if "\\" in match[1] else match[1]


def _unescaped(match: re.Match[str]) -> str:
    if match[3]:
        return _ESCAPED.get(match[3], match[3])
    return chr(int(match[1] or match[2], 16))


def _names(addresses: dict[str, str], reserved: set[str]) -> dict[str, str]:
    """A short name for each address: its last part, with a number where that is taken."""
    taken = set(reserved)
    names = {}
    for key, address in addresses.items():
        match = _LOCAL_NAME.search(address.strip("<>"))
        base = re.sub(r"[^\w-]+", "_", match[0]) if match else "column"
        name, number = base, 2
        while name.lower() in taken:
            name, number = f"{base}_{number}", number + 1
        taken.add(name.lower())
        names[key] = name
    return names
