"""The figures of a survey: how many addresses of each kind there are, at each host and on each level."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import field
from urllib.parse import urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.kinds.site_page import BROKEN
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.reading import (
    BINARY,
    DISALLOWED,
    DUPLICATE,
    HTML,
    REDIRECT,
    UNREAD,
    SurveyedPage,
    read_pages,
)

UNTYPED = "of unknown type"


@dataclass(slots=True)
class HostFigures:
    """What was found at one host."""

    kinds: Counter[str] = field(default_factory=Counter)
    file_types: Counter[str] = field(default_factory=Counter)
    images: int = 0
    bytes: int = 0
    scored: int = 0
    finds: int = 0

    @property
    def addresses(self) -> int:
        """All addresses that were met."""
        return self.kinds.total()

    @property
    def broken(self) -> int:
        """Addresses that links should not lead to."""
        return sum(self.kinds[kind] for kind in BROKEN)

    def add(self, page: SurveyedPage) -> None:
        """Count an address."""
        self.kinds[page.kind] += 1
        self.images += page.images or 0
        self.bytes += page.bytes or 0
        self.scored += page.score is not None
        self.finds += page.is_find
        if page.kind == BINARY:
            self.file_types[page.file_type or UNTYPED] += 1


@dataclass(slots=True)
class Figures:
    """The figures of a survey, by host and by level; ``starts`` are the hosts where it began."""

    starts: frozenset[str] = frozenset()
    hosts: dict[str, HostFigures] = field(default_factory=dict)
    levels: dict[int, Counter[str]] = field(default_factory=dict)

    def add(self, page: SurveyedPage) -> None:
        """Count an address."""
        self.hosts.setdefault(page.host, HostFigures()).add(page)
        self.levels.setdefault(page.depth, Counter())[page.kind] += 1

    @property
    def kinds(self) -> Counter[str]:
        """The addresses of each kind."""
        return sum((host.kinds for host in self.hosts.values()), Counter[str]())

    def rows(self) -> Iterator[tuple[str, float, float]]:
        """The table: what is counted, how much of it at the hosts where the survey began, and how much everywhere."""
        types = sum((host.file_types for host in self.hosts.values()), Counter[str]())
        begun = [figures for host, figures in self.hosts.items() if host in self.starts]
        started = _counts(begun, types)
        for name, count in _counts(self.hosts.values(), types).items():
            yield name, started[name], count
        if any(host.scored for host in self.hosts.values()):
            yield "finds", sum(host.finds for host in begun), sum(host.finds for host in self.hosts.values())


def figures_of(runs: RunFiles, record: RunRecord) -> Figures:
    """The figures of a survey, from the graph of its run."""
    figures = new_figures(record)
    for page in read_pages(runs, record):
        figures.add(page)
    return figures


def new_figures(record: RunRecord) -> Figures:
    """Figures that have counted nothing yet."""
    return Figures(frozenset(urlsplit(address).netloc for address in record.addresses))


def _counts(hosts: Collection[HostFigures], types: Counter[str]) -> dict[str, float]:
    kinds = sum((host.kinds for host in hosts), Counter[str]())
    files = sum((host.file_types for host in hosts), Counter[str]())
    images = sum(host.images for host in hosts)
    return {
        "hosts": len(hosts),
        "addresses": kinds.total(),
        "HTML pages": kinds[HTML],
        "duplicates": kinds[DUPLICATE],
        "binary files": kinds[BINARY],
        **{f"  {name}": files[name] for name, _ in sorted(types.items(), key=lambda one: (-one[1], one[0]))},
        "images": images,
        "images per page": round(images / kinds[HTML], 2) if kinds[HTML] else 0.0,
        "redirects": kinds[REDIRECT],
        "disallowed by robots.txt": kinds[DISALLOWED],
        "without IP address": kinds["unresolved"],
        "timeouts": kinds["timeout"],
        "browser errors": kinds["browserError"],
        "other errors": kinds["error"],
        "unread": kinds[UNREAD],
    }
