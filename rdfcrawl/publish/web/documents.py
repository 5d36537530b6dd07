"""Triples as documents: in the formats that clients ask for, with what is known about the document itself."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import pyoxigraph as ox
from starlette.exceptions import HTTPException

from rdfcrawl.errors import UsageError
from rdfcrawl.publish.data.objects import text_of
from rdfcrawl.publish.web.negotiation import CSV, N_QUADS, RDF_XML, Format
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import namespaces
from rdfcrawl.rdf.xml_names import writable_in_xml

DCT = "http://purl.org/dc/terms/"
FOAF = "http://xmlns.com/foaf/0.1/"
PREFIXES = {"dct": DCT, "foaf": FOAF, "prov": terms.PROV, "xsd": terms.XSD}

Statement = tuple[ox.Triple, str]
"""A triple and the name of its graph."""


def serialise(statements: Iterable[Statement], form: Format, prefixes: Mapping[str, str]) -> bytes:
    """Statements in a format; N-Quads keep the graphs, the other formats do not."""
    if form is CSV:
        return _csv(triple for triple, _ in statements)
    if form is N_QUADS:
        quads = dict.fromkeys(
            ox.Quad(triple.subject, triple.predicate, triple.object, ox.NamedNode(graph))
            for triple, graph in statements
        )
        return ox.serialize(quads, format=ox.RdfFormat.N_QUADS) or b""
    triples: Iterable[ox.Triple] = dict.fromkeys(triple for triple, _ in statements)
    if form is RDF_XML:
        try:
            triples = list(writable_in_xml(triples))
        except UsageError as error:
            raise HTTPException(406, str(error), {"Vary": "Accept"}) from None
    return ox.serialize(_ordered(triples), format=form.rdf, prefixes=usable_prefixes(prefixes)) or b""


def usable_prefixes(prefixes: Mapping[str, str]) -> dict[str, str]:
    """Our own prefixes and those of the models that stand for a namespace rather than for a page."""
    return PREFIXES | namespaces(prefixes)


def about_document(
    document: str, iri: str, graphs: Sequence[str], modified: datetime, source: str | None
) -> list[Statement]:
    """What a document says of itself: its topic, its date, and the runs and the page that it comes from."""
    found = [
        triple(document, FOAF + "primaryTopic", iri),
        triple(document, DCT + "modified", moment(modified)),
        *(triple(document, terms.PROV + "wasDerivedFrom", graph) for graph in graphs),
    ]
    if source:
        found.append(triple(iri, DCT + "source", source))
    return [(stated, document) for stated in found]


def triple(subject: str, predicate: str, value: str | ox.Literal) -> ox.Triple:
    """A statement; a text as its value is an IRI."""
    stated = ox.NamedNode(value) if isinstance(value, str) else value
    return ox.Triple(ox.NamedNode(subject), ox.NamedNode(predicate), stated)


def moment(at: datetime) -> ox.Literal:
    """A moment as a term."""
    return ox.Literal(at.isoformat(timespec="seconds"), datatype=ox.NamedNode(terms.DATE_TIME))


def _ordered(triples: Iterable[ox.Triple]) -> list[ox.Triple]:
    # Turtle groups what is adjacent, and people look for the object first.
    return sorted(triples, key=lambda triple: (str(triple.subject), str(triple.predicate), str(triple.object)))


def _csv(triples: Iterable[ox.Triple]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(("subject", "predicate", "object", "datatype", "language"))
    for triple in _ordered(dict.fromkeys(triples)):
        value = triple.object
        row = [text_of(triple.subject), triple.predicate.value, text_of(value), "", ""]
        if isinstance(value, ox.Literal):
            row[3:] = [value.datatype.value, value.language or ""]
        writer.writerow(row)
    return text.getvalue().encode()
