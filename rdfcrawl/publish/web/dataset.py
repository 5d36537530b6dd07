"""The data set in RDF: DCAT, VoID and PROV-O; and the record of a run."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

import pyoxigraph as ox
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from rdfcrawl.publish.data.classes import objects
from rdfcrawl.publish.data.snapshot import Snapshot, ended_at
from rdfcrawl.publish.web.documents import DCT, FOAF, PROV, moment, serialise
from rdfcrawl.publish.web.memento import memento_links
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS, Format, choose, named
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import link_header, not_found, send, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.record import RunRecord

DCAT = "http://www.w3.org/ns/dcat#"
VOID = "http://rdfs.org/ns/void#"
RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_PREFIXES = {"dcat": DCAT, "void": VOID, "rdfs": RDFS}

Value = ox.NamedNode | ox.Literal


def description(request: Request) -> Response:
    """``/`` for programs."""
    form = graph_format(request)
    site = site_of(request)
    root = site.root(request)
    with site.snapshots.using() as snapshot:
        statements = [(triple, f"{root}/") for triple in _triples(snapshot, root, site.title)]
        prefixes = {**snapshot.schema.prefixes, **_PREFIXES}
        modified = snapshot.modified
    headers = {"Link": link_header(memento_links(site, request)), "Vary": "Accept, Accept-Datetime"}
    return send(request, serialise(statements, form, prefixes), form, modified=modified, headers=headers)


def well_known(request: Request) -> Response:
    """``/.well-known/void``: where RFC 8615 clients look for the description."""
    if choose(request.headers.get("accept"), GRAPH_FORMATS) is None:
        return RedirectResponse("/", 303)
    return description(request)


def run_record(request: Request) -> Response:
    """``/run/ID`` for programs: the record of the run, problems included."""
    form = graph_format(request)
    with site_of(request).snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        graph = ox.NamedNode(record_iri(record.id))
        quads = snapshot.data.store.quads_for_pattern(None, None, None, graph)
        statements = [(quad.triple, graph.value) for quad in quads]
        if not statements:
            raise not_found(f"run {record.id} has not ended")
        body = serialise(statements, form, {"record": "predicate://record/"})
        return send(request, body, form, modified=ended_at(record))


def graph_format(request: Request) -> Format:
    """The format for triples that a client asks for."""
    wanted = request.query_params.get("format")
    form = named(wanted, GRAPH_FORMATS) if wanted else choose(request.headers.get("accept"), GRAPH_FORMATS)
    if form is None:
        offered = ", ".join(form.media for form in GRAPH_FORMATS)
        raise HTTPException(404 if wanted else 406, f"to be had are {offered}", {"Vary": "Accept"})
    return form


def _triples(snapshot: Snapshot, root: str, title: str) -> Iterator[ox.Triple]:
    dataset = f"{root}/#dataset"
    yield from _about(f"{root}/", [(FOAF + "primaryTopic", _iri(dataset))], VOID + "DatasetDescription")
    yield from _about(
        dataset,
        [
            (terms.RDF_TYPE, _iri(VOID + "Dataset")),
            (DCT + "title", ox.Literal(title)),
            (FOAF + "homepage", _iri(f"{root}/")),
            (VOID + "sparqlEndpoint", _iri(f"{root}/sparql")),
            (VOID + "uriLookupEndpoint", _iri(f"{root}/resource?iri=")),
            (VOID + "triples", _integer(sum(record.counts.triples for record in snapshot.current))),
            *((VOID + "feature", _iri(f"http://www.w3.org/ns/formats/{name}")) for name in ("Turtle", "JSON-LD")),
            *((DCT + "source", _iri(section.address)) for run in snapshot.current for section in run.sections),
            *((PROV + "wasDerivedFrom", _iri(record.iri)) for record in snapshot.current),
        ],
        DCAT + "Dataset",
    )
    if snapshot.complete:
        yield from _about(dataset, _dates(snapshot.complete[0].started, snapshot.modified))
    yield from _endpoint(dataset, root)
    yield from _partitions(snapshot, dataset)
    for record in snapshot.complete:
        yield from _run(record, dataset, root)


def _dates(first: datetime, last: datetime) -> list[tuple[str, Value]]:
    return [(DCT + "issued", moment(first)), (DCT + "modified", moment(last))]


def _endpoint(dataset: str, root: str) -> Iterator[ox.Triple]:
    service = f"{root}/#sparql"
    yield from _about(dataset, [(DCAT + "distribution", _iri(service))])
    yield from _about(
        service,
        [
            (DCAT + "accessURL", _iri(f"{root}/sparql")),
            (DCAT + "endpointURL", _iri(f"{root}/sparql")),
            (DCT + "title", ox.Literal("SPARQL endpoint")),
        ],
        DCAT + "Distribution",
    )


def _partitions(snapshot: Snapshot, dataset: str) -> Iterator[ox.Triple]:
    for number, shown in enumerate(snapshot.schema.classes.values(), 1):
        part = f"{dataset}-class-{number}"
        yield from _about(dataset, [(VOID + "propertyPartition", _iri(part))])
        yield from _about(
            part,
            [
                (VOID + "property", _iri(shown.predicate)),
                (VOID + "distinctObjects", _integer(len(objects(snapshot, shown.predicate)))),
                (RDFS + "label", ox.Literal(shown.name)),
            ],
        )


def _run(record: RunRecord, dataset: str, root: str) -> Iterator[ox.Triple]:
    dump = f"{root}/run/{record.id}/dump.nq.gz"
    yield from _about(dataset, [(DCAT + "distribution", _iri(f"{dump}#distribution")), (VOID + "dataDump", _iri(dump))])
    yield from _about(
        f"{dump}#distribution",
        [
            (DCAT + "downloadURL", _iri(dump)),
            (DCAT + "accessURL", _iri(dump)),
            (DCAT + "mediaType", _iri("https://www.iana.org/assignments/media-types/application/n-quads")),
            (DCAT + "compressFormat", _iri("https://www.iana.org/assignments/media-types/application/gzip")),
            (DCT + "issued", moment(ended_at(record))),
            (PROV + "wasGeneratedBy", _iri(record_iri(record.id))),
        ],
        DCAT + "Distribution",
    )
    yield from _about(
        record_iri(record.id),
        [
            (PROV + "startedAtTime", moment(record.started)),
            (PROV + "endedAtTime", moment(ended_at(record))),
            (PROV + "generated", _iri(record.iri)),
            (PROV + "used", _iri(f"model://{record.model.digest}")),
            *((PROV + "used", _iri(section.address)) for section in record.sections),
        ],
        PROV + "Activity",
    )


def _about(subject: str, statements: list[tuple[str, Value]], kind: str | None = None) -> Iterator[ox.Triple]:
    if kind:
        yield ox.Triple(_iri(subject), _iri(terms.RDF_TYPE), _iri(kind))
    for predicate, value in statements:
        yield ox.Triple(_iri(subject), _iri(predicate), value)


def _iri(address: str) -> ox.NamedNode:
    return ox.NamedNode(address)


def _integer(count: int) -> ox.Literal:
    return ox.Literal(str(count), datatype=_iri(terms.INTEGER))
