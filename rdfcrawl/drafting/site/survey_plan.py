"""From the kinds of pages of a site to what is drafted: objects, the lists that lead to them, links between them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.tracking import tracking_parameters
from rdfcrawl.drafting.site.clusters import Cluster, KindLink
from rdfcrawl.drafting.site.plan import LINKS, OBJECT, OBJECTS, PageKind, SitePlan
from rdfcrawl.errors import NothingToDraft

MOST_KINDS: Final = 8
_MOST_STARTS: Final = 20
_MOST_SUBS: Final = 3
_DEEPEST: Final = 3
_LEAST_SAMPLES: Final = 2


@dataclass(slots=True)
class SurveyPlanner:
    """Decides what is drafted of a survey; ``links`` are the addresses that each sample page links to.

    ``common`` are addresses that most pages link to: they are navigation.
    """

    clusters: Sequence[Cluster]
    ways: Sequence[KindLink]
    common: frozenset[str]
    links: Mapping[str, Sequence[str]]
    doubts: list[str] = field(default_factory=list)

    def plan(self, start: str, most: int) -> SitePlan:
        """Everything that is drafted; raises ``NothingToDraft`` if no two pages are of one kind with an object each."""
        leading = {way.source.number for way in self.ways}
        tables = [one for one in self.clusters if one.is_table and one.number not in leading]
        objects = [one for one in self.clusters if not one.is_table and self._has_objects(one)]
        if not objects and not tables:
            raise NothingToDraft(f"{start}: no two pages of this survey have one template with one object each")
        if len(objects) > MOST_KINDS:
            left = sum(len(one.addresses) for one in objects[MOST_KINDS:])
            self.doubts.append(
                f"only the {MOST_KINDS} largest kinds of pages are drafted; {left:,} pages are of others"
            )
        objects = objects[:MOST_KINDS]
        kinds = {one.number: self._object_kind(one, objects) for one in objects}
        below = {sub.target.cluster for kind in kinds.values() for sub in kind.subs if sub.target}
        plans = []
        for cluster in objects:
            starts, first = self._entry(cluster, kinds[cluster.number], {cluster.number})
            if first is kinds[cluster.number] and cluster.number in below:
                # It is reached from other objects; its kind is drafted, without a section of its own.
                starts = []
            plans.append(SitePlan(starts, first, most))
        for cluster in tables[:MOST_KINDS]:
            kind = PageKind(OBJECTS, [seen.number for seen in cluster.samples], render=cluster.samples[0].rendered)
            kind.next = _next(cluster)
            plans.append(SitePlan(cluster.firsts(_MOST_STARTS), kind, most))
        plans.sort(key=lambda one: not one.starts)
        if not plans[0].starts:
            plans[0].starts = [start]
        return SitePlan(plans[0].starts, plans[0].first, most, list(self.doubts), plans[1:])

    def _has_objects(self, cluster: Cluster) -> bool:
        return len(cluster.samples) >= _LEAST_SAMPLES and not cluster.is_list(self.common)

    def _object_kind(self, cluster: Cluster, objects: Sequence[Cluster]) -> PageKind:
        kind = PageKind(OBJECT, [seen.number for seen in cluster.samples], render=cluster.samples[0].rendered)
        kind.cluster = cluster.number
        kind.params = tracking_parameters(cluster.addresses)
        for other in objects:
            known = set(other.addresses) - self.common
            wanted = [[a for a in self.links.get(seen.address, ()) if a in known] for seen in cluster.samples]
            if other is not cluster and sum(map(bool, wanted)) * 2 >= len(wanted) and len(kind.subs) < _MOST_SUBS:
                kind.subs.append(PageKind(LINKS, target=PageKind(OBJECT, cluster=other.number), wanted=wanted))
        return kind

    def _entry(self, cluster: Cluster, kind: PageKind, passed: set[int]) -> tuple[list[str], PageKind]:
        """Where a kind of pages is entered: at its lists, at what leads to these, or at its own pages."""
        ways = [
            way
            for way in self.ways
            if way.target is cluster
            and way.source.number not in passed
            and (len(way.source.addresses) == 1 or way.source.is_list(self.common))
        ]
        if not ways or len(passed) > _DEEPEST:
            return cluster.addresses[:_MOST_STARTS], kind
        best = max(ways, key=lambda way: (way.reach, -way.source.number))
        source = best.source
        links = PageKind(LINKS, [seen.number for seen in source.samples], path=best.path, target=kind)
        links.next, links.render = _next(source), source.samples[0].rendered
        links.more = source.samples[0].look.more
        if len(source.addresses) == 1:
            return source.addresses, links
        starts, first = self._entry(source, links, {*passed, source.number})
        return (starts, first) if first is not links else (source.firsts(_MOST_STARTS), links)


def _next(cluster: Cluster) -> str | None:
    """The next button that most of the pages with one have."""
    paths = [seen.look.next_path for seen in cluster.samples if seen.look.next_path]
    return max(paths, key=lambda path: (paths.count(path), path)) if paths else None


def compact(plan: SitePlan) -> list[int]:
    """Number the documents of a plan anew, from nothing on; returns the numbers that they had."""
    numbers: dict[int, int] = {}
    waiting = [one.first for one in (plan, *plan.more)]
    while waiting:
        kind = waiting.pop(0)
        kind.documents = [numbers.setdefault(number, len(numbers)) for number in kind.documents]
        waiting += ([kind.target] if kind.target else []) + kind.subs
    return list(numbers)
