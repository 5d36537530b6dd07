"""Pages of tables, facets, histograms and hits, from the file of a snapshot."""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.catalogue.columns import TextBlock
from rdfcrawl.publish.catalogue.pieces import ColumnOrder, ColumnPiece, PieceHead
from rdfcrawl.publish.catalogue.sets import set_of, unpacked
from rdfcrawl.publish.data.schema import PropertyColumn
from rdfcrawl.store.files.databases import open_finished

T = TypeVar("T")

PAGE_SIZE: Final = 50
_ORDER_BYTES: Final = 32 << 20
"""So much of the orders of columns is remembered: a table of 100,000 objects and ten columns."""
_REMEMBERED: Final = 64
"""How many wishes are remembered: readers turn pages, and come back."""


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a table: its IRIs, how many match in all, and how many the class has."""

    objects: Sequence[str]
    found: int
    total: int
    page: int

    @property
    def pages(self) -> int:
        """How many pages there are."""
        return page_count(self.found, PAGE_SIZE)


@dataclass(frozen=True, slots=True)
class Facet:
    """A column with few values, and how many of the chosen objects have each."""

    column: PropertyColumn
    values: Sequence[tuple[str, int]]


@dataclass(frozen=True, slots=True)
class Histogram:
    """How the values of the chosen objects are spread between the least and the greatest one."""

    column: PropertyColumn
    least: str
    greatest: str
    bars: Sequence[tuple[str, str, int]]
    """From, to, and how many."""


@dataclass(frozen=True, slots=True)
class Choices:
    """What some objects can be chosen by."""

    facets: Sequence[Facet] = ()
    histograms: Sequence[Histogram] = ()


@dataclass(frozen=True, slots=True)
class CataloguedClass:
    """A class in the file: its number, the number of its first object, and how many there are."""

    number: int = -1
    first: int = 1
    objects: int = 0


def page_count(found: int, per_page: int) -> int:
    """How many pages so many things take; even without any there is one page, which says so."""
    return max(1, -(-found // per_page))


class Recent(Generic[T]):
    """What was found for the latest wishes."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._found: OrderedDict[object, T] = OrderedDict()

    def __len__(self) -> int:
        return len(self._found)

    def find(self, key: Hashable, find: Callable[[], T]) -> T:
        """What was found for a key before, otherwise what ``find`` finds now."""
        with self._lock:
            if key in self._found:
                self._found.move_to_end(key)
                return self._found[key]
        found = find()
        with self._lock:
            self._found[key] = found
            while len(self._found) > _REMEMBERED:
                self._found.popitem(last=False)
        return found


class Catalogue:
    """The file of a snapshot. It stays open, so that it can be read even if another process has replaced it."""

    def __init__(self, path: Path) -> None:
        self._db = open_finished(path)
        self._lock = threading.Lock()
        classes = self._rows("SELECT predicate, id, first, objects FROM class")
        self._classes: dict[str, CataloguedClass] = {predicate: CataloguedClass(*row) for predicate, *row in classes}
        self._properties = {
            (class_, predicate): number
            for number, class_, predicate in self._rows("SELECT id, class, predicate FROM property")
        }
        self.object_count: int = self._rows("SELECT objects FROM total")[0][0]
        self.row_count = sum(found.objects for found in self._classes.values())
        self._orders: OrderedDict[int, ColumnOrder] = OrderedDict()
        self.known_sets: Recent[int] = Recent()
        self.known_choices: Recent[Choices] = Recent()

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._db.close()

    def counts(self) -> dict[str, int]:
        """How many objects each class has."""
        return {predicate: found.objects for predicate, found in self._classes.items()}

    def of_class(self, predicate: str) -> CataloguedClass:
        """A class; one that is not known has no objects."""
        return self._classes.get(predicate, CataloguedClass())

    def property(self, in_class: CataloguedClass, predicate: str) -> int | None:
        """The number of a property of a class, if it has it."""
        return self._properties.get((in_class.number, predicate))

    def order(self, in_class: CataloguedClass, number: int) -> ColumnOrder:
        """The objects of a class in the order of a property; the latest are remembered with what was read of them."""
        with self._lock:
            known = self._orders.pop(number, None)
        found = known or self._order(in_class, number)
        with self._lock:
            self._orders[number] = found
            while len(self._orders) > 1 and sum(one.most_bytes for one in self._orders.values()) > _ORDER_BYTES:
                self._orders.popitem(last=False)
        return found

    def _order(self, in_class: CataloguedClass, number: int) -> ColumnOrder:
        ((is_single,),) = self._rows("SELECT is_single FROM property WHERE id = ?", number)
        sql = "SELECT rowid, count, least FROM piece WHERE property = ? ORDER BY rowid"
        rows = self._rows(sql, number)

        def read(place: int) -> ColumnPiece:
            ((objects, numbers),) = self._rows("SELECT objects, numbers FROM piece WHERE rowid = ?", rows[place][0])
            return ColumnPiece(array("I", objects), array("d", numbers))

        def held(place: int) -> int:
            ((content,),) = self._rows("SELECT held FROM piece WHERE rowid = ?", rows[place][0])
            return unpacked(content)

        heads = [PieceHead(count, least) for _, count, least in rows]
        return ColumnOrder(heads, in_class.objects, bool(is_single), read, held)

    def facets(self, number: int) -> list[tuple[str, int, int]]:
        """The values of a property with few of them, how often there are, and who has them; the most frequent first."""
        sql = "SELECT text, count, objects FROM facet WHERE property = ? ORDER BY count DESC, text"
        return [(text, count, unpacked(content)) for text, count, content in self._rows(sql, number)]

    def blocks(self, number: int) -> Iterator[TextBlock]:
        """The texts of a property, piece by piece."""
        for (row,) in self._rows("SELECT rowid FROM block WHERE property = ? ORDER BY rowid", number):
            for objects, starts, content in self._rows(
                "SELECT objects, starts, content FROM block WHERE rowid = ?", row
            ):
                yield TextBlock(array("I", objects), array("I", starts), content)

    def text_properties(self) -> list[tuple[int, int]]:
        """The properties that have words, with the number of the first object of their class; class by class."""
        sql = """SELECT property.id, class.first FROM property JOIN class ON class.id = property.class
                 WHERE is_text ORDER BY property.id"""
        return [(number, first) for number, first in self._rows(sql)]

    def label_properties(self, label: str) -> list[tuple[int, int]]:
        """The same of what takes the place of a label."""
        return [
            (number, found.first)
            for found in self._classes.values()
            if (number := self.property(found, label)) is not None
        ]

    def inside(self, in_class: CataloguedClass, parent: str) -> int | None:
        """The objects of a class within an object that leads to many; ``None`` if that is not noted."""
        sql = "SELECT objects FROM inside WHERE class = ? AND parent = ?"
        found = self._rows(sql, in_class.number, parent)
        return set_of(array("I", found[0][0]), in_class.objects) if found else None

    def places(self, in_class: CataloguedClass, iris: Sequence[str]) -> list[int]:
        """The places of objects in their class."""
        end = in_class.first + in_class.objects - 1
        sql = "SELECT id FROM object WHERE iri = ? AND id BETWEEN ? AND ?"
        return [row[0] - in_class.first for iri in iris for row in self._rows(sql, iri, in_class.first, end)]

    def iris(self, numbers: Sequence[int]) -> list[str]:
        """The IRIs of objects, by their numbers in the file."""
        sql = "SELECT iri FROM object WHERE id = ?"
        return [iri for number in numbers for (iri,) in self._rows(sql, number)]

    def by_class(self, iris: Sequence[str]) -> dict[str, list[str]]:
        """The objects among some IRIs, by the predicate of their class."""
        found: dict[str, list[str]] = {}
        for iri in iris:
            for (number,) in self._rows("SELECT id FROM object WHERE iri = ? ORDER BY id", iri):
                found.setdefault(self.class_of(number), []).append(iri)
        return found

    def beside(self, iri: str, at_most: int) -> list[str]:
        """The objects just before and after an IRI in the order of all of them."""
        after = self._rows("SELECT iri FROM object WHERE iri >= ? ORDER BY iri LIMIT ?", iri, at_most)
        before = self._rows("SELECT iri FROM object WHERE iri < ? ORDER BY iri DESC LIMIT ?", iri, at_most)
        return [found for (found,) in (*after, *before)]

    def class_of(self, number: int) -> str:
        """The class of an object, by its number in the file."""
        starts = ((predicate, number - found.first, found.objects) for predicate, found in self._classes.items())
        return next(predicate for predicate, place, objects in starts if 0 <= place < objects)

    def _rows(self, sql: str, *values: object) -> list[Any]:
        with self._lock:
            return self._db.execute(sql, values).fetchall()
