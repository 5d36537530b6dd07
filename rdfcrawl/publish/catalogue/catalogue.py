"""Pages of tables, facets, histograms and hits, from the file of a snapshot."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
import weakref
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rdfcrawl.publish.catalogue.numbers import as_number, as_text, is_measured
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.catalogue.writing import MOST_FACETS, write_catalogue
from rdfcrawl.publish.data import classes
from rdfcrawl.publish.data.schema import ObjectClass, PropertyColumn
from rdfcrawl.publish.data.snapshot import Snapshot

PAGE_SIZE: Final = 50
BARS: Final = 20
MOST_COUNTED: Final = 20_000
"""So many objects are counted anew for every wish; for more of them the counts of the whole class say as much."""
_SHORTEST_WORD: Final = 3
_MOST_WORDS: Final = 6
_INNER: Final = "-_.'’@"
"""What can be part of a word, besides letters and digits; nothing of it means anything to the index."""


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


def page_count(found: int, per_page: int) -> int:
    """How many pages so many things take; even without any there is one page, which says so."""
    return max(1, -(-found // per_page))


class Catalogue:
    """The file of a snapshot; it goes when nobody uses the snapshot any more."""

    def __init__(self, snapshot: Snapshot) -> None:
        folder = Path(tempfile.mkdtemp(prefix="rdfcrawl-catalogue-"))
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self._path = folder / "catalogue.sqlite"
        self._known: dict[str, Choices] = {}
        write_catalogue(snapshot, self._path)

    @classmethod
    def of(cls, snapshot: Snapshot) -> Catalogue:
        """The catalogue of a snapshot, made when it is first needed."""
        return snapshot.keep("catalogue", lambda: cls(snapshot))

    @contextmanager
    def choosing(self, shown: ObjectClass, wish: Wish, inside: Sequence[str] | None = None) -> Iterator[ChosenObjects]:
        """The objects of a class that a wish is about; ``inside`` are those within the object that it names."""
        with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            yield ChosenObjects(db, shown, wish, inside)

    def choices(self, chosen: ChosenObjects) -> Choices:
        """What the objects can be chosen by, and how often; for most of a class, the counts are those of all of it."""
        if not chosen.is_whole and chosen.found <= MOST_COUNTED:
            return chosen.choices()
        predicate = chosen.shown.predicate
        if predicate not in self._known:
            with self.choosing(chosen.shown, Wish()) as whole:
                self._known[predicate] = whole.choices()
        return self._known[predicate]

    def by_class(self, iris: Sequence[str]) -> dict[str, list[str]]:
        """The objects among some IRIs, by the predicate of their class."""
        found: dict[str, list[str]] = {}
        with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            for iri in iris:
                classes_of = db.execute(
                    "SELECT class.predicate FROM object JOIN class ON class.id = object.class WHERE iri = ?", (iri,)
                )
                for (predicate,) in classes_of.fetchall():
                    found.setdefault(predicate, []).append(iri)
        return found

    def beside(self, iri: str, at_most: int) -> list[str]:
        """The objects just before and after an IRI in the order of all of them."""
        with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            after = db.execute("SELECT iri FROM object WHERE iri >= ? ORDER BY iri LIMIT ?", (iri, at_most)).fetchall()
            before = db.execute("SELECT iri FROM object WHERE iri < ? ORDER BY iri DESC LIMIT ?", (iri, at_most))
            return [found for (found,) in (*after, *before.fetchall())]

    def beginning(self, starts: Sequence[str], at_most: int) -> list[str]:
        """Some objects whose texts have a word that begins with one of these letters."""
        wanted = " OR ".join(f'"{start}"*' for start in dict.fromkeys(starts[:_MOST_WORDS]) if start.isalnum())
        if not wanted:
            return []
        with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            found = db.execute(
                "SELECT iri FROM object WHERE id IN (SELECT rowid FROM words WHERE words MATCH ? LIMIT ?)",
                (wanted, at_most),
            )
            return [iri for (iri,) in found.fetchall()]

    def search(self, words: Sequence[str], at_most: int) -> list[tuple[str, str]]:
        """Objects whose texts have words that begin with all of these: IRI and predicate of the class, best first."""
        plain = ("".join(char for char in word if char.isalnum() or char in _INNER) for word in words)
        # Each word costs a look at all words that begin with it, so that few and no short ones are looked for.
        long = [word for word in dict.fromkeys(plain) if sum(map(str.isalnum, word)) >= _SHORTEST_WORD]
        wanted = " ".join(f'"{word}"*' for word in long[:_MOST_WORDS])
        if not wanted:
            return []
        with closing(sqlite3.connect(f"{self._path.as_uri()}?mode=ro&immutable=1", uri=True)) as db:
            return db.execute(
                """SELECT object.iri, class.predicate FROM words JOIN object ON object.id = words.rowid
                   JOIN class ON class.id = object.class WHERE words MATCH ? ORDER BY rank, iri LIMIT ?""",
                (wanted, at_most),
            ).fetchall()


def prepare(snapshot: Snapshot) -> None:
    """Prepare what the first readers of a snapshot would otherwise wait for."""
    Catalogue.of(snapshot)
    classes.prepare(snapshot)


class ChosenObjects:
    """Some objects of a class, kept in a table of the connection while a page is made of them."""

    def __init__(self, db: sqlite3.Connection, shown: ObjectClass, wish: Wish, inside: Sequence[str] | None) -> None:
        self._db, self.shown, self._wish = db, shown, wish
        row = db.execute("SELECT id, objects FROM class WHERE predicate = ?", (shown.predicate,)).fetchone()
        self._class: int = row[0] if row else -1
        self.total: int = row[1] if row else 0
        properties = db.execute("SELECT predicate, id, facet FROM property WHERE class = ?", (self._class,)).fetchall()
        self._ids = {predicate: number for predicate, number, _ in properties}
        self._facets = {predicate for predicate, _, is_facet in properties if is_facet}
        self.is_whole = not wish.is_filter
        if not self.is_whole:
            db.execute("PRAGMA temp_store = FILE")
            db.execute("CREATE TEMP TABLE chosen (id INTEGER PRIMARY KEY)")
            condition, values = self._condition(inside)
            db.execute(f"INSERT INTO chosen SELECT id FROM object WHERE class = ? {condition}", (self._class, *values))

    @property
    def found(self) -> int:
        """How many objects are chosen."""
        if self.is_whole:
            return self.total
        count: int = self._db.execute("SELECT count(*) FROM chosen").fetchone()[0]
        return count

    def page(self) -> Listing:
        """The page of the table that is wanted."""
        found = self.found
        page = min(max(1, self._wish.page), page_count(found, PAGE_SIZE))
        return Listing(self.objects(PAGE_SIZE, (page - 1) * PAGE_SIZE), found, self.total, page)

    def objects(self, at_most: int, start: int = 0) -> list[str]:
        """The chosen objects in order, a part of them; those without a value in the ordering column come last."""
        column = next((one for one in self.shown.columns if one.predicate == self._wish.sort), self.shown.key)
        number = self._ids.get(column.predicate, -1) if column else -1
        chosen = "" if self.is_whole else "AND object IN (SELECT id FROM chosen)"
        order = "DESC" if self._wish.descending else "ASC"
        present = self._db.execute(
            f"""SELECT (SELECT iri FROM object WHERE id = value.object) FROM value
                WHERE property = ? AND first = 1 {chosen}
                ORDER BY number {order}, sort {order}, object {order} LIMIT ? OFFSET ?""",
            (number, at_most, start),
        ).fetchall()
        if len(present) < at_most:
            have = self._db.execute(
                f"SELECT count(*) FROM value WHERE property = ? AND first = 1 {chosen}", (number,)
            ).fetchone()[0]
            chosen = "" if self.is_whole else "AND id IN (SELECT id FROM chosen)"
            present += self._db.execute(
                f"""SELECT iri FROM object WHERE class = ? {chosen} AND NOT EXISTS
                    (SELECT 1 FROM value WHERE value.object = object.id AND property = ? AND first = 1)
                    ORDER BY iri LIMIT ? OFFSET ?""",
                (self._class, number, at_most - len(present), max(0, start - have)),
            ).fetchall()
        return [iri for (iri,) in present]

    def choices(self) -> Choices:
        """What the chosen objects can be chosen by further."""
        return Choices(self._facets_found(), self._histograms()) if self.found else Choices()

    def _facets_found(self) -> list[Facet]:
        """The columns with few values, and how often each occurs among the chosen objects."""
        return [
            Facet(column, values)
            for column in self.shown.columns
            if column.predicate in self._facets and not is_measured(column.datatype)
            if (values := self._counts(column.predicate))
        ]

    def _histograms(self) -> list[Histogram]:
        """The columns of numbers and dates, and how the chosen objects are spread over them."""
        found = (self._histogram(column) for column in self.shown.columns if is_measured(column.datatype))
        return [one for one in found if one is not None]

    def _counts(self, predicate: str) -> list[tuple[str, int]]:
        chosen = "" if self.is_whole else "AND object IN (SELECT id FROM chosen)"
        return self._db.execute(
            f"""SELECT text, count(*) FROM value WHERE property = ? {chosen}
                GROUP BY text ORDER BY 2 DESC, text LIMIT ?""",
            (self._ids[predicate], MOST_FACETS),
        ).fetchall()

    def _histogram(self, column: PropertyColumn) -> Histogram | None:
        chosen = "" if self.is_whole else "AND object IN (SELECT id FROM chosen)"
        where = f"FROM value WHERE property = ? AND first = 1 AND number IS NOT NULL {chosen}"
        number = self._ids[column.predicate]
        least, greatest = self._db.execute(f"SELECT min(number), max(number) {where}", (number,)).fetchone()
        if least is None or least == greatest:
            return None
        width = (greatest - least) / BARS
        counted = dict(
            self._db.execute(
                f"SELECT min(?, CAST((number - ?) / ? AS INTEGER)) AS bar, count(*) {where} GROUP BY bar",
                (BARS - 1, least, width, number),
            ).fetchall()
        )
        bars = [
            (as_text(least + bar * width, kind), as_text(least + (bar + 1) * width, kind), counted.get(bar, 0))
            for kind in (column.datatype,)
            for bar in range(BARS)
        ]
        return Histogram(column, as_text(least, column.datatype), as_text(greatest, column.datatype), bars)

    def _condition(self, inside: Sequence[str] | None) -> tuple[str, list[object]]:
        """The part of a query that says which objects are chosen, and its values."""
        parts: list[str] = []
        values: list[object] = []
        wish = self._wish
        if inside is not None:
            self._db.execute("CREATE TEMP TABLE inside (iri TEXT PRIMARY KEY)")
            self._db.executemany("INSERT OR IGNORE INTO inside VALUES (?)", ((iri,) for iri in inside))
            parts.append("AND iri IN (SELECT iri FROM inside)")
        if wish.text and wish.column in self._ids:
            self._db.create_function("casefold", 1, str.casefold, deterministic=True)
            parts.append("AND id IN (SELECT object FROM value WHERE property = ? AND instr(casefold(text), ?))")
            values += [self._ids[wish.column], wish.text.casefold()]
        elif wish.text:
            parts.append("AND instr(folded, ?)")
            values.append(wish.text.casefold())
        for predicate, text in wish.values:
            parts.append("AND id IN (SELECT object FROM value WHERE property = ? AND text = ?)")
            values += [self._ids.get(predicate, -1), text]
        kinds = {column.predicate: column.datatype for column in self.shown.columns}
        for span in wish.ranges:
            for comparison, bound in ((">=", span.least), ("<=", span.greatest)):
                number = as_number(bound, kinds.get(span.predicate, "")) if bound else None
                if number is not None:
                    # Named so that the index of the order is used, which has both kinds of values.
                    where = f"property = ? AND first IN (0, 1) AND number {comparison} ?"
                    parts.append(f"AND id IN (SELECT object FROM value WHERE {where})")
                    values += [self._ids.get(span.predicate, -1), number]
        return " ".join(parts), values
