"""Which recognisers there are: those of this package, and those that others install under an entry point.

A plugin announces itself in its own ``pyproject.toml``, by the full IRI under which models ask for it::

    [project.entry-points."rdfcrawl.recognisers"]
    "https://example.org/recognise/isbn" = "my_package:IsbnRecogniser"

What it names is called with the ``:names`` of the property (or ``None``) and returns a ``Recogniser``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from rdfcrawl.errors import UsageError
from rdfcrawl.recognise.email import EmailRecogniser
from rdfcrawl.recognise.finds import Recogniser
from rdfcrawl.recognise.person.recogniser import PersonRecogniser
from rdfcrawl.recognise.sets.recogniser import PersonBySets

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP: Final = "rdfcrawl.recognisers"
NAMESPACE: Final = "recognise://"

BUILT_IN: Final[Mapping[str, Callable[[str | None], Recogniser]]] = {
    f"{NAMESPACE}person": PersonRecogniser,
    f"{NAMESPACE}personBySets": PersonBySets,
    f"{NAMESPACE}email": EmailRecogniser,
}


@lru_cache(maxsize=64)
def recogniser(iri: str, names: str | None = None) -> Recogniser:
    """The recogniser that an IRI names, with a list of names of the user's own if given."""
    make = BUILT_IN.get(iri)
    if make is None:
        make = next((entry.load() for entry in _installed() if entry.name == iri), None)
    if make is None:
        raise UsageError(f"there is no recogniser {iri}; there are: {', '.join(known_recognisers())}")
    return make(names)


def known_recognisers() -> tuple[str, ...]:
    """The IRIs of all recognisers, sorted."""
    return tuple(sorted({*BUILT_IN, *(entry.name for entry in _installed())}))


def _installed() -> Iterable[EntryPoint]:
    # Few models ask for a recogniser that others have made; importing what finds it takes longer than all of ours.
    from importlib.metadata import entry_points

    return entry_points(group=GROUP)
