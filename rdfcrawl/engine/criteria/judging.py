"""Whether criteria are met by the parts of a page or of a link, and what those that are add up to."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from decimal import Decimal
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.criteria.dates import find_date
from rdfcrawl.engine.criteria.needles import Needles, nearest
from rdfcrawl.engine.criteria.part_text import BLOCK_END, PartText, normal
from rdfcrawl.engine.document.tree import Document, Element, Path, compile_path
from rdfcrawl.expressions.patterns import PATTERN_SECONDS, compiled_pattern, too_slow
from rdfcrawl.metamodel.criteria import Criterion, CriterionKind, parts_of

_PLAIN: Final = (CriterionKind.CONTAINS, CriterionKind.NEAR)
_NESTING: Final = (CriterionKind.ALL, CriterionKind.ANY)
_SAME_TYPE: Final = {"htm": "html", "xhtml": "html", "jpeg": "jpg", "text": "txt", "tiff": "tif"}
_EMPTY: Final = PartText(())
_NOT_SIMPLE: Final = re.compile(r"[\^$]|\\[AZzBGK]|\(\?[^:]|\(\*|[*+?}]\+")
"""What makes it possible that an expression matches in a block, and not in the whole text around it."""


class Spot(NamedTuple):
    """Where a criterion is met: the place in a part, or nothing more than that it is."""

    part: str | None = None
    start: int = 0
    end: int = 0
    element: Element | None = None


_MET: Final = Spot()


@dataclass(frozen=True, slots=True)
class Subject:
    """What is judged: the parts of a page or of a link, and what else is known of it.

    ``score`` is that of the page on which a link stands. Without a ``document`` nothing can be found by a path.
    """

    parts: Mapping[str, PartText]
    file_type: str | None = None
    document: Document | None = None
    score: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The score of a page or a link, and the criteria that it meets, each with its place.

    ``complaints`` are about criteria that could not be judged, and count as not met.
    """

    score: Decimal
    met: Mapping[str, Spot]
    complaints: tuple[str, ...] = ()


class _Group(NamedTuple):
    """How plain texts are compared."""

    case_sensitive: bool
    across: bool


def _group(criterion: Criterion) -> _Group:
    return _Group(criterion.case_sensitive, criterion.across)


def weight_of(criterion: Criterion) -> Decimal:
    """The weight as it is added up: exactly as it is written."""
    return Decimal(repr(criterion.weight))


class Judge:
    """Some criteria, prepared once for many pages."""

    def __init__(self, criteria: Sequence[Criterion]) -> None:
        self.criteria = tuple(criteria)
        every = [inner for criterion in criteria for inner in criterion.every()]
        self.parts = parts_of(criteria)
        """The parts that the criteria look into."""
        self.patterns = {
            inner.iri: compiled_pattern(inner.texts[0], *(() if inner.case_sensitive else ("IGNORECASE", "FULLCASE")))
            for inner in every
            if inner.kind == CriterionKind.MATCHES
        }
        self.simple = {
            inner.iri
            for inner in every
            if inner.iri in self.patterns and not inner.across and not _NOT_SIMPLE.search(inner.texts[0])
        }
        """The expressions that match in no block if they do not match in the whole text, which is faster to see."""
        self.paths: dict[str, Path] = {
            inner.iri: compile_path(inner.texts[0]) for inner in every if inner.kind == CriterionKind.FOUND
        }
        self._texts = {inner.iri: _needles(inner) for inner in every if inner.kind in _PLAIN}
        self._ordered = {
            inner.iri: sorted(inner.criteria, key=lambda one: one.kind not in _PLAIN)
            for inner in every
            if inner.kind in _NESTING
        }
        groups: dict[_Group, set[str]] = {}
        for inner in every:
            groups.setdefault(_group(inner), set()).update(self._texts.get(inner.iri, ()))
        self.needles = {group: Needles(texts) for group, texts in groups.items() if texts}
        # Most texts are on few pages, so that only those criteria are looked at that may be met.
        self._by_needle: dict[str, list[int]] = {}
        self._always: list[int] = []
        for number, criterion in enumerate(self.criteria):
            if all(inner.kind in (*_PLAIN, *_NESTING) for inner in criterion.every()):
                for text in {text for inner in criterion.every() for text in self._texts.get(inner.iri, ())}:
                    self._by_needle.setdefault(text, []).append(number)
            else:
                self._always.append(number)

    def cheapest_first(self, criterion: Criterion) -> Sequence[Criterion]:
        """What a criterion is made of, plain texts before what takes longer to find."""
        return self._ordered[criterion.iri]

    def texts(self, criterion: Criterion) -> tuple[str, ...]:
        """The plain texts of a criterion as they are compared."""
        return self._texts[criterion.iri]

    def judge(self, subject: Subject) -> Judgement:
        """The score of a subject; what is looked for by several criteria is looked for once."""
        looking = _Looking(self, subject)
        numbers = {*self._always}
        for text in looking.found_texts():
            numbers.update(self._by_needle.get(text, ()))
        met: dict[str, Spot] = {}
        score = Decimal(0)
        for number in sorted(numbers):
            criterion = self.criteria[number]
            if (spot := looking.spot(criterion)) is not None:
                met[criterion.iri] = spot
                score += weight_of(criterion)
        return Judgement(score, met, tuple(looking.complaints))


def _needles(criterion: Criterion) -> tuple[str, ...]:
    texts = map(normal, criterion.texts)
    return tuple(texts if criterion.case_sensitive else (text.casefold() for text in texts))


@dataclass(slots=True)
class _Looking:
    """One subject being judged."""

    judge: Judge
    subject: Subject
    complaints: list[str] = field(default_factory=list)
    _places: dict[tuple[_Group, str], dict[str, int]] = field(default_factory=dict)
    _dates: dict[tuple[str, bool], tuple[int, int] | None] = field(default_factory=dict)

    def found_texts(self) -> Iterable[str]:
        """All plain texts that occur in any part."""
        for group in self.judge.needles:
            for part in self.subject.parts:
                yield from self._places_in(group, part)

    def spot(self, criterion: Criterion) -> Spot | None:
        """Where a criterion is met; ``None`` if it is not."""
        match criterion.kind:
            case CriterionKind.ALL:
                first: Spot | None = None
                for inner in self.judge.cheapest_first(criterion):
                    spot = self.spot(inner)
                    if spot is None:
                        return None
                    first = first or spot
                return first
            case CriterionKind.ANY:
                return next((spot for inner in criterion.criteria if (spot := self.spot(inner)) is not None), None)
            case CriterionKind.FILE_TYPE:
                return _MET if _same_type(self.subject.file_type, criterion.texts[0]) else None
            case CriterionKind.SCORED:
                return _MET if self.subject.score >= Decimal(repr(criterion.least)) else None
            case CriterionKind.FOUND:
                return self._found(criterion)
            case CriterionKind.MATCHES:
                return self._matching(criterion)
        for part in criterion.parts:
            if part in self.subject.parts and (span := self._span(criterion, part)) is not None:
                return Spot(part, *span)
        return None

    def _span(self, criterion: Criterion, part: str) -> tuple[int, int] | None:
        text = self.subject.parts[part]
        group = _group(criterion)
        if criterion.kind == CriterionKind.DATE:
            key = (part, criterion.across)
            if key not in self._dates:
                self._dates[key] = find_date(text.variant(case_sensitive=True, across=criterion.across))
            return self._dates[key]
        needles = self.judge.texts(criterion)
        places = self._places_in(group, part)
        if not all(needle in places for needle in needles):
            return None
        if criterion.kind == CriterionKind.CONTAINS:
            start = places[needles[0]]
            end = start + len(needles[0])
        else:
            searched = text.variant(case_sensitive=group.case_sensitive, across=group.across)
            spans = nearest(searched, needles[0], needles[1], criterion.distance, BLOCK_END)
            if spans is None:
                return None
            start, end = spans
        return (start, end) if group.case_sensitive else (text.place(start), text.place(end))

    def _places_in(self, group: _Group, part: str) -> dict[str, int]:
        key = (group, part)
        if key not in self._places:
            text = self.subject.parts[part].variant(case_sensitive=group.case_sensitive, across=group.across)
            self._places[key] = self.judge.needles[group].places(text)
        return self._places[key]

    def _matching(self, criterion: Criterion) -> Spot | None:
        """A regular expression has its time for the whole page, not for each block."""
        expression = self.judge.patterns[criterion.iri]
        until = time.monotonic() + PATTERN_SECONDS
        for part in criterion.parts:
            text = self.subject.parts.get(part, _EMPTY)
            try:
                if criterion.iri in self.judge.simple and expression.search(text.text, timeout=PATTERN_SECONDS) is None:
                    continue
                whole = [(0, text.variant(case_sensitive=True, across=True))]
                for place, block in whole if criterion.across else text.blocks:
                    found = expression.search(block, timeout=max(until - time.monotonic(), 0.001))
                    if found is not None:
                        return Spot(part, place + found.start(), place + found.end())
            except TimeoutError:
                self.complaints.append(too_slow(criterion.texts[0]))
                return None
        return None

    def _found(self, criterion: Criterion) -> Spot | None:
        document = self.subject.document
        if document is None:
            return None
        path, root = self.judge.paths[criterion.iri], document.root
        found = path.evaluate(root, root, root, document.address, document.base)
        if not isinstance(found, list):
            # NaN, which is what a number is without any digits, differs from itself.
            return _MET if found and found == found else None
        matches = document.select(path, root, outer=root, root=root)
        if not matches:
            return None
        return Spot(element=None if isinstance(matches[0], str) else matches[0])


def _same_type(ours: str | None, theirs: str) -> bool:
    return ours is not None and _type(ours) == _type(theirs)


def _type(name: str) -> str:
    name = name.lower().removeprefix(".")
    return _SAME_TYPE.get(name, name)
