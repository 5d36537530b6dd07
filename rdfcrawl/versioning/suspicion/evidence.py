"""What the problems of a run say about its pages: which of them were read and had nothing where something must be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from itertools import groupby
from pathlib import Path
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri, split, term_text
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles

EMPTY_LIST: Final = "empty-list"
NO_ROOT: Final = "no-root"
NO_LINK: Final = "no-link"
BAD_ADDRESS: Final = "bad-address"
NO_VALUES: Final = "no-values"
MISFIT: Final = "misfit"
GONE: Final = "gone"

_ABOUT_PLACES: Final = frozenset({EMPTY_LIST, NO_ROOT, NO_VALUES, NO_LINK, BAD_ADDRESS})
"""Kinds of problems of a page that was read: what leads to the objects is not there."""


class Trouble(NamedTuple):
    """What problems have in common: a kind, on a kind of page, with a property or a path of the model."""

    kind: str
    page: str
    property: str | None
    path: str | None
    has_text: bool


@dataclass(frozen=True, slots=True)
class Evidence:
    """How often each trouble occurred, and what was bare: objects and parents (N-Triples text) by kind of problem."""

    troubles: Mapping[Trouble, int] = field(default_factory=dict)
    bare: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def is_bare(self, kind: str, name: str) -> bool:
        """Whether a problem of this kind is about the object or section."""
        return name in self.bare.get(kind, ())


def evidence_of(runs: RunFiles, record: RunRecord) -> Evidence:
    """The problems of a run, counted; nothing if its record in RDF is gone or damaged."""
    try:
        return _count(runs.path(record.id, RunFile.RECORD))
    except (OSError, DamagedFile, ValueError):
        # It is only needed to tell people more; other files decide what is known.
        return Evidence()


def _count(path: Path) -> Evidence:
    troubles: Counter[Trouble] = Counter()
    bare: dict[str, set[str]] = {}
    statements = (split(line.decode()) for line in read_lines(path))
    kind_of_problem = iri(terms.RECORD + "kind")
    for _, group in groupby(statements, key=lambda statement: statement[0]):
        said = {predicate: value for _, predicate, value in group}
        if kind_of_problem not in said:
            continue
        values = {name: said.get(iri(terms.RECORD + name)) for name in ("kind", "page", "property", "path")}
        kind, page, prop, xpath = (value and term_text(value) for value in values.values())
        troubles[Trouble(kind or "", page or "", prop, xpath, iri(terms.RECORD + "raw") in said)] += 1
        if kind in _ABOUT_PLACES:
            about = (said.get(iri(terms.RECORD + name)) for name in ("subject", "address"))
            bare.setdefault(kind, set()).update(name for name in about if name)
    return Evidence(troubles, {kind: frozenset(names) for kind, names in bare.items()})
