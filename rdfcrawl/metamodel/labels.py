"""The label of an object: one rule for reports, feeds and pages.

The label is a literal that is not blank, of the first of these predicates that the object has: those that the model
marks with ``:label``, well-known label predicates, then properties that are called label, name or title. Of several
values the first in the order of N-Triples counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rdfcrawl.metamodel.model import Model, Property
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import last_part

WELL_KNOWN_LABELS: Final = (
    terms.RDFS + "label",
    "http://www.w3.org/2004/02/skos/core#prefLabel",
    "https://schema.org/name",
    "http://schema.org/name",
    "http://xmlns.com/foaf/0.1/name",
    "http://purl.org/dc/terms/title",
    "http://purl.org/dc/elements/1.1/title",
)
_WORDS: Final = ("label", "name", "title")


def label_predicates(models: Sequence[Model], written: Iterable[str] = ()) -> tuple[str, ...]:
    """The predicates of labels, best first; ``written`` are predicates of runs whose model may be gone."""
    properties = [prop for model in models for item in model.items() for prop in item.properties]
    marked = (prop.predicate for prop in properties if prop.label)
    return tuple(dict.fromkeys((*marked, *WELL_KNOWN_LABELS, *_worded(properties, written))))


def _worded(properties: Sequence[Property], written: Iterable[str]) -> Iterator[str]:
    called = [*((prop.iri, prop.predicate) for prop in properties), *((name, name) for name in sorted(written))]
    for word in _WORDS:
        yield from (predicate for iri, predicate in called if last_part(iri).lower() == word)
