"""What a run left unread, in a separate file: after an outage it can be as large as the run itself.

The file is sorted, compressed N-Quads like the run's graph::

    OBJECT rdf:type <predicate://record/Unread> <record://ID> .
    PARENT <predicate://record/unreadList> PREDICATE <record://ID> .
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.rdf.ntriples import RDF_TYPE, iri
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.files.whole import packed_whole

_UNREAD: Final = iri(f"{terms.METAMODEL}record/Unread")
_LIST: Final = iri(f"{terms.METAMODEL}record/unreadList")


@dataclass(frozen=True, slots=True)
class Unread:
    """What a run did not get to see, so that its absence means nothing.

    ``objects`` are the IRIs of objects whose own page could not be read; ``lists`` are pairs of an
    enclosing object (or section) and the predicate to the objects of a list that was not read to its end.
    """

    objects: tuple[str, ...] = ()
    lists: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.objects or self.lists)


NOTHING_UNREAD: Final = Unread()


def write_unread(path: Path, run: int, unread: Unread) -> None:
    """Write the file of what a run left unread; a run that has read everything has no such file."""
    if not unread:
        path.unlink(missing_ok=True)
        return
    record = iri(record_iri(run))
    lines = {f"{iri(name)} {RDF_TYPE} {_UNREAD} {record} .\n".encode() for name in unread.objects}
    lines |= {f"{iri(parent)} {_LIST} {iri(name)} {record} .\n".encode() for parent, name in unread.lists}
    with packed_whole(path) as file:
        file.writelines(sorted(lines))


def load_unread(path: Path) -> Unread:
    """What ``write_unread`` wrote."""
    objects: list[str] = []
    lists: list[tuple[str, str]] = []
    for line in read_lines(path):
        # An IRI contains no space.
        subject, predicate, name, *_ = line.decode().split(" ")
        if predicate == _LIST:
            lists.append((subject[1:-1], name[1:-1]))
        else:
            objects.append(subject[1:-1])
    return Unread(tuple(sorted(objects)), tuple(sorted(lists)))
