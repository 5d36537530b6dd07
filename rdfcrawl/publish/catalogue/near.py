"""What somebody may have meant who asked for an object that is not there; the work is the same in a large catalogue."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Final
from urllib.parse import unquote

from rdfcrawl.publish.catalogue.keeping import catalogue_soon, words_soon
from rdfcrawl.publish.data.objects import label
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf.names import last_part

LONGEST: Final = 80
"""Characters of a name that are compared."""
_NEIGHBOURS: Final = 5
_COMPARED: Final = 100
_BEGINNING: Final = 3
"""So many letters of a word are taken to be right."""
_LEAST: Final = 0.6
_BETWEEN_WORDS: Final = re.compile(r"[\W_]+")
_SUFFIX: Final = re.compile(r"\.(?:html?|php|aspx?|ttl|nt|nq|rdf|jsonld|json|csv)$")


def name_in(asked: str) -> str:
    """The words of the last part of an address or IRI, as somebody would search for them."""
    return " ".join(_BETWEEN_WORDS.sub(" ", unquote(_SUFFIX.sub("", last_part(asked)))).split())[:LONGEST]


def near_objects(snapshot: Snapshot, asked: str, at_most: int) -> list[str]:
    """Objects whose IRI or label is close to what was asked for, the closest first.

    Looked at are those that would stand beside it in the order of all IRIs, and some with a word that begins like one
    of it.
    """
    name = name_in(asked).casefold()
    catalogue = catalogue_soon(snapshot)
    words = words_soon(snapshot) if catalogue else None
    if catalogue is None or words is None:
        return []
    found = dict.fromkeys(catalogue.beside(asked, _NEIGHBOURS))
    beginnings = [word[:_BEGINNING] for word in name.split() if len(word) >= _BEGINNING]
    found |= dict.fromkeys(words.beginning(catalogue, beginnings, _COMPARED))
    close = [(_closeness(snapshot, iri, asked, name), iri) for iri in found]
    return [iri for closeness, iri in sorted(close, key=lambda one: (-one[0], one[1])) if closeness >= _LEAST][:at_most]


def _closeness(snapshot: Snapshot, iri: str, asked: str, name: str) -> float:
    """How much the name is like the label or the last part of the IRI; the same IRI in another spelling is closest."""
    if _plain(iri) == _plain(asked):
        return 1.0
    called = (label(snapshot, iri) or "")[:LONGEST].casefold()
    return max(_likeness(name, called), _likeness(name, name_in(iri).casefold()))


def _likeness(one: str, other: str) -> float:
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if one and other else 0.0


def _plain(iri: str) -> str:
    return iri.partition("#")[0].partition("://")[2].rstrip("/").casefold()
