"""The rules about ``:recognise``: it names a recogniser that is there, and its list can be read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from rdflib import Literal, URIRef

from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.names import closest
from rdfcrawl.metamodel.statements.description import Description

PLUGINS: Final = "rdfcrawl.recognisers"
"""The entry points under which others install recognisers, by their IRIs."""
RECOGNISERS: Final = ("recognise://email", "recognise://person", "recognise://personBySets")


def recognisers_are_there(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A recogniser that nobody knows finds nothing."""
    for resource, value in description.with_term("recognise"):
        if not isinstance(value, URIRef) or str(value) in RECOGNISERS:
            continue
        if str(value) in (known := {*RECOGNISERS, *_plugins()}):
            continue
        meant = closest(str(value), sorted(known))
        advice = (
            f"did you mean <{meant}>?" if meant else f"there are {', '.join(f'<{name}>' for name in sorted(known))}"
        )
        yield reporter.error(resource, f"there is no recogniser <{value}>", advice, term="recognise", value=value)


def _plugins() -> set[str]:
    # Only when a model needs it: it looks at everything that is installed.
    from importlib.metadata import entry_points

    return entry_points(group=PLUGINS).names


def recognisers_stand_alone(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A recogniser searches text, and only a recogniser needs a list of names."""
    for resource, value in description.with_term("names"):
        if not description.values(resource, "recognise"):
            advice = "add :recognise recognise:person, or leave out :names"
            yield reporter.error(resource, "only a recogniser has a list", advice, term="names", value=value)
        elif isinstance(value, Literal) and not Path(str(value)).exists():
            advice = "name a file that is there, seen from the folder where rdfcrawl is started"
            message = f"there is no list of names at {value}"
            yield reporter.warning(resource, message, advice, term="names", value=value)
    for resource, value in description.with_term("recognise"):
        if description.values(resource, "attribute"):
            advice = "leave out :attribute; a path that ends in /@title is searched as a text"
            message = "a recogniser searches the text of elements"
            yield reporter.error(resource, message, advice, term="recognise", value=value)
