"""Objects as the tables of a database: with types, keys and indexes, and a table of its own for repeated values."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from enum import StrEnum
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf import terms
from rdfcrawl.store.export.tables import EDGES, Table, Tables

Scalar = str | int | float | bool | Decimal | date | datetime | time | None
Record = tuple[Scalar, ...]


class ScalarType(StrEnum):
    """The type of a column."""

    TEXT = "text"
    INTEGER = "integer"
    DECIMAL = "decimal"
    DOUBLE = "double"
    BOOLEAN = "boolean"
    DATE = "date"
    TIME = "time"
    LOCAL_TIME = "date and time"
    ZONED_TIME = "date and time with zone"


@dataclass(frozen=True, slots=True)
class DatabaseField:
    """A column of a relation."""

    name: str
    type: ScalarType = ScalarType.TEXT
    required: bool = False


@dataclass(frozen=True, slots=True)
class Relation:
    """A table of a database; ``references`` says which columns are keys of which other relation."""

    name: str
    fields: tuple[DatabaseField, ...]
    key: tuple[str, ...]
    indexes: tuple[str, ...] = ()
    references: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Relations:
    """Relations in an order in which each comes after those that it refers to, and their rows, made on demand."""

    relations: tuple[Relation, ...]
    rows: Callable[[], Iterator[tuple[Relation, Record]]]

    def joined(self, other: Relations) -> Relations:
        """These, and then the others."""

        def rows() -> Iterator[tuple[Relation, Record]]:
            yield from self.rows()
            yield from other.rows()

        return Relations((*self.relations, *other.relations), rows)


def class_relations(tables: Tables, without: Collection[str] = (), taken: Collection[str] = ()) -> Relations:
    """The tables of classes as relations, ``without`` those of some predicates; ``taken`` names are not used."""
    classes = [table for predicate, table in tables.classes.items() if predicate[1:-1] not in without]
    if not classes:
        return Relations((), lambda: iter(()))
    layout = _Layout(_types(tables))
    used = {_EDGES.name, *taken}
    for table in classes:
        layout.add(table, used)
    return Relations((*layout.relations(), _EDGES), lambda: layout.rows(tables))


_EDGES: Final = Relation(
    EDGES.name,
    tuple(DatabaseField(column.name, required=True) for column in EDGES.columns),
    ("parent", "class", "child"),
    ("child",),
)


@dataclass(frozen=True, slots=True)
class _Layout:
    """The relation of each class, and of each of its columns of lists, by the names and places in the tables."""

    types: Mapping[str, Sequence[ScalarType]]
    main: dict[str, Relation] = field(default_factory=dict)
    lists: dict[tuple[str, int], Relation] = field(default_factory=dict)

    def add(self, table: Table, used: set[str]) -> None:
        """Make room for a class, under names that are not used yet."""
        name, types = _free(table.name, used), self.types[table.name]
        columns = list(enumerate(table.columns))
        fields = tuple(DatabaseField(one.name, types[at], required=at < 2) for at, one in columns if not one.multiple)
        self.main[table.name] = Relation(name, fields, ("iri",), ("parent",))
        for at, column in columns:
            if column.multiple:
                listed = (*_LISTED, DatabaseField("value", types[at], required=True))
                inner = _free(f"{name}_{column.name}", used)
                self.lists[table.name, at] = Relation(inner, listed, ("iri", "position"), ("value",), {"iri": name})

    def relations(self) -> Iterator[Relation]:
        """All of them, each class before its lists."""
        for table, relation in self.main.items():
            yield relation
            yield from (one for (name, _), one in self.lists.items() if name == table)

    def rows(self, tables: Tables) -> Iterator[tuple[Relation, Record]]:
        """The rows of the tables that have a relation."""
        for table, row in tables.rows():
            if table is EDGES:
                if row[1] in self.main:
                    yield _EDGES, tuple(str(value) for value in row)
            elif table.name in self.main:
                types = self.types[table.name]
                places = [(at, value) for at, value in enumerate(row) if (table.name, at) not in self.lists]
                yield self.main[table.name], tuple(_read(types[at], value) for at, value in places)
                for at, value in enumerate(row):
                    for position, one in enumerate(value if isinstance(value, list) else ()):
                        yield self.lists[table.name, at], (str(row[0]), position, _read(types[at], one))


_LISTED: Final = (DatabaseField("iri", required=True), DatabaseField("position", ScalarType.INTEGER, required=True))


def _zoned(text: str) -> datetime:
    read = datetime.fromisoformat(text)
    if read.tzinfo is None:
        raise ValueError("there is no time zone")
    return read


def _local(text: str) -> datetime:
    read = datetime.fromisoformat(text)
    if read.tzinfo is not None:
        raise ValueError("there is a time zone")
    return read


def _whole(text: str) -> int:
    number = int(text)
    if not -(2**63) <= number < 2**63:
        raise ValueError("no database has such numbers")
    return number


def _decimal(text: str) -> Decimal:
    number = Decimal(text)
    if not number.is_finite() or abs(number.adjusted()) > _DECIMAL_DIGITS:
        raise ValueError("no database has such numbers")
    return number


_DECIMAL_DIGITS: Final = 1000
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}
_READERS: Final[Mapping[ScalarType, Callable[[str], Scalar]]] = {
    ScalarType.TEXT: str,
    ScalarType.INTEGER: _whole,
    ScalarType.DECIMAL: _decimal,
    ScalarType.DOUBLE: float,
    ScalarType.BOOLEAN: _BOOLEANS.__getitem__,
    ScalarType.DATE: date.fromisoformat,
    ScalarType.TIME: time.fromisoformat,
    ScalarType.LOCAL_TIME: _local,
    ScalarType.ZONED_TIME: _zoned,
}
_POSSIBLE: Final[Mapping[str, Sequence[ScalarType]]] = {
    terms.INT: (ScalarType.INTEGER,),
    terms.INTEGER: (ScalarType.INTEGER,),
    terms.G_YEAR: (ScalarType.INTEGER,),
    terms.DECIMAL: (ScalarType.DECIMAL,),
    terms.DOUBLE: (ScalarType.DOUBLE,),
    terms.BOOLEAN: (ScalarType.BOOLEAN,),
    terms.DATE: (ScalarType.DATE,),
    terms.TIME: (ScalarType.TIME,),
    terms.DATE_TIME: (ScalarType.ZONED_TIME, ScalarType.LOCAL_TIME),
}


def _read(kind: ScalarType, value: object) -> Scalar:
    return None if value is None else _READERS[kind](str(value))


def _types(tables: Tables) -> dict[str, list[ScalarType]]:
    """The type of each column of each table; a column with a value that does not fit its datatype is text."""
    left: dict[str, list[list[ScalarType]]] = {
        table.name: [list(_POSSIBLE.get(column.datatype, ())) for column in table.columns] for table in tables
    }
    for table, row in tables.rows():
        for possible, value in zip(left[table.name], row, strict=True):
            for text in value if isinstance(value, list) else (value,):
                if possible and text is not None:
                    possible[:] = [kind for kind in possible if _fits(kind, text)]
    return {name: [next(iter(found), ScalarType.TEXT) for found in columns] for name, columns in left.items()}


def _fits(kind: ScalarType, text: str) -> bool:
    try:
        _READERS[kind](text)
    except (ValueError, KeyError, InvalidOperation, OverflowError):
        return False
    return True


def _free(name: str, used: set[str]) -> str:
    """The name, with a number where it is used; databases do not tell capitals from small letters."""
    free, number = name, 2
    while free.lower() in used:
        free, number = f"{name}_{number}", number + 1
    used.add(free.lower())
    return free
