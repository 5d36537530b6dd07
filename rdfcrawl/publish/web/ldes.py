"""The changes as a Linked Data Event Stream: one fragment per run, one member per version of an object."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import pyoxigraph as ox
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.data.changes import run_changes
from rdfcrawl.publish.data.objects import document_triples
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.web.documents import DCT, moment, serialise, triple
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import Site, link_header, negotiated, not_found, number, send, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.changes import UNCERTAIN, ChangeKind

LDES = "https://w3id.org/ldes#"
TREE = "https://w3id.org/tree#"
ACTIVITIES = "https://www.w3.org/ns/activitystreams#"
SHACL = "http://www.w3.org/ns/shacl#"
MEMBERS = 500
_PREFIXES = {"ldes": LDES, "tree": TREE, "as": ACTIVITIES, "sh": SHACL}


def stream(request: Request) -> Response:
    """``/ldes``: the stream, and a view of it that leads to the fragments of all runs."""
    site, form = site_of(request), negotiated(request, GRAPH_FORMATS)
    root = site.root(request)
    with site.snapshots.using() as snapshot:
        triples = [*_stream(root), *_shape(root, sorted(snapshot.items)), *_relations(snapshot, root)]
        body = serialise([(found, root) for found in triples], form, _PREFIXES)
        return send(request, body, form, modified=snapshot.modified)


def fragment(request: Request) -> Response:
    """``/ldes/ID``: the versions that a run has brought; such a fragment changes only if a suspicion is accepted."""
    site, form = site_of(request), negotiated(request, GRAPH_FORMATS)
    root = site.root(request)
    page = number(request.query_params.get("page"))
    with site.snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        if record not in snapshot.complete:
            raise not_found(f"run {record.id} is not complete")
        address = _fragment(root, record, page)
        triples = list(_stream(root))
        changed = _changed_objects(snapshot, record)
        for iri, gone in islice(changed.items(), (page - 1) * MEMBERS, page * MEMBERS):
            triples += _member(site, root, snapshot, record, iri, gone)
        triples.append(triple(address, terms.RDF_TYPE, TREE + "Node"))
        if len(changed) > page * MEMBERS:
            triples += _relation(address, _fragment(root, record, page + 1), "Relation")
        body = serialise([(found, root) for found in triples], form, {**snapshot.schema.prefixes, **_PREFIXES})
        headers = {"Link": link_header([(f"{root}/ldes", 'rel="collection"')])}
        if site.addresses.root is not None and not record.open_suspicions:
            # What is suspected can still become a removal.
            # Without --base, the addresses in it are those that the first to ask has put into the Host header.
            headers["Cache-Control"] = "public, max-age=604800, immutable"
        return send(request, body, form, modified=changed_at(record), headers=headers)


def _changed_objects(snapshot: Snapshot, record: RunRecord) -> dict[str, bool]:
    """The objects with a new version, and whether that is their end; nested changes count for their page's object."""

    def find() -> dict[str, bool]:
        found: dict[str, bool] = {}
        sections = {section.address for section in record.sections}
        for change in run_changes(snapshot, record.id):
            if change.model or change.kind in UNCERTAIN:
                continue
            holder = _holder(snapshot, record, change.subject)
            if holder != change.subject or (change.target and change.subject not in sections):
                found.setdefault(holder, False)
            if holder != change.subject:
                continue
            if change.target is None or change.subject in sections or "#" not in change.target:
                gone = change.kind in (ChangeKind.REMOVED, ChangeKind.REPLACED) and change.target is not None
                found[change.target or change.subject] = gone
                if change.successor:
                    found[change.successor] = False
        return found

    return snapshot.keep(("changed objects", record.id), find)


def _holder(snapshot: Snapshot, record: RunRecord, iri: str) -> str:
    """The object whose member an object is part of: that of its page, or itself if the page is not an object."""
    page = iri.partition("#")[0]
    if page == iri or page in record.addresses:
        return iri
    stated = snapshot.data.store.quads_for_pattern(ox.NamedNode(page), None, None, ox.NamedNode(record.iri))
    return page if next(iter(stated), None) else iri


def _member(site: Site, root: str, snapshot: Snapshot, record: RunRecord, iri: str, gone: bool) -> Iterator[ox.Triple]:
    version = root + site.addresses.in_run(record.id, iri)
    yield triple(_name(root), TREE + "member", version)
    yield triple(version, DCT + "isVersionOf", iri)
    yield triple(version, terms.PROV + "generatedAtTime", moment(record.started))
    if gone:
        yield triple(version, terms.RDF_TYPE, ACTIVITIES + "Delete")
        return
    for said, _ in document_triples(snapshot, iri, (ox.NamedNode(record.iri),)):
        is_object = isinstance(said.subject, ox.NamedNode) and said.subject.value == iri
        yield ox.Triple(ox.NamedNode(version), said.predicate, said.object) if is_object else said


def _stream(root: str) -> Iterator[ox.Triple]:
    name = _name(root)
    yield triple(name, terms.RDF_TYPE, LDES + "EventStream")
    yield triple(name, TREE + "view", f"{root}/ldes")
    yield triple(name, LDES + "timestampPath", terms.PROV + "generatedAtTime")
    yield triple(name, LDES + "versionOfPath", DCT + "isVersionOf")


def _shape(root: str, items: Sequence[str]) -> Iterator[ox.Triple]:
    """What belongs to a member besides its own statements: the objects inside it, and those inside these.

    Clients that know no shapes take only what is said of the member itself, because nested objects have names.
    """
    shape = f"{root}/ldes#member"
    yield triple(_name(root), TREE + "shape", shape)
    yield triple(shape, terms.RDF_TYPE, SHACL + "NodeShape")
    for place, item in enumerate(items, 1):
        inside = f"{shape}-{place}"
        yield triple(shape, SHACL + "property", inside)
        yield triple(inside, SHACL + "path", item)
        yield triple(inside, SHACL + "node", shape)


def _relations(snapshot: Snapshot, root: str) -> Iterator[ox.Triple]:
    view = f"{root}/ldes"
    yield triple(view, terms.RDF_TYPE, TREE + "Node")
    for record in snapshot.complete:
        target = _fragment(root, record, 1)
        yield from _relation(view, target, "EqualToRelation")
        relation = f"{target}#relation"
        yield triple(relation, TREE + "path", terms.PROV + "generatedAtTime")
        yield triple(relation, TREE + "value", moment(record.started))


def _relation(node: str, target: str, kind: str) -> Iterator[ox.Triple]:
    relation = f"{target}#relation"
    yield triple(node, TREE + "relation", relation)
    yield triple(relation, terms.RDF_TYPE, TREE + kind)
    yield triple(relation, TREE + "node", target)


def _name(root: str) -> str:
    """The stream itself; ``/ldes`` is its first page."""
    return f"{root}/ldes#stream"


def _fragment(root: str, record: RunRecord, page: int) -> str:
    return f"{root}/ldes/{record.id}" + (f"?page={page}" if page > 1 else "")
