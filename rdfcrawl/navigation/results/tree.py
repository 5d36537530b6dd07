"""The site map as a tree of lines, and as Turtle."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox

from rdfcrawl.navigation.results.reading import MapEntry, NavigationFindings
from rdfcrawl.navigation.results.terms import LINK_TERMS
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import navigation_iri
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles


def tree_lines(findings: NavigationFindings, most: int | None = None) -> Iterator[str]:
    """The site map, a line for each page; of the pages below one at most so many, and how many there are besides."""
    waiting: list[tuple[str, str, MapEntry | int]] = [("", "", entry) for entry in _last_first(findings, None, most)]
    while waiting:
        front, branch, entry = waiting.pop()
        if isinstance(entry, int):
            yield f"{front}{branch}… and {entry:,} more"
            continue
        yield f"{front}{branch}{_named(entry)}"
        below = front + {"": "", "├─ ": "│  ", "└─ ": "   "}[branch]
        children = _last_first(findings, entry.address, most)
        waiting += [(below, "└─ " if place == 0 else "├─ ", child) for place, child in enumerate(children)]


def _last_first(findings: NavigationFindings, parent: str | None, most: int | None) -> list[MapEntry | int]:
    children = findings.children.get(parent, ())
    shown: list[MapEntry | int] = list(children[:most])
    if len(shown) < len(children):
        shown.append(len(children) - len(shown))
    return shown[::-1]


def _named(entry: MapEntry) -> str:
    label = " ".join(entry.label.split())
    return f"{label}  {entry.address}" if label else entry.address


def navigation_turtle(runs: RunFiles, record: RunRecord) -> bytes:
    """The menus and the site map as Turtle; what each link is stays in the store, where it can be queried."""
    links = tuple(f"<{terms.SITE}{name}>".encode() for name in LINK_TERMS.values())
    lines = (line for line in read_lines(runs.navigation(record.id)) if line.split(b" ", 2)[1] not in links)
    quads = ox.parse(b"\n".join(lines), ox.RdfFormat.N_QUADS)
    triples = (quad.triple for quad in quads)
    found = ox.serialize(triples, format=ox.RdfFormat.TURTLE, prefixes={"site": terms.SITE})
    assert found is not None
    return (
        f"# The navigation of <{record.iri}>; in a store it is the graph <{navigation_iri(record.id)}>.\n".encode()
        + found
    )
