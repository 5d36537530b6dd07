"""What those who look after a site want to know: broken links, redirect chains, duplicates, slow and large pages."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nlargest, nsmallest
from itertools import islice
from typing import Final

from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.figures import Figures, new_figures
from rdfcrawl.survey.finds import SurveyFind, finds_of, has_criteria
from rdfcrawl.survey.reading import DUPLICATE, HTML, PageLinks, SurveyedPage, read_links, read_pages, read_seconds

MOST: Final = 100
"""How many of the slowest, the largest and the most linked pages are named."""


@dataclass(frozen=True, slots=True, order=True)
class BrokenLink:
    """A link that leads nowhere: its target, what was found there, the page with the link, and the link's text.

    ``via`` is the redirect that the page links to, where it is not the target itself. An address that nobody links
    to is where the survey began, or in a sitemap.
    """

    target: str
    finding: str
    source: str | None
    text: str
    via: str | None = None


@dataclass(frozen=True, slots=True)
class RedirectChain:
    """Redirects one after the other: the addresses, and what was found at the last one."""

    addresses: tuple[str, ...]
    finding: str


@dataclass(frozen=True, slots=True)
class LinkedPage:
    """A page, how many pages link to it, and how many addresses it links to itself."""

    address: str
    title: str
    linked_from: int
    links: int


@dataclass(frozen=True, slots=True)
class Findings:
    """What a survey found out about a site."""

    figures: Figures
    broken: Sequence[BrokenLink]
    chains: Sequence[RedirectChain]
    untitled: Sequence[SurveyedPage]
    duplicates: Mapping[str, Sequence[str]]
    slowest: Sequence[tuple[str, float]]
    largest: Sequence[SurveyedPage]
    most_linked: Sequence[LinkedPage]
    finds: Sequence[SurveyFind] | None = None
    """What a survey with criteria has found; nothing where it looked for nothing."""

    def shortened(self, most: int) -> Findings:
        """The same with at most so many of each, for those who keep them."""
        return replace(
            self,
            broken=self.broken[:most],
            chains=self.chains[:most],
            untitled=self.untitled[:most],
            duplicates=dict(islice(self.duplicates.items(), most)),
            finds=None if self.finds is None else self.finds[:most],
        )


def findings_of(runs: RunFiles, record: RunRecord) -> Findings:
    """Read a survey through: first the addresses, then the links between them."""
    figures = new_figures(record)
    broken: dict[str, str] = {}
    redirects: dict[str, str] = {}
    untitled: list[SurveyedPage] = []
    duplicates: dict[str, list[str]] = {}
    titles: dict[str, str] = {}
    largest: list[SurveyedPage] = []
    finds: list[SurveyedPage] = []
    for page in read_pages(runs, record):
        figures.add(page)
        if page.is_find:
            finds.append(page)
        if page.is_broken:
            broken[page.address] = page.finding
        if page.redirects_to is not None:
            redirects[page.address] = page.redirects_to
        if page.kind == DUPLICATE and page.duplicate_of is not None:
            duplicates.setdefault(page.duplicate_of, []).append(page.address)
        if page.kind == HTML:
            titles[page.address] = page.title or ""
            largest.append(page)
            if not page.title:
                untitled.append(page)
            if len(largest) > 10 * MOST:
                largest = _largest(largest)
    chains = _chains(redirects, broken)
    found, incoming, outgoing = _follow(runs, record, broken, _leading_nowhere(redirects, broken))
    return Findings(
        figures,
        found,
        chains,
        untitled,
        duplicates,
        list(read_seconds(runs, record).items())[:MOST],
        _largest(largest),
        most_linked(incoming, outgoing, titles),
        finds_of(runs, record, finds) if has_criteria(record) else None,
    )


def _largest(pages: list[SurveyedPage]) -> list[SurveyedPage]:
    return nsmallest(MOST, pages, key=lambda page: (-(page.bytes or 0), page.address))


def _follow(
    runs: RunFiles, record: RunRecord, broken: Mapping[str, str], detours: Mapping[str, str]
) -> tuple[list[BrokenLink], Counter[str], dict[str, int]]:
    """The links that lead nowhere; how many pages link to each address; and how many links each page has."""
    found: list[BrokenLink] = []
    incoming: Counter[str] = Counter()
    outgoing: dict[str, int] = {}
    for page in read_links(runs, record):
        others = [target for target in page.links if target != page.address]
        incoming.update(others)
        outgoing[page.address] = len(others)
        wrong = [target for target in others if target in broken or target in detours]
        texts = page.texts() if wrong else {}
        for target in wrong:
            final = target if target in broken else detours[target]
            via = None if target == final else target
            found.append(BrokenLink(final, broken[final], page.address, texts.get(target, ""), via))
    linked = {link.target for link in found}
    found += [BrokenLink(target, finding, None, "") for target, finding in broken.items() if target not in linked]
    return sorted(found, key=lambda link: (link.target, link.source or "", link.via or "")), incoming, outgoing


def _leading_nowhere(redirects: Mapping[str, str], broken: Mapping[str, str]) -> dict[str, str]:
    """The redirects that end at an address that is broken, and that address."""
    ends = {start: _chain(start, redirects)[-1] for start in redirects if start not in broken}
    return {start: end for start, end in ends.items() if end in broken}


def _chain(start: str, redirects: Mapping[str, str]) -> list[str]:
    """The addresses from a redirect to its end; a circle ends where it is closed."""
    passed = {start: None}
    here = start
    while (target := redirects.get(here)) is not None:
        if target in passed:
            return [*passed, target]
        passed[target] = None
        here = target
    return list(passed)


def _chains(redirects: Mapping[str, str], broken: Mapping[str, str]) -> list[RedirectChain]:
    """The chains of more than one redirect, from where they begin, and all circles."""
    targets = set(redirects.values())
    chains = []
    for start in sorted(redirects):
        chain = _chain(start, redirects)
        is_circle = len(set(chain)) < len(chain)
        if is_circle and (start != min(chain) and start in targets):
            continue
        if not is_circle and (start in targets or len(chain) < 3):
            continue
        chains.append(RedirectChain(tuple(chain), "circle" if is_circle else broken.get(chain[-1], "")))
    return chains


def linked_most(runs: RunFiles, record: RunRecord, links: Iterable[PageLinks]) -> list[LinkedPage]:
    """The pages of a survey that most of these links lead to."""
    incoming: Counter[str] = Counter()
    outgoing: dict[str, int] = {}
    for page in links:
        incoming.update(page.links)
        outgoing[page.address] = len(page.links)
    titles = {page.address: page.title or "" for page in read_pages(runs, record) if page.kind == HTML}
    return most_linked(incoming, outgoing, titles)


def most_linked(incoming: Counter[str], outgoing: Mapping[str, int], titles: Mapping[str, str]) -> list[LinkedPage]:
    """The pages that most others link to; ``incoming`` and ``outgoing`` count links, ``titles`` has all pages."""
    pages = ((count, address) for address, count in incoming.items() if address in titles)
    best = nlargest(MOST, pages, key=lambda one: (one[0], [-ord(char) for char in one[1]]))
    return [LinkedPage(address, titles[address], count, outgoing.get(address, 0)) for count, address in best]
