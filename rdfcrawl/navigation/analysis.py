"""The links of every document of a site, judged; how many there are of each class, and what the two rules agree on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.exact import ExactJudge
from rdfcrawl.navigation.identities import LinkGroup
from rdfcrawl.navigation.judging import GroupVerdict, LinkClass, NavigationJudge, NavigationRule
from rdfcrawl.navigation.site import LinkedSite, SiteDocument
from rdfcrawl.navigation.tolerant import TolerantJudge


@dataclass(slots=True)
class NavigationCounts:
    """What was counted: documents, groups, links by class, and groups whose exact search was given up.

    ``agreement`` counts links by what the tolerant and the exact rule call them, where both were asked.
    """

    documents: int = 0
    groups: int = 0
    ungrouped: int = 0
    bounded: int = 0
    links: Counter[LinkClass] = field(default_factory=Counter)
    agreement: Counter[tuple[LinkClass, LinkClass]] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class JudgedDocument:
    """The links of a document: the b-IDs of those in its navigations, group by group, and all v-IDs by class.

    Each v-ID comes once in a class, in the order of the page.
    """

    document: SiteDocument
    navigations: tuple[tuple[LinkClass, tuple[int, ...]], ...]
    references: Mapping[LinkClass, tuple[int, ...]]


def judged(
    site: LinkedSite, rule: NavigationRule, counts: NavigationCounts, progress: Callable[[int], None] = lambda _: None
) -> Iterator[JudgedDocument]:
    """Judge one document after the other by a rule; the exact one is compared with the tolerant one on the way."""
    tolerant = TolerantJudge(site)
    exact = ExactJudge(site, tolerant) if rule is NavigationRule.EXACT else None
    for document in site.documents.values():
        yield _document(document, tolerant, exact, counts)
        progress(counts.documents)


def _document(
    document: SiteDocument, tolerant: NavigationJudge, exact: NavigationJudge | None, counts: NavigationCounts
) -> JudgedDocument:
    found: dict[LinkClass, dict[int, None]] = {one: {} for one in LinkClass}
    navigations: list[tuple[LinkClass, tuple[int, ...]]] = []

    def take(group: LinkGroup, loose: GroupVerdict, strict: GroupVerdict | None) -> None:
        verdict = strict or loose
        for reference, one in zip(group.references, verdict.classes, strict=True):
            found[one][reference] = None
        counts.links.update(verdict.classes)
        if strict is not None:
            counts.agreement.update(zip(loose.classes, strict.classes, strict=True))
            counts.bounded += strict.is_bounded

    for group in document.groups:
        strict = exact.group(document, group) if exact else None
        take(group, loose := tolerant.group(document, group), strict)
        if menu := _navigation(group, strict or loose):
            navigations.append(menu)
    take(document.ungrouped, tolerant.ungrouped(document), exact.ungrouped(document) if exact else None)
    found[LinkClass.CONTENT].update(dict.fromkeys(document.others))
    counts.links[LinkClass.CONTENT] += len(document.others)
    counts.documents += 1
    counts.groups += len(document.groups)
    counts.ungrouped += len(document.ungrouped.references)
    return JudgedDocument(document, tuple(navigations), {one: tuple(all_of) for one, all_of in found.items()})


def _navigation(group: LinkGroup, verdict: GroupVerdict) -> tuple[LinkClass, tuple[int, ...]] | None:
    """The links of a group that are navigation; one alone is no navigation."""
    kept = [(label, one) for label, one in zip(group.labels, verdict.classes, strict=True) if one != LinkClass.CONTENT]
    return (kept[0][1], tuple(label for label, _ in kept)) if len(kept) > 1 else None
