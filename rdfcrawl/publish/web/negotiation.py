"""Which format a client gets: Accept headers, suffixes and ``format=`` in, one of the formats out."""

from __future__ import annotations

from collections.abc import Sequence

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Format:
    """A way to write a document. ``media`` is what it is sent as; ``aliases`` are other types that clients ask by.

    ``nicknames`` are what clients call it in ``format=``: there is no standard for that.
    """

    suffix: str
    media: str
    aliases: tuple[str, ...] = ()
    rdf: ox.RdfFormat | None = None
    title: str = ""
    nicknames: tuple[str, ...] = ()

    @property
    def content_type(self) -> str:
        """The value of ``Content-Type``."""
        return f"{self.media}; charset=utf-8" if self.media.startswith("text/") else self.media


HTML = Format("html", "text/html", ("application/xhtml+xml",), title="HTML")
TURTLE = Format(
    "ttl",
    "text/turtle",
    ("application/x-turtle", "application/turtle", "text/n3", "text/rdf+n3", "application/trig"),
    ox.RdfFormat.TURTLE,
    "Turtle",
    ("turtle", "n3"),
)
JSON_LD = Format(
    "jsonld",
    "application/ld+json",
    ("application/json", "application/x-json+ld"),
    ox.RdfFormat.JSON_LD,
    "JSON-LD",
    ("json-ld", "json+ld", "ld+json", "json"),
)
N_TRIPLES = Format(
    "nt", "application/n-triples", ("text/plain",), ox.RdfFormat.N_TRIPLES, "N-Triples", ("ntriples", "n-triples")
)
N_QUADS = Format(
    "nq", "application/n-quads", ("text/x-nquads",), ox.RdfFormat.N_QUADS, "N-Quads", ("nquads", "n-quads")
)
RDF_XML = Format(
    "rdf",
    "application/rdf+xml",
    ("application/xml", "text/xml"),
    ox.RdfFormat.RDF_XML,
    "RDF/XML",
    ("rdf+xml", "rdfxml", "rdf/xml", "xml"),
)
UNNAMED_QUADS = Format("nq", N_QUADS.media, rdf=ox.RdfFormat.N_QUADS)
"""N-Quads in the default graph, where clients that prefer N-Quads to all other formats look for a document."""
CSV = Format("csv", "text/csv", title="CSV")

RDF_FORMATS = (TURTLE, JSON_LD, N_TRIPLES, N_QUADS, RDF_XML, CSV)
DOCUMENT_FORMATS = (HTML, *RDF_FORMATS)
GRAPH_FORMATS = (TURTLE, JSON_LD, N_TRIPLES, RDF_XML)

_GENERAL = frozenset({"application/json", "application/xml", "text/json", "text/plain", "text/xml"})
"""Types that do not ask for RDF; a browser may name them beside HTML."""

RESULTS_JSON = Format("json", "application/sparql-results+json", ("application/json", "text/json"), title="JSON")
RESULTS_XML = Format("xml", "application/sparql-results+xml", ("application/xml", "text/xml"), title="XML")
RESULTS_CSV = Format("csv", "text/csv", title="CSV")
RESULTS_TSV = Format("tsv", "text/tab-separated-values", title="TSV")
RESULT_FORMATS = (RESULTS_JSON, RESULTS_XML, RESULTS_CSV, RESULTS_TSV)


def choose(accept: str | None, offered: Sequence[Format]) -> Format | None:
    """The best of the offered formats for an Accept header; ``None`` if the client wants none of them.

    Pages for people go only to clients that name HTML and like it better than all RDF they can read, because programs
    that take anything, or HTML as a last resort, want data. Plain text or XML is no wish for RDF.
    """
    wanted = _parse(accept or "*/*")
    best: tuple[float, int, bool, int, int] | None = None
    chosen = None
    for place, form in enumerate(offered):
        for alias, name in enumerate((form.media, *form.aliases)):
            quality, explicit = _quality(name, alias, wanted)
            if quality == 0 or (form is HTML and not explicit):
                continue
            interest = 1 if form is HTML else 0 if name in _GENERAL else 2
            rank = quality, interest, explicit, -alias, -place
            if best is None or rank > best:
                best, chosen = rank, form
    return chosen


def named(name: str, offered: Sequence[Format]) -> Format | None:
    """The offered format of that suffix, media type or nickname; a plus that nobody has escaped is a space by now."""
    wanted = name.strip().lower().replace(" ", "+")
    exact = (form for form in offered if wanted in (form.suffix, form.media, *form.aliases))
    return next(exact, None) or next((form for form in offered if wanted in form.nicknames), None)


def _quality(media: str, alias: int, wanted: dict[str, float]) -> tuple[float, bool]:
    """How much the client wants a type, and whether it named that very type."""
    if media in wanted:
        return wanted[media], True
    # A wildcard means a format's own name, not the names of others that it can be asked by.
    patterns = (f"{media.partition('/')[0]}/*", "*/*") if alias == 0 else ()
    return next((wanted[pattern] for pattern in patterns if pattern in wanted), 0.0), False


def _parse(accept: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for part in accept.split(","):
        media, *parameters = (piece.strip().lower() for piece in part.split(";"))
        quality = 1.0
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if name.strip() == "q":
                try:
                    quality = min(max(0.0, float(value)), 1.0)
                except ValueError:
                    quality = 0.0
        if media:
            found[media] = max(quality, found.get(media, 0.0))
    return found
