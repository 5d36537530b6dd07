"""Pages of one kind: first by the shape of their addresses, then by the template that some of them show."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.look import FoundList, common_path
from rdfcrawl.drafting.site.judging import TABLE_SHARE, alike, is_list
from rdfcrawl.drafting.site.shapes import Shape, shapes_of
from rdfcrawl.drafting.site.visitor import Seen

MOST_CLUSTERS: Final = 40
SAMPLES: Final = 6
_SAME_TEMPLATE: Final = 0.9
_LEAST_MARKS: Final = 4
_LEADS: Final = 0.6


@dataclass(slots=True)
class Cluster:
    """Pages of one kind, those nearest to the start of the survey first, and some that were looked at."""

    number: int
    addresses: list[str]
    depths: Mapping[str, int]
    samples: list[Seen] = field(default_factory=list)

    @property
    def is_table(self) -> bool:
        """Whether most of its pages consist of rows."""
        return sum(seen.look.rows >= TABLE_SHARE for seen in self.samples) * 2 > len(self.samples)

    def is_list(self, common: frozenset[str]) -> bool:
        """Whether most of its pages are for the links that they have."""
        return sum(is_list(seen.look, common) for seen in self.samples) * 2 > len(self.samples)

    def firsts(self, most: int) -> list[str]:
        """Its pages that are nearest to the start."""
        least = min(self.depths[address] for address in self.addresses)
        return [address for address in self.addresses if self.depths[address] == least][:most]


def by_shape(depths: Mapping[str, int]) -> list[Cluster]:
    """The pages of a survey, given with their depths, by the shapes of their addresses; the largest kinds first."""
    groups: dict[Shape, list[str]] = defaultdict(list)
    for address, shape in shapes_of(sorted(depths)).items():
        groups[shape].append(address)
    ordered = sorted(groups.items(), key=lambda one: (-len(one[1]), one[0]))
    return [
        Cluster(number, sorted(found, key=lambda address: (depths[address], address)), depths)
        for number, (_, found) in enumerate(ordered)
    ]


def merged(clusters: Sequence[Cluster]) -> list[Cluster]:
    """The kinds, with those joined that have the same template at addresses of different shapes."""
    kept: list[Cluster] = []
    for cluster in clusters:
        cluster.samples = alike(cluster.samples)
        if not cluster.samples:
            continue
        same = next((other for other in kept if _have_one_template(cluster, other)), None)
        if same is None:
            kept.append(cluster)
            continue
        same.addresses = sorted(
            (*same.addresses, *cluster.addresses), key=lambda address: (same.depths[address], address)
        )
        same.samples = alike((*same.samples, *cluster.samples))[:SAMPLES]
    return kept


def _have_one_template(one: Cluster, other: Cluster) -> bool:
    look, known = one.samples[0].look, other.samples[0].look
    return len(look.marks) >= _LEAST_MARKS and look.likeness(known) >= _SAME_TEMPLATE


@dataclass(frozen=True, slots=True)
class KindLink:
    """A list on the pages of one kind that leads to pages of another."""

    source: Cluster
    target: Cluster
    path: str
    reach: float
    """About how many pages of the target it leads to, from all pages of the source together."""


def ways_between(clusters: Sequence[Cluster], common: frozenset[str]) -> list[KindLink]:
    """Every list of links from one kind to another; what stands on most pages of the site is navigation."""
    kind_of = {address: cluster for cluster in clusters for address in cluster.addresses}
    ways = []
    for source in clusters:
        found: dict[int, list[FoundList]] = defaultdict(list)
        for seen in source.samples:
            for one in seen.look.lists:
                target = _led_to(one, kind_of, common)
                if target is not None and target is not source:
                    found[target.number].append(one)
        for number, lists in found.items():
            if len(lists) * 2 < len(source.samples):
                continue
            path = common_path(lists[0].paths, lists[1:]) if len(lists) > 1 else lists[0].paths[0]
            distinct = {address for one in lists for address in one.addresses}
            target = next(cluster for cluster in clusters if cluster.number == number)
            reach = min(len(target.addresses), len(distinct) * len(source.addresses) / len(source.samples))
            ways.append(KindLink(source, target, path or lists[0].paths[0], reach))
    return ways


def _led_to(found: FoundList, kind_of: Mapping[str, Cluster], common: frozenset[str]) -> Cluster | None:
    own = [address for address in found.addresses if address not in common]
    counts = Counter(kind.number for address in own if (kind := kind_of.get(address)) is not None)
    if not counts or counts.most_common(1)[0][1] < _LEADS * len(found.addresses):
        return None
    number = counts.most_common(1)[0][0]
    return next(kind for address in own if (kind := kind_of.get(address)) is not None and kind.number == number)


def site_wide(clusters: Iterable[Cluster]) -> frozenset[str]:
    """The addresses that pages of at least half of the kinds link to in their lists."""
    linking: Counter[str] = Counter()
    kinds = 0
    for cluster in clusters:
        kinds += 1
        linking.update({a for seen in cluster.samples for one in seen.look.lists for a in one.addresses})
    return frozenset(address for address, count in linking.items() if kinds > 2 and count * 2 >= kinds)
