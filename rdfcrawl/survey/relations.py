"""A survey as the tables of a database: hosts, pages, links and images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.rdf import terms
from rdfcrawl.store.current import Lines
from rdfcrawl.store.export.relations import DatabaseField, Record, Relation, Relations, ScalarType
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.figures import Figures
from rdfcrawl.survey.reading import pages_in, read_links

SURVEYED: Final = terms.SITE + "page"
"""The predicate to the addresses of a site."""


def _numbers(*names: str) -> tuple[DatabaseField, ...]:
    return tuple(DatabaseField(name, ScalarType.INTEGER) for name in names)


_HOSTS: Final = Relation(
    "hosts",
    (
        DatabaseField("host", required=True),
        *_numbers("addresses", "html", "files", "images", "broken", "unread", "bytes"),
    ),
    ("host",),
)
_PAGES: Final = Relation(
    "pages",
    (
        *(DatabaseField(name, required=True) for name in ("address", "host", "kind")),
        DatabaseField("depth", ScalarType.INTEGER, required=True),
        *_numbers("status"),
        *(DatabaseField(name) for name in ("title", "language", "media_type", "file_type")),
        *_numbers("bytes"),
        DatabaseField("digest"),
        *_numbers("link_count", "image_count"),
        *(DatabaseField(name) for name in ("redirects_to", "duplicate_of", "reason")),
    ),
    ("address",),
    ("host", "kind", "depth", "digest", "duplicate_of"),
    {"host": "hosts"},
)
_LINKS: Final = Relation(
    "links",
    (DatabaseField("source", required=True), DatabaseField("target", required=True), DatabaseField("text")),
    ("source", "target"),
    ("target",),
    {"source": "pages"},
)
_IMAGES: Final = Relation(
    "images",
    (DatabaseField("page", required=True), DatabaseField("image", required=True)),
    ("page", "image"),
    ("image",),
    {"page": "pages"},
)


def survey_relations(lines: Lines, runs: RunFiles, records: Sequence[RunRecord]) -> Relations:
    """The tables of what lines say of the addresses of sites, with the links that the runs have found."""

    def rows() -> Iterator[tuple[Relation, Record]]:
        figures = Figures()
        for page in pages_in(lines()):
            figures.add(page)
        for host, one in figures.hosts.items():
            kinds = one.kinds
            counts = (one.addresses, kinds["html"], kinds["binary"], one.images, one.broken, kinds["unread"], one.bytes)
            yield _HOSTS, (host, *counts)
        known = set()
        for page in pages_in(lines()):
            known.add(page.address)
            facts = (page.address, page.host, page.kind, page.depth, page.status, page.title, page.language)
            files = (page.media_type, page.file_type, page.bytes, page.digest, page.links, page.images)
            yield _PAGES, (*facts, *files, page.redirects_to, page.duplicate_of, page.reason)
        yield from _edges(runs, records, known)

    return Relations((_HOSTS, _PAGES, _LINKS, _IMAGES), rows)


def _edges(runs: RunFiles, records: Sequence[RunRecord], known: set[str]) -> Iterator[tuple[Relation, Record]]:
    """The links of every page as the latest run has found them."""
    for record in sorted(records, key=lambda one: one.order, reverse=True):
        for page in read_links(runs, record):
            if page.address in known:
                known.remove(page.address)
                texts = page.texts()
                yield from ((_LINKS, (page.address, target, texts.get(target))) for target in page.links)
                yield from ((_IMAGES, (page.address, image)) for image in page.images)
