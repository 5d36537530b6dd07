"""Where elements stand in a template, and the ways to them by names and by steps.

What stands at the same place of several pages has the same ways to it, which are made once.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.slots import Sample, classes_of
from rdfcrawl.drafting.ways.paths import PathAnchor, Step, Way

_STABLE_SHARE: Final = 0.4
_NUMBERED: Final = re.compile(r"(.*?)[-_]?\d+(.*)")
DEPTH: Final = 6
"""How many steps down from a name or a label there are at most."""
WEIGHTS: Final = {
    PathAnchor.ITEMPROP: 1.0,
    PathAnchor.HEADING: 0.95,
    PathAnchor.ID: 0.95,
    PathAnchor.LABEL: 0.97,
    PathAnchor.INLINE: 0.95,
    PathAnchor.PREFIX: 0.9,
    PathAnchor.CLASS: 0.88,
    PathAnchor.BODY: 0.4,
}
_BODY: Final = Way(PathAnchor.BODY, "body", "")

Weighed = tuple[tuple[Way, float], ...]
"""Ways with the weights that their forms deserve."""

_Names = tuple[str, str | None, str | None, tuple[str, ...]]
"""The tag of an element, its ``itemprop``, its id and its classes."""


@dataclass(slots=True, eq=False)
class Position:
    """A place in the trees of all pages: the step to it from the one above, and the names of what stands there.

    It ``has_alike`` if the element around it has more children of its tag.
    """

    above: Position | None
    tag: str
    step: Step
    has_alike: bool
    named: Weighed
    """The ways to it by a name of its own."""
    below: dict[int, Weighed] = field(default_factory=dict)
    """The ways from what is around it: to the element as a whole, and to its texts by their numbers."""


@dataclass(frozen=True, slots=True)
class Stable:
    """The ids and classes that the template gives, as opposed to those that a page or a row gives."""

    ids: frozenset[str]
    classes: frozenset[tuple[str, str]]
    _positions: dict[Element, Position] = field(default_factory=dict, compare=False)
    _known: dict[tuple[Position | None, Step, bool, _Names], Position] = field(default_factory=dict, compare=False)
    _named: dict[_Names, Weighed] = field(default_factory=dict, compare=False)
    _steps: dict[Element, tuple[Step, bool]] = field(default_factory=dict, compare=False)
    _ways: dict[tuple[Way, tuple[Step, ...], int], Way] = field(default_factory=dict, compare=False)

    def position(self, element: Element) -> Position:
        """Where an element stands."""
        known = self._positions.get(element)
        if known is not None:
            return known
        chain: list[Element] = []
        current: Element | None = element
        while current is not None and (known := self._positions.get(current)) is None:
            chain.append(current)
            current = current.getparent()
        for one in reversed(chain):
            known = self._positions[one] = self._position_below(known, one)
        assert known is not None
        return known

    def below(self, position: Position, text: int) -> Weighed:
        """The ways to what stands at a place, or to one of its texts, from the names around it."""
        known = position.below.get(text)
        if known is None:
            known = position.below[text] = tuple(self._from_names(position, text))
        return known

    def lower(self, way: Way, down: tuple[Step, ...] = (), text: int = 0) -> Way:
        """The way that goes on from a name by steps down; each exists once, so that looking it up takes no time."""
        key = way, down, text
        known = self._ways.get(key)
        if known is None:
            known = self._ways[key] = Way(way.anchor, way.tag, way.name, down=down, text=text)
        return known

    def step_to(self, element: Element) -> tuple[Step, bool]:
        """The step from an element's parent to it, and whether the parent has more children of its name."""
        known = self._steps.get(element)
        if known is None:
            # All children at once: a table may have a thousand rows, and each would count those before it.
            counts: Counter[str] = Counter()
            numbered = []
            parent = element.getparent()
            for child in parent if parent is not None else (element,):
                tag = str(child.tag)
                counts[tag] += 1
                numbered.append((child, (tag, counts[tag])))
            self._steps.update((child, (step, counts[step[0]] > 1)) for child, step in numbered)
            known = self._steps[element]
        return known

    def _position_below(self, above: Position | None, element: Element) -> Position:
        step, has_alike = self.step_to(element)
        names = self._names(element)
        key = above, step, has_alike, names
        known = self._known.get(key)
        if known is None:
            if names not in self._named:
                self._named[names] = tuple((self.lower(way), weight) for way, weight in _by_name(names))
            known = self._known[key] = Position(above, step[0], step, has_alike, self._named[names])
        return known

    def _names(self, element: Element) -> _Names:
        tag, identifier = str(element.tag), element.get("id")
        classes = tuple(name for name in classes_of(element) if (tag, name) in self.classes)
        return tag, element.get("itemprop"), identifier if identifier in self.ids else None, classes

    def _from_names(self, position: Position, text: int) -> Iterator[tuple[Way, float]]:
        """The place by steps down from one that has a name."""
        steps: list[Step] = []
        several = not text and position.has_alike
        current = position
        while (above := current.above) is not None:
            steps.insert(0, current.step)
            depth = len(steps)
            if above.tag == "body":
                yield self.lower(_BODY, tuple(steps), text), WEIGHTS[PathAnchor.BODY] - 0.01 * depth
                return
            if depth <= DEPTH:
                down = tuple(steps)
                for way, weight in above.named:
                    yield self.lower(way, down, text), weight * (0.93 if text else 0.97) - 0.05 * depth
                    if several:
                        yield self.lower(way, (*down[:-1], (down[-1][0], 0))), weight * 0.95 - 0.05 * depth
            current = above


def find_stable(samples: Sequence[Sample]) -> Stable:
    """The names that stand on enough pages and are not numbered through."""
    ids: dict[str, int] = defaultdict(int)
    classes: dict[tuple[str, str], int] = defaultdict(int)
    for sample in samples:
        for name in sample.by_id:
            ids[name] += 1
        for key in sample.by_class:
            classes[key] += 1
    least = _STABLE_SHARE * len(samples)
    names = {name for _, name in classes}
    unnumbered = _unnumbered(names, names)
    return Stable(
        _unnumbered({name for name, count in ids.items() if count >= least}, set(ids)),
        frozenset((tag, name) for (tag, name), count in classes.items() if count >= least and name in unnumbered),
    )


def _unnumbered(names: set[str], known: set[str]) -> frozenset[str]:
    """Names without those of a numbered row, such as ``row_01`` beside ``row_02``."""
    stems: dict[tuple[str, str], int] = defaultdict(int)
    for name in known:
        if found := _NUMBERED.fullmatch(name):
            stems[found[1], found[2]] += 1
    return frozenset(
        name for name in names if (found := _NUMBERED.fullmatch(name)) is None or stems[found[1], found[2]] < 2
    )


def _by_name(names: _Names) -> Iterator[tuple[Way, float]]:
    """The ways to an element by a name of its own."""
    tag, itemprop, identifier, classes = names
    if itemprop:
        yield Way(PathAnchor.ITEMPROP, tag, itemprop), WEIGHTS[PathAnchor.ITEMPROP]
    if identifier:
        yield Way(PathAnchor.ID, tag, identifier), WEIGHTS[PathAnchor.ID]
    if tag == "h1":
        yield Way(PathAnchor.HEADING, tag, ""), WEIGHTS[PathAnchor.HEADING]
    for name in classes:
        yield Way(PathAnchor.CLASS, tag, name), WEIGHTS[PathAnchor.CLASS]
