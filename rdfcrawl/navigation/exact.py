"""The exact rule: a group is navigation if it is part of a harmonic combination that forms a navigation graph.

The properties of a navigation system that the thesis lists hold for what is found: its documents are at least two, on
one host, each with one navigation; what its links have in common stands in the same order everywhere. Documents that
were not read are left out of account, which the thesis cannot do: it has no bounds on what it reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.combinations import (
    Combination,
    HarmonyGraph,
    candidates,
    documents_reached,
    harmonic_combinations,
)
from rdfcrawl.navigation.effort import MOST_STEPS, MOST_STEPS_OF_DOCUMENT, MOST_STEPS_OF_SITE, Effort
from rdfcrawl.navigation.graphs import is_navigation_graph
from rdfcrawl.navigation.identities import LinkGroup
from rdfcrawl.navigation.judging import GroupVerdict, LinkClass, NavigationJudge
from rdfcrawl.navigation.site import LinkedSite, LinksBack, SiteDocument


@dataclass(frozen=True, slots=True)
class _KnownSystem:
    """Documents whose groups are linked as a navigation, and those that one of the other groups leads to."""

    documents: frozenset[int]
    entries: frozenset[int]

    @classmethod
    def of(cls, graph: Mapping[int, Set[int]]) -> _KnownSystem:
        """The system that a navigation graph shows."""
        return cls(frozenset(graph), frozenset().union(*graph.values()))


class ExactJudge:
    """Judges groups as a whole; where the search takes too long, ``otherwise`` decides."""

    def __init__(
        self,
        site: LinkedSite,
        otherwise: NavigationJudge,
        most_steps: int = MOST_STEPS,
        most_steps_of_site: int = MOST_STEPS_OF_SITE,
    ) -> None:
        self._site = site
        self._otherwise = otherwise
        self._most_steps = most_steps
        self._harmonies = HarmonyGraph()
        self._back = LinksBack()
        self._document, self._left = -1, 0
        self._left_of_site = most_steps_of_site
        self._systems: dict[tuple[int, int], _KnownSystem] = {}
        self._outside: dict[tuple[LinkGroup, str], LinkClass | None] = {}

    def group(self, document: SiteDocument, group: LinkGroup) -> GroupVerdict:
        """Judge a group; all of its links are the same, those that lead out of the site as well."""
        found = self._class_of(document, group)
        if found is None:
            return GroupVerdict(self._otherwise.group(document, group).classes, is_bounded=True)
        return GroupVerdict([found] * len(group.references))

    def ungrouped(self, document: SiteDocument) -> GroupVerdict:
        """Links in no group are content."""
        return GroupVerdict([LinkClass.CONTENT] * len(document.ungrouped.references))

    def _class_of(self, document: SiteDocument, reference: LinkGroup) -> LinkClass | None:
        """What a reference group is; ``None`` if that takes too long to find out."""
        key = reference, document.host
        neighbours = self._site.neighbours(document, reference.references)
        if self._is_known(document, reference, neighbours):
            return LinkClass.NAVIGATION
        # Where no group leads to its page, a group is the same on all pages: most menus are judged once.
        back = self._back.groups(document, neighbours)
        is_outside = document.number not in reference.references and not any(
            self._harmonies.weight(reference, group) for group in back
        )
        if is_outside and key in self._outside:
            return self._outside[key]
        effort = self._effort(document)
        choices = candidates(reference, neighbours, self._harmonies, effort) if neighbours else None
        searched = self._searched(document, reference, neighbours, choices, effort) if choices else LinkClass.CONTENT
        self._left -= effort.spent
        self._left_of_site -= effort.spent
        found = None if effort.is_spent and searched is LinkClass.CONTENT else searched
        if is_outside:
            self._outside[key] = found
        return found

    def _is_known(self, document: SiteDocument, reference: LinkGroup, neighbours: Sequence[SiteDocument]) -> bool:
        """Whether the combination is one that was found for another document of the same system."""
        system = self._systems.get((document.number, reference.kind))
        if system is None or document.number not in system.entries or len(neighbours) + 1 != len(system.documents):
            return False
        return all(neighbour.number in system.documents for neighbour in neighbours)

    def _effort(self, document: SiteDocument) -> Effort:
        """What may be spent on the next group of a document; the first ones may have used it up."""
        if document.number != self._document:
            self._document, self._left = document.number, MOST_STEPS_OF_DOCUMENT
        return Effort(max(0, min(self._most_steps, self._left, self._left_of_site)))

    def _searched(
        self,
        document: SiteDocument,
        reference: LinkGroup,
        neighbours: Sequence[SiteDocument],
        choices: Sequence[Sequence[LinkGroup]],
        effort: Effort,
    ) -> LinkClass:
        """What the first harmonic combination that is linked as a navigation says; content if there is none."""
        reached = documents_reached(neighbours, choices, document)
        for combination in harmonic_combinations(choices, self._harmonies, effort, reached):
            is_outsider = not any(document.number in group.references for group in combination)
            documents, groups = list(neighbours), list(combination)
            if not is_outsider:
                documents.append(document)
                groups.append(reference)
            if len(groups) < 2:
                continue
            graph = link_graph(documents, groups)
            if is_navigation_graph(graph, effort):
                system = _KnownSystem.of(graph)
                pairs = zip(documents, groups, strict=True)
                self._systems |= {(one.number, group.kind): system for one, group in pairs}
                return LinkClass.OUTSIDER if is_outsider else LinkClass.NAVIGATION
        return LinkClass.CONTENT


def link_graph(documents: Sequence[SiteDocument], groups: Combination | Sequence[LinkGroup]) -> dict[int, set[int]]:
    """The graph of groups: an edge wherever a link of one leads to the document of another."""
    known = {document.number for document in documents}
    return {
        document.number: (known & set(group.references)) - {document.number}
        for document, group in zip(documents, groups, strict=True)
    }
