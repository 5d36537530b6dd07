"""Navigation systems: what the navigations of many documents have in common, seen as one menu."""

from __future__ import annotations

from collections.abc import Sequence

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.identities import Identities
from rdfcrawl.navigation.judging import LinkClass


@dataclass(frozen=True, slots=True)
class MenuEntry:
    """A link of a navigation system."""

    target: str
    label: str


@dataclass(frozen=True, slots=True)
class NavigationSystem:
    """A menu: its entries, on how many documents it leads to it stands, and on how many others."""

    entries: tuple[MenuEntry, ...]
    navigations: int
    outsiders: int


@dataclass(slots=True)
class _System:
    entries: dict[int, None]
    counts: list[int]


class SystemsFound:
    """Collects the navigations of documents, which differ in an entry or two, and makes systems of them."""

    def __init__(self) -> None:
        self._variants: dict[tuple[int, ...], list[int]] = {}

    def add(self, found: LinkClass, labels: tuple[int, ...]) -> None:
        """Add a navigation or an outsider, given the b-IDs of its links."""
        self._variants.setdefault(labels, [0, 0])[found is LinkClass.OUTSIDER] += 1

    def systems(self, identities: Identities) -> list[NavigationSystem]:
        """The systems, the one on most documents first; a variant belongs to where most of its entries are."""
        ordered = sorted(
            self._variants.items(), key=lambda one: (-sum(one[1]), -len(one[0]), self._key(identities, one[0]))
        )
        systems: list[_System] = []
        having: dict[int, list[int]] = {}
        for labels, counts in ordered:
            place = _home(labels, having)
            if place is None:
                place = len(systems)
                systems.append(_System({}, [0, 0]))
            system = systems[place]
            for label in labels:
                if label not in system.entries:
                    system.entries[label] = None
                    having.setdefault(label, []).append(place)
            system.counts = [before + more for before, more in zip(system.counts, counts, strict=True)]
        made = [self._made(identities, one) for one in systems]
        return sorted(made, key=lambda one: -(one.navigations + one.outsiders))

    @staticmethod
    def _key(identities: Identities, labels: Sequence[int]) -> list[tuple[str, str]]:
        return [(identities.address(reference), text) for reference, text in map(identities.entry, labels)]

    def _made(self, identities: Identities, system: _System) -> NavigationSystem:
        entries = tuple(MenuEntry(*one) for one in self._key(identities, list(system.entries)))
        return NavigationSystem(entries, *system.counts)


def _home(labels: Sequence[int], having: dict[int, list[int]]) -> int | None:
    """The system that has at least half of these links; of several the one with most of them."""
    shared: dict[int, int] = {}
    for label in labels:
        for place in having.get(label, ()):
            shared[place] = shared.get(place, 0) + 1
    best = min(shared, key=lambda place: (-shared[place], place), default=None)
    return best if best is not None and 2 * shared[best] >= len(labels) else None
