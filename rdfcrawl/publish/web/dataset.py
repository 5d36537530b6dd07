"""The data set in RDF: DCAT, VoID and PROV-O; and the record of a run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rdfcrawl.publish.data.classes import number_of_objects
from rdfcrawl.publish.data.current import triple_count
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at, ended_at
from rdfcrawl.publish.web.documents import DCT, FOAF, moment, serialise, triple
from rdfcrawl.publish.web.memento import memento_headers, memento_links
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS, choose
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import link_header, negotiated, not_found, send, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.location import without_folders
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.sources import READ_FROM

DCAT = "http://www.w3.org/ns/dcat#"
VOID = "http://rdfs.org/ns/void#"
_PLACES = (terms.RECORD + "source", terms.RECORD + "replay")
_MEDIA_TYPES = "https://www.iana.org/assignments/media-types/"
_PREFIXES = {"dcat": DCAT, "void": VOID, "rdfs": terms.RDFS}

Value = str | ox.Literal
"""What a statement says; a text is an IRI."""


def description(request: Request) -> Response:
    """``/`` for programs."""
    form = negotiated(request, GRAPH_FORMATS)
    site = site_of(request)
    root = site.root(request)
    with site.snapshots.using() as snapshot:
        statements = [(triple, f"{root}/") for triple in _triples(snapshot, root, site.title)]
        prefixes = {**snapshot.schema.prefixes, **_PREFIXES}
        modified = snapshot.modified
    headers = {"Link": link_header(memento_links(site, request))}
    return send(request, serialise(statements, form, prefixes), form, modified=modified, headers=headers)


def well_known(request: Request) -> Response:
    """``/.well-known/void``: where RFC 8615 clients look for the description."""
    if choose(request.headers.get("accept"), GRAPH_FORMATS) is None:
        return RedirectResponse("/", 303)
    return description(request)


def run_record(request: Request) -> Response:
    """``/run/ID`` for programs: the record of the run and its problems; not from where each object was read."""
    form = negotiated(request, GRAPH_FORMATS)
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        graph = ox.NamedNode(record_iri(record.id))
        # From where each object was read is as much as there are objects; whoever needs it can ask for it with SPARQL.
        # The iterator has no name: in the traceback of an error it would reach another thread, which must not drop it.
        statements = [
            (_published(quad.triple), graph.value)
            for quad in snapshot.data.store.quads_for_pattern(None, None, None, graph)
            if quad.predicate.value != READ_FROM
        ]
        if not statements:
            raise not_found(f"run {record.id} has no record: it has not ended, or it was pruned")
        body = serialise(statements, form, {"record": terms.RECORD})
        headers = memento_headers(request, snapshot, record) if record in snapshot.complete else None
        return send(request, body, form, modified=changed_at(record), headers=headers)


def _published(said: ox.Triple) -> ox.Triple:
    """A statement of a record; those of earlier versions name folders of the machine that has crawled."""
    if said.predicate.value in _PLACES and isinstance(said.object, ox.Literal):
        return ox.Triple(said.subject, said.predicate, ox.Literal(without_folders(said.object.value)))
    return said


def _triples(snapshot: Snapshot, root: str, title: str) -> Iterator[ox.Triple]:
    dataset = f"{root}/#dataset"
    yield from _about(f"{root}/", [(FOAF + "primaryTopic", dataset)], VOID + "DatasetDescription")
    yield from _about(
        dataset,
        [
            (terms.RDF_TYPE, VOID + "Dataset"),
            (DCT + "title", ox.Literal(title)),
            (FOAF + "homepage", f"{root}/"),
            (VOID + "sparqlEndpoint", f"{root}/sparql"),
            (VOID + "uriLookupEndpoint", f"{root}/resource?iri="),
            (VOID + "triples", _integer(triple_count(snapshot))),
            *((VOID + "feature", f"http://www.w3.org/ns/formats/{name}") for name in ("Turtle", "JSON-LD")),
            *((DCT + "source", section.address) for run in snapshot.current for section in run.sections),
            *((terms.PROV + "wasDerivedFrom", record.iri) for record in snapshot.current),
        ],
        DCAT + "Dataset",
    )
    if snapshot.complete:
        yield from _about(dataset, _dates(snapshot.complete[0].started, snapshot.modified))
        about: list[tuple[str, Value]] = [
            (DCT + "title", ox.Literal(f"{title}: the current state")),
            (DCT + "modified", moment(snapshot.modified)),
        ]
        yield from _dump(dataset, f"{root}/current.nt.gz", "application/n-triples", about)
    yield from _endpoint(dataset, root)
    yield from _partitions(snapshot, dataset)
    for record in snapshot.complete:
        yield from _run(record, dataset, root, title)


def _dates(first: datetime, last: datetime) -> list[tuple[str, Value]]:
    return [(DCT + "issued", moment(first)), (DCT + "modified", moment(last))]


def _endpoint(dataset: str, root: str) -> Iterator[ox.Triple]:
    service = f"{root}/#sparql"
    yield from _about(dataset, [(DCAT + "distribution", service)])
    yield from _about(
        service,
        [
            (DCAT + "accessURL", f"{root}/sparql"),
            (DCAT + "endpointURL", f"{root}/sparql"),
            (DCT + "title", ox.Literal("SPARQL endpoint")),
        ],
        DCAT + "Distribution",
    )


def _partitions(snapshot: Snapshot, dataset: str) -> Iterator[ox.Triple]:
    for number, shown in enumerate(snapshot.schema.classes.values(), 1):
        part = f"{dataset}-class-{number}"
        yield from _about(dataset, [(VOID + "propertyPartition", part)])
        yield from _about(
            part,
            [
                (VOID + "property", shown.predicate),
                (VOID + "distinctObjects", _integer(number_of_objects(snapshot, shown.predicate))),
                (terms.RDFS + "label", ox.Literal(shown.name)),
            ],
        )


def _dump(dataset: str, dump: str, media: str, about: list[tuple[str, Value]]) -> Iterator[ox.Triple]:
    yield from _about(dataset, [(DCAT + "distribution", f"{dump}#distribution"), (VOID + "dataDump", dump)])
    yield from _about(
        f"{dump}#distribution",
        [
            (DCAT + "downloadURL", dump),
            (DCAT + "accessURL", dump),
            (DCAT + "mediaType", f"{_MEDIA_TYPES}{media}"),
            (DCAT + "compressFormat", f"{_MEDIA_TYPES}application/gzip"),
            *about,
        ],
        DCAT + "Distribution",
    )


def _run(record: RunRecord, dataset: str, root: str, title: str) -> Iterator[ox.Triple]:
    about: list[tuple[str, Value]] = [
        (DCT + "title", ox.Literal(f"{title}: run {record.id}")),
        (DCT + "issued", moment(ended_at(record))),
        (terms.PROV + "wasGeneratedBy", record_iri(record.id)),
    ]
    yield from _dump(dataset, f"{root}/run/{record.id}/dump.nq.gz", "application/n-quads", about)
    yield from _about(
        record_iri(record.id),
        [
            (terms.PROV + "startedAtTime", moment(record.started)),
            (terms.PROV + "endedAtTime", moment(ended_at(record))),
            (terms.PROV + "generated", record.iri),
            (terms.PROV + "used", f"model://{record.model.digest}"),
            *((terms.PROV + "used", section.address) for section in record.sections),
        ],
        terms.PROV + "Activity",
    )


def _about(subject: str, statements: list[tuple[str, Value]], kind: str | None = None) -> Iterator[ox.Triple]:
    if kind:
        yield triple(subject, terms.RDF_TYPE, kind)
    for predicate, value in statements:
        yield triple(subject, predicate, value)


def _integer(count: int) -> ox.Literal:
    return ox.Literal(str(count), datatype=ox.NamedNode(terms.INTEGER))
