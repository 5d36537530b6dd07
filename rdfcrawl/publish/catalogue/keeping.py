"""Where catalogues are kept, and when they are made.

The catalogue of a state is made once and kept in the folder ``catalogue`` of the store, for the next server of the
same state; it is named after everything that it depends on. It gets its name when it is whole: what a killed process
leaves behind is nobody's, and goes with the next one that is made. Where the store cannot be written, it is in a
temporary folder.
"""

from __future__ import annotations

import hashlib
import logging
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

from rdfcrawl.errors import StoreError
from rdfcrawl.publish.catalogue.catalogue import Catalogue
from rdfcrawl.publish.catalogue.problems import shelves_of
from rdfcrawl.publish.catalogue.words import WordIndex, write_words
from rdfcrawl.publish.catalogue.writing import write_catalogue
from rdfcrawl.publish.data.current import triple_count
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.store.files.lines import Advance, unwatched
from rdfcrawl.store.files.locks import exclusive
from rdfcrawl.store.files.whole import NOT_WRITABLE, is_full_disk

T = TypeVar("T")

PATIENCE: Final = 3.0
"""How long a reader waits for a table that is being prepared, before the page says so."""
_RULES: Final = "3"
"""A part of every name: what was made by other rules is made again."""
_TABLES: Final = 0.8
_WORDS: Final = 1 - _TABLES
"""The shares of the work."""
_LOCK_SECONDS: Final = 3600.0
_log = logging.getLogger(__name__)


def catalogue_of(snapshot: Snapshot, advance: Advance = unwatched) -> Catalogue:
    """The catalogue of a snapshot, made when it is first needed."""
    return snapshot.keep("catalogue", lambda: _tables(snapshot, advance))


def catalogue_soon(snapshot: Snapshot, seconds: float = PATIENCE) -> Catalogue | None:
    """The catalogue of a snapshot; ``None`` if somebody is still making it after so many seconds."""
    return snapshot.keep_within("catalogue", lambda: _tables(snapshot, unwatched), seconds)


def words_soon(snapshot: Snapshot, seconds: float = PATIENCE) -> WordIndex | None:
    """The words of a snapshot's texts; ``None`` if they are still being collected after so many seconds."""
    snapshot.prepared.wait(seconds)
    found = snapshot.kept.get("words")
    return found if isinstance(found, WordIndex) else None


def is_made(snapshot: Snapshot) -> bool:
    """Whether the store has the tables and words of this state."""
    return all(_path(snapshot, kind).exists() for kind in ("tables", "words"))


def prepare(snapshot: Snapshot, advance: Advance = unwatched) -> None:
    """Prepare what the first readers of a snapshot would wait for: tables, the words of all texts, problems."""
    try:
        catalogue = catalogue_of(snapshot, lambda share: advance(share * _TABLES))
        snapshot.kept.setdefault("number of objects", catalogue.object_count)
        for predicate, count in catalogue.counts().items():
            snapshot.kept.setdefault(("number of objects", predicate), count)
        snapshot.keep("words", lambda: _words(snapshot, catalogue, lambda share: advance(_TABLES + share * _WORDS)))
        triple_count(snapshot)
        for record in snapshot.current:
            shelves_of(snapshot, record)
    finally:
        snapshot.prepared.set()


def _tables(snapshot: Snapshot, advance: Advance) -> Catalogue:
    return _kept(snapshot, "tables", lambda path: write_catalogue(snapshot, path, advance), Catalogue)


def _words(snapshot: Snapshot, catalogue: Catalogue, advance: Advance) -> WordIndex:
    return _kept(snapshot, "words", lambda path: write_words(catalogue, path, advance), WordIndex)


def _kept(snapshot: Snapshot, kind: str, write: Callable[[Path], None], opened: Callable[[Path], T]) -> T:
    """What is in a file that is there, or is written now: in the store, or in a temporary folder."""
    path = _path(snapshot, kind)
    folder = path.parent
    try:
        folder.mkdir(exist_ok=True)
        with exclusive(folder / "lock", _LOCK_SECONDS) as is_mine:
            if is_mine:
                return _opened(path, opened) or _made(path, write, opened)
    except (OSError, sqlite3.OperationalError) as error:
        if not _cannot_be_written(error):
            raise
        _log.info("%s cannot be written (%s)", folder, error)
    return _opened(path, opened) or _made_elsewhere(write, opened)


def _opened(path: Path, opened: Callable[[Path], T]) -> T | None:
    """What is in a file, if it is there and can be read."""
    try:
        return opened(path) if path.exists() else None
    except sqlite3.Error as error:
        _log.warning("%s cannot be read (%s); it is made anew", path, error)
        return None


def _made(path: Path, write: Callable[[Path], None], opened: Callable[[Path], T]) -> T:
    """Write a file that gets its name when it is whole; what is there of other states goes, also of killed processes.

    Who has one of these open goes on reading it.
    """
    for other in path.parent.iterdir():
        if other.is_dir() and other.name.startswith("."):
            shutil.rmtree(other, ignore_errors=True)
        elif other.is_file() and other.stem != path.stem and other.name != "lock":
            other.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix=".making-", dir=path.parent) as making:
        unnamed = Path(making) / path.name
        write(unnamed)
        with unnamed.open("rb") as file:
            os.fsync(file.fileno())
        os.replace(unnamed, path)
    return opened(path)


def _made_elsewhere(write: Callable[[Path], None], opened: Callable[[Path], T]) -> T:
    """The same in a temporary folder. A file that is open needs no name, so nothing of it can be left behind."""
    try:
        with tempfile.TemporaryDirectory(prefix="rdfcrawl-catalogue-") as folder:
            path = Path(folder) / "file"
            write(path)
            return opened(path)
    except (OSError, sqlite3.OperationalError) as error:
        raise StoreError(f"the tables of the store cannot be prepared: {error}") from error


def _path(snapshot: Snapshot, kind: str) -> Path:
    """The file of a state, named after everything that it is made of: the current graphs, and what the models say."""
    held, schema = snapshot.data.held, snapshot.schema
    graphs = [(graph, held.graphs.get(graph)) for graph in held.default]
    columns = [
        (one.predicate, column.predicate, column.datatype) for one in schema.classes.values() for column in one.columns
    ]
    made_of = (_RULES, graphs, list(schema.classes), columns, schema.labels)
    name = hashlib.sha256(repr(made_of).encode()).hexdigest()[:32]
    return snapshot.files.folder.parent / "catalogue" / f"{name}.{kind}"


def _cannot_be_written(error: Exception) -> bool:
    return is_full_disk(error) or not isinstance(error, OSError) or error.errno in NOT_WRITABLE
