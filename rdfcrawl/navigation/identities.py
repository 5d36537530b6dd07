"""Links that are alike get one number (definitions 7 to 11), so that whole sites can be compared number by number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass


class Anchor(NamedTuple):
    """An ``<a href>`` of a page (definition 5): its target, its label, and what stands for its path description.

    The label is what people read: white space and markup in it make no difference.
    """

    target: str
    label: str
    display: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class LinkGroup:
    """A group of links in the order of the page: their v-IDs, b-IDs and d-IDs.

    ``references`` are equal where links lead to the same document, ``labels`` where they also have the same label, and
    ``displays`` where they also stand in the same way in their pages. Groups of equal references have one ``kind``.
    """

    kind: int
    references: tuple[int, ...]
    labels: tuple[int, ...]
    displays: tuple[int, ...] = ()


NO_LINKS: Final = LinkGroup(-1, (), ())


class Identities:
    """An assignment of IDs (definition 11) for all three equivalences; v-IDs are also the numbers of documents."""

    def __init__(self) -> None:
        self._references: dict[str, int] = {}
        self._labels: dict[tuple[int, str], int] = {}
        self._displays: dict[tuple[int, str], int] = {}
        self._kinds: dict[tuple[int, ...], int] = {}
        self._groups: dict[tuple[tuple[int, ...], tuple[int, ...]], LinkGroup] = {}
        self._addresses: list[str] = []
        self._texts: list[tuple[int, str]] = []

    def reference(self, address: str) -> int:
        """The v-ID of links to an address."""
        number = self._references.setdefault(address, len(self._addresses))
        if number == len(self._addresses):
            self._addresses.append(address)
        return number

    def group(self, anchors: Iterable[Anchor]) -> LinkGroup:
        """The group of these links; groups that are alike in everything are one object."""
        references, labels, displays = [], [], []
        for anchor in anchors:
            reference = self.reference(anchor.target)
            key = reference, anchor.label
            label = self._labels.setdefault(key, len(self._texts))
            if label == len(self._texts):
                self._texts.append(key)
            references.append(reference)
            labels.append(label)
            if anchor.display:
                displays.append(self._displays.setdefault((label, anchor.display), len(self._displays)))
        order = tuple(references)
        kind = self._kinds.setdefault(order, len(self._kinds))
        made = LinkGroup(kind, order, tuple(labels), tuple(displays))
        # A b-ID tells the v-ID.
        return self._groups.setdefault((made.labels, made.displays), made)

    def address(self, reference: int) -> str:
        """The address that has a v-ID."""
        return self._addresses[reference]

    def entry(self, label: int) -> tuple[int, str]:
        """The v-ID and the label of links that have a b-ID."""
        return self._texts[label]
