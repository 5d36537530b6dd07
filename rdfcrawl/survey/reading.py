"""What the files of a run say about the addresses of a site, one address at a time: surveys are larger than memory."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Final
from urllib.parse import urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.kinds.site_page import BROKEN
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.rdf.lines import ending
from rdfcrawl.rdf.ntriples import term_text
from rdfcrawl.store.files.lines import read_lines
from rdfcrawl.store.runs.integrity import ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles, no_graph

_SITE: Final = f"<{terms.SITE}".encode()
_SECONDS: Final = f" <{terms.RECORD}seconds> ".encode()

HTML: Final = "html"
BINARY: Final = "binary"
DUPLICATE: Final = "duplicate"
REDIRECT: Final = "redirect"
DISALLOWED: Final = "disallowed"
UNREAD: Final = "unread"
KINDS: Final = (HTML, DUPLICATE, BINARY, REDIRECT, DISALLOWED, *BROKEN, UNREAD)
"""All kinds of addresses, in the order in which reports name them."""


@dataclass(frozen=True, slots=True)
class SurveyedPage:
    """An address of a site with its facts; what a survey does not say is ``None``."""

    address: str
    kind: str
    depth: int
    status: int | None = None
    media_type: str | None = None
    file_type: str | None = None
    bytes: int | None = None
    digest: str | None = None
    title: str | None = None
    language: str | None = None
    links: int | None = None
    images: int | None = None
    redirects_to: str | None = None
    duplicate_of: str | None = None
    reason: str | None = None
    score: float | None = None
    is_find: bool = False
    meets: tuple[str, ...] = ()

    @property
    def host(self) -> str:
        """The host with its port."""
        return urlsplit(self.address).netloc

    @property
    def is_broken(self) -> bool:
        """Whether links to it lead nowhere."""
        return self.kind in BROKEN

    @property
    def finding(self) -> str:
        """What was found there, in a word or a number."""
        return str(self.status) if self.kind == "error" and self.status is not None else self.kind


@dataclass(frozen=True, slots=True)
class PageLinks:
    """What a page links to and shows, and the texts of its links as pairs of an address and a text."""

    address: str
    links: tuple[str, ...]
    images: tuple[str, ...]
    written_texts: str

    def texts(self) -> dict[str, str]:
        """The first text of the links to each address."""
        found: dict[str, str] = {}
        for address, text in json.loads(self.written_texts) if self.written_texts else ():
            if not found.get(address):
                found[address] = text
        return found


def has_survey(record: RunRecord) -> bool:
    """Whether a run has surveyed a site."""
    return terms.SITE + "page" in record.model.predicates.items


def surveyed_run(runs: RunFiles, name: str) -> RunRecord:
    """The survey that is meant; any other run is a mistake."""
    record = runs.resolve(name)
    if not runs.has_graph(record):
        raise UsageError(no_graph(record))
    if not has_survey(record):
        raise UsageError(f"run {record.id} is no survey of a site; `rdfcrawl survey URL` makes one")
    return record


def read_pages(runs: RunFiles, record: RunRecord) -> Iterator[SurveyedPage]:
    """Every address of the survey in the order of the addresses; raises ``DamagedFile``."""
    ensure_whole(runs, record, (RunFile.GRAPH,))
    return pages_in(read_lines(runs.graph(record.id)))


def pages_in(lines: Iterable[bytes]) -> Iterator[SurveyedPage]:
    """Every address of a site that sorted lines of N-Quads describe."""
    for address, values in subjects_in(lines):
        facts = {name: found[0] for name, found in values.items()}
        if "kind" in facts:
            yield _page(address, facts, tuple(values.get("meets", ())))


def read_links(runs: RunFiles, record: RunRecord) -> Iterator[PageLinks]:
    """The links of every page of the survey in the order of the addresses; raises ``DamagedFile``."""
    if not runs.has_file(record, RunFile.LINKS):
        return
    ensure_whole(runs, record, (RunFile.LINKS,))
    for address, values in subjects_in(read_lines(runs.links(record.id))):
        links, images = (tuple(values.get(name, ())) for name in ("link", "image"))
        yield PageLinks(address, links, images, next(iter(values.get("linkTexts", ())), ""))


def read_seconds(runs: RunFiles, record: RunRecord) -> dict[str, float]:
    """How long the slowest addresses took to answer, the slowest first."""
    if not runs.has_file(record, RunFile.RECORD):
        return {}
    ensure_whole(runs, record, (RunFile.RECORD,))
    end = ending(record_iri(record.id))
    found = {}
    for line in read_lines(runs.record_graph(record.id)):
        subject, between, value = line.partition(_SECONDS)
        if between:
            found[subject[1:-1].decode()] = float(term_text(value.removesuffix(end).decode()))
    return dict(sorted(found.items(), key=lambda one: (-one[1], one[0])))


def subjects_in(lines: Iterable[bytes]) -> Iterator[tuple[str, dict[str, list[str]]]]:
    """Each subject of sorted lines with the texts of what is said in terms of surveys."""
    parted = (line.split(b" ", 2) for line in lines)
    for subject, about in groupby(parted, key=lambda parts: parts[0]):
        values: dict[str, list[str]] = {}
        for _, predicate, rest in about:
            if predicate.startswith(_SITE):
                name = predicate[len(_SITE) : -1].decode()
                # The graph is the last IRI of the line, and an IRI contains no space.
                values.setdefault(name, []).append(term_text(rest[: rest.rindex(b" <")].decode()))
        yield subject[1:-1].decode(), values


def _page(address: str, facts: dict[str, str], meets: tuple[str, ...]) -> SurveyedPage:
    def number(name: str) -> int | None:
        return int(facts[name]) if name in facts else None

    return SurveyedPage(
        address,
        facts["kind"].removeprefix(terms.SITE),
        number("depth") or 0,
        status=number("status"),
        media_type=facts.get("mediaType"),
        file_type=facts.get("fileType"),
        bytes=number("bytes"),
        digest=facts.get("digest"),
        title=facts.get("title"),
        language=facts.get("language"),
        links=number("linkCount"),
        images=number("imageCount"),
        redirects_to=facts.get("redirectsTo"),
        duplicate_of=facts.get("duplicateOf"),
        reason=facts.get("reason"),
        score=float(facts["score"]) if "score" in facts else None,
        is_find=facts.get("find") == "true",
        meets=meets,
    )
