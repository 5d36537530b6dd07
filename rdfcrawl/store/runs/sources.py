"""From which pages the objects of a run were read: what ``explain`` and the pages for people say of it.

Most objects are named by the page that shows them, and need no statement. The record of a run names the pages of all
others: of objects that only a list shows, that several pages describe, whose address lacks a parameter.
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


def named_page(subject: str) -> str:
    """The page in the name of an object."""
    return subject.partition("#")[0]


def statement(subject: str, address: str) -> str:
    """That an object (N-Triples text) was read from the page at an address, without dot."""
    return subject + read_from(address)


def read_from(address: str) -> str:
    """What follows an object in the statement that it was read from the page at an address."""
    return f" {_READ_FROM} {iri(address)}"


def telling(statements: Iterable[str]) -> Iterator[str]:
    """Of sorted statements those that say more than the names of the objects do."""
    for subject, group in groupby(statements, key=lambda line: line[: line.index(" ")]):
        found = list(group)
        if found != [statement(subject, named_page(subject[1:-1]))]:
            yield from found


def pages_of(runs: RunFiles, record: RunRecord, subject: str) -> list[str]:
    """The pages that a run has read an object from; none where the run did not note that."""
    if not record.sources or not runs.has_file(record, RunFile.RECORD):
        return []
    try:
        lines = list(lines_about(runs.record_graph(record.id), iri(subject).encode()))
    except DamagedFile:
        return []
    found = [split(line.decode()) for line in lines]
    return [value[1:-1] for _, predicate, value in found if predicate == iri(READ_FROM)] or [named_page(subject)]
