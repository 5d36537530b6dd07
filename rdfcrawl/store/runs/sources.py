"""From which pages the objects of a run were read: what ``explain`` and the pages for people say of it.

Most objects are named by the page that shows them, and need no statement. The record of a run names the pages of all
others: of objects that only a list shows, that several pages describe, whose address lacks a parameter. What is named
by an object and a fragment is a part of it, and needs a statement only if it was read from other pages.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final

from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.store.files.lines import lines_about
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles

READ_FROM: Final = f"{terms.RECORD}readFrom"
_READ_FROM: Final = iri(READ_FROM)

PARTS_FOLLOW: Final = 2
"""The version of the rules by which parts are read from the pages of their object; before, each spoke for itself."""


def named_page(subject: str) -> str:
    """The page in the name of an object."""
    return subject.partition("#")[0]


def deciding_names(subject: str, rules: int) -> Iterator[str]:
    """The objects whose statements say from which pages an object was read; the first that has some decides."""
    yield subject
    if rules >= PARTS_FOLLOW and "#" in subject:
        yield named_page(subject)


def note(subject: str, page: str) -> str:
    """That an object was read from a page (N-Triples texts), as a line that is sorted beside those of its parts."""
    name, mark, fragment = subject[1:-1].partition("#")
    return f"{name} {mark}{fragment} {page}"


def says_more(line: bytes) -> bool:
    """Whether a note names another page than the object does; where none does, no statement is needed."""
    name, _, page = line.split(b" ")
    return page[1:-1] != name


def telling(notes: Iterable[str]) -> Iterator[str]:
    """Of sorted notes those that say more than the names of the objects do, as statements without dot."""
    fields = (line.split(" ") for line in notes)
    for name, parts in groupby(fields, key=lambda noted: noted[0]):
        expected = [f"<{name}>"]
        for fragment, noted in groupby(parts, key=lambda noted: noted[1]):
            pages = [page for _, _, page in noted]
            if pages != expected:
                yield from (f"<{name}{fragment}> {_READ_FROM} {page}" for page in pages)
            if not fragment:
                expected = pages


def pages_of(runs: RunFiles, record: RunRecord, subject: str) -> list[str]:
    """The pages that a run has read an object from; none where the run did not note that."""
    if not record.sources or not runs.has_file(record, RunFile.RECORD):
        return []
    for name in deciding_names(subject, record.sources):
        try:
            lines = list(lines_about(runs.record_graph(record.id), iri(name).encode()))
        except DamagedFile:
            return []
        found = [split(line.decode()) for line in lines]
        if pages := [value[1:-1] for _, predicate, value in found if predicate == _READ_FROM]:
            return pages
    return [named_page(subject)]
