"""A comparison as text for machines: the thesis's triples in Turtle, JSON, and RDF Patch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from itertools import groupby

from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.ntriples import literal_parts, split, term_text
from rdfcrawl.store.runs.suspicion import Suspicion
from rdfcrawl.versioning.changes import ChangeKind, PropertyChange
from rdfcrawl.versioning.diff import Difference
from rdfcrawl.versioning.models import ModelChange
from rdfcrawl.versioning.report import Report, ReportedChange
from rdfcrawl.versioning.sites import SiteChange, site_changes
from rdfcrawl.versioning.suspicion.wording import in_words


def to_turtle(report: Report) -> str:
    """The triples that the changes store has, grouped by subject."""
    changes = (*(entry.change for entry in report.entries), *report.edits)
    triples = sorted({triple for change in changes for triple in change.triples})
    lines = [f"# {in_words(suspicion, {})}" for suspicion in report.suspicions]
    lines.append(f"@prefix : <{terms.METAMODEL}> .")
    for subject, group in groupby((split(triple) for triple in triples), key=lambda triple: triple[0]):
        statements = [f"    :{predicate[len(terms.METAMODEL) + 1 : -1]} {value}" for _, predicate, value in group]
        lines += ["", subject, " ;\n".join(statements) + " ."]
    return "\n".join(lines) + "\n"


def to_json(report: Report) -> str:
    """Everything that the text for people says; values are terms as in SPARQL's JSON results."""
    summary = report.summary()
    counts = summary.changes
    words = site_changes(entry.change for entry in report.entries)
    return json.dumps(
        {
            "old": [run_iri(run) for run in report.old_runs],
            "new": run_iri(report.new_run),
            "changes": [_entry(entry) for entry in report.entries],
            **({"site": _site(words, summary.site)} if words else {}),
            "model": [_edit(edit) for edit in report.edits],
            "suspicions": [_suspicion(suspicion) for suspicion in report.suspicions],
            "counts": {str(kind): counts.by_kind.get(kind, 0) for kind in ChangeKind},
            "objects": {str(kind): counts.objects.get(kind, 0) for kind in ChangeKind},
            "values": {str(kind): counts.values.get(kind, 0) for kind in ChangeKind},
        },
        ensure_ascii=False,
        indent=1,
    )


def _site(words: Mapping[str, SiteChange], counts: Mapping[str, int]) -> dict[str, object]:
    addresses = {str(word): sorted(name[1:-1] for name, said in words.items() if said is word) for word in SiteChange}
    return {"counts": dict(counts), "addresses": {word: names for word, names in addresses.items() if names}}


def to_patch(differences: Iterable[Difference], comments: Iterable[str] = ()) -> Iterator[str]:
    """The lines of an RDF Patch that turns the old graph into the new one."""
    yield from (f"# {comment}" for comment in comments)
    yield "TX ."
    for difference in differences:
        yield f"{'A' if difference.added else 'D'} {difference.line}"
    yield "TC ."


def term_json(term: str) -> dict[str, str]:
    """A term (N-Triples text) as in SPARQL's JSON results."""
    if term[0] == "<":
        return {"type": "uri", "value": term[1:-1]}
    text, datatype, language = literal_parts(term)
    found = {"type": "literal", "value": text}
    if language:
        return found | {"xml:lang": language}
    return found if datatype == terms.STRING else found | {"datatype": datatype}


def property_json(change: PropertyChange) -> dict[str, object]:
    """A property's change: what happened to it, and the values that only one side has."""
    words = change.words
    return {
        "kind": str(change.kind),
        "property": change.predicate[1:-1],
        "old": [term_json(value) for value in change.old],
        "new": [term_json(value) for value in change.new],
        **({"words": [{"in": str(piece.kind), "text": piece.text} for piece in words]} if words else {}),
    }


def _entry(entry: ReportedChange) -> dict[str, object]:
    change = entry.change
    found: dict[str, object] = {
        "kind": str(change.kind),
        "section": entry.section and entry.section[1:-1],
        "class": entry.item and entry.item[1:-1],
        "subject": change.subject[1:-1],
        "label": entry.label and term_text(entry.label),
    }
    if isinstance(change, PropertyChange):
        return found | property_json(change)
    found["object"] = change.object[1:-1]
    found["subjectLabel"] = entry.parent_label and term_text(entry.parent_label)
    if entry.replaced_by:
        found["replacedBy"] = {
            "object": entry.replaced_by.object[1:-1],
            "label": entry.replaced_by.label and term_text(entry.replaced_by.label),
            "changes": [property_json(difference) for difference in entry.replaced_by.changes],
        }
    return found


def _suspicion(suspicion: Suspicion) -> dict[str, object]:
    selector = suspicion.selector
    return {
        "class": suspicion.item,
        "property": suspicion.prop,
        "in": suspicion.parent,
        "missing": suspicion.lost,
        "of": suspicion.known,
        "come": suspicion.come,
        "since": run_iri(suspicion.since),
        "selector": selector and {**asdict(selector), "name": terms.METAMODEL + selector.name},
    }


def _edit(edit: ModelChange) -> dict[str, object]:
    return {"kind": str(edit.kind), "part": str(edit.part), "iri": edit.iri, "explains": edit.count}
