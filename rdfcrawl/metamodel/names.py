"""The prefixes that every model may use, and suggestions for misspelt names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Final

from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import last_part

STANDARD_PREFIXES: Final = {
    "": terms.METAMODEL,
    "type": terms.TYPE,
    "scope": terms.SCOPE,
    "part": terms.PART,
    "alert": terms.ALERT,
    "xsd": terms.XSD,
}


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that was probably meant, if any is close enough; only the last part of each is compared."""
    by_last_part = {_last_part(candidate): candidate for candidate in candidates}
    near = get_close_matches(_last_part(word), by_last_part, n=1, cutoff=0.7)
    return by_last_part[near[0]] if near else None


def _last_part(name: str) -> str:
    return last_part(name.strip('<>"'))
