"""The suspicions of a run as RDF, beside its changes, so that they can be queried."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha1
from typing import Final

from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.ntriples import RDF_TYPE, iri, literal
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.suspicion import Suspicion

_NAME: Final = "#suspicion-"


def suspicion_triples(record: RunRecord) -> Iterator[str]:
    """The suspicions of a run, also those that were accepted."""
    for suspicion in record.suspicions:
        yield from (f"{triple} ." for triple in _triples(record, suspicion))


def is_suspicion(line: str, run: int) -> bool:
    """Whether a line is a part of such a suspicion."""
    return line.startswith(f"<{run_iri(run)}{_NAME}")


def _triples(record: RunRecord, suspicion: Suspicion) -> Iterator[str]:
    short = sha1(repr(suspicion.key).encode(), usedforsecurity=False).hexdigest()
    name = iri(f"{record.iri}{_NAME}{short}")
    yield f"{name} {RDF_TYPE} {_term('Suspicion')}"
    yield f"{name} {_term('item')} {iri(suspicion.item)}"
    if suspicion.prop is not None:
        yield f"{name} {_term('property')} {iri(suspicion.prop)}"
    for term, number in (("missing", suspicion.lost), ("known", suspicion.known), ("come", suspicion.come)):
        yield f"{name} {_term(term)} {literal(str(number), terms.INTEGER)}"
    yield f"{name} {_term('since')} {iri(run_iri(suspicion.since))}"
    if (selector := suspicion.selector) is not None:
        yield f"{name} {_term('term')} {iri(selector.term)}"
        yield f"{name} {_term('selector')} {literal(f':{selector.name} {selector.text}')}"
        yield f"{name} {_term('place')} {literal(selector.place)}"
    if suspicion.accepted is not None:
        yield f"{name} {_term('accepted')} {literal(suspicion.accepted.isoformat(), terms.DATE_TIME)}"


def _term(name: str) -> str:
    return iri(terms.RECORD + name)
