"""Criteria: what is looked for on a page or around a link, how much it weighs, and how it is called."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf import terms

if TYPE_CHECKING:
    from rdflib.term import Node

    from rdfcrawl.metamodel.statements.resource import Resource

TEXT: Final = terms.PART + "text"
HEAD: Final = terms.PART + "head"
HEADINGS: Final = terms.PART + "headings"
ADDRESS: Final = terms.PART + "address"
ANCHORS: Final = terms.PART + "anchors"
ANCHOR: Final = terms.PART + "anchor"
CONTEXT: Final = terms.PART + "context"

PAGE_PARTS: Final = (TEXT, HEAD, HEADINGS, ADDRESS, ANCHORS)
"""Where a criterion of a page can look; the first is the default."""
LEAD_PARTS: Final = (ANCHOR, CONTEXT, ADDRESS)
"""Where a criterion of a lead can look; the first is the default."""
CONTENT_PARTS: Final = frozenset((TEXT, HEAD, HEADINGS))
"""The parts for which the content of a file is needed."""
PARTS: Final = tuple(dict.fromkeys((*PAGE_PARTS, *LEAD_PARTS)))

DISTANCE: Final = 50
_LONGEST_SLUG: Final = 40
_WORDS: Final = re.compile(r"[^\W_]+")


class CriterionKind(StrEnum):
    """How a criterion is met; the value is the term that says so."""

    CONTAINS = "contains"
    MATCHES = "matches"
    NEAR = "near"
    DATE = "containsDate"
    FILE_TYPE = "fileType"
    FOUND = "found"
    SCORED = "scored"
    ALL = "all"
    ANY = "any"


OF_TEXTS: Final = frozenset((CriterionKind.CONTAINS, CriterionKind.MATCHES, CriterionKind.NEAR, CriterionKind.DATE))
"""The kinds that look into the texts of parts."""
NESTING: Final = frozenset((CriterionKind.ALL, CriterionKind.ANY))


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion; ``texts`` are what is looked for, ``criteria`` those that ``:all`` and ``:any`` are made of.

    In the parts that it looks into, a match stays within one block unless it may go ``across``. ``least`` is the score
    that ``:scored`` asks for.
    """

    iri: str
    kind: str
    texts: tuple[str, ...] = ()
    criteria: tuple[Criterion, ...] = ()
    weight: float = 1.0
    parts: tuple[str, ...] = ()
    case_sensitive: bool = False
    distance: int = DISTANCE
    across: bool = False
    least: float = 0.0

    def every(self) -> Iterator[Criterion]:
        """The criterion itself, and all that it is made of."""
        yield self
        for inner in self.criteria:
            yield from inner.every()

    @property
    def said(self) -> str:
        """The criterion in words."""
        return f"{self._what}{self._where}"

    @property
    def _what(self) -> str:
        quoted = [f'"{text}"' for text in self.texts]
        match self.kind:
            case CriterionKind.NEAR:
                return f"{quoted[0]} near {quoted[1]} (within {self.distance} characters)"
            case CriterionKind.DATE:
                return "contains a date"
            case CriterionKind.FILE_TYPE:
                return f"is a file of the type {self.texts[0]}"
            case CriterionKind.FOUND:
                return f"has {' '.join(self.texts[0].split())}"
            case CriterionKind.SCORED:
                return f"stands on a page with a score of {number(self.least)} or more"
            case CriterionKind.ALL | CriterionKind.ANY:
                return self._combined
            case CriterionKind.MATCHES:
                return f"matches {self.texts[0]}"
        return f"contains {quoted[0]}"

    @property
    def _combined(self) -> str:
        """What ``:all`` and ``:any`` ask for; of several texts that are looked for alike, only the texts."""
        is_all = self.kind == CriterionKind.ALL
        places = {inner._where for inner in self.criteria}
        if len(places) == 1 and all(inner.kind == CriterionKind.CONTAINS for inner in self.criteria):
            texts = [f'"{text}"' for inner in self.criteria for text in inner.texts]
            return f"contains {_enumerated(texts, 'and' if is_all else 'or')}{places.pop()}"
        return f"({(' and ' if is_all else ' or ').join(inner.said for inner in self.criteria)})"

    @property
    def _where(self) -> str:
        if self.kind not in OF_TEXTS or self.parts in ((TEXT,), (ANCHOR,)):
            return ""
        return f" in the {_enumerated([part.removeprefix(terms.PART) for part in self.parts], 'or')}"


def parts_of(criteria: Sequence[Criterion]) -> frozenset[str]:
    """The parts that some criteria look into."""
    every = (inner for criterion in criteria for inner in criterion.every())
    return frozenset(part for inner in every if inner.kind in OF_TEXTS for part in inner.parts)


def _enumerated(texts: Sequence[str], last: str) -> str:
    return f" {last} ".join(filter(None, (", ".join(texts[:-1]), texts[-1])))


def number(value: float | Decimal) -> str:
    """A weight or a score as it is written: without exponent and without zeros that mean nothing."""
    exact = Decimal(repr(value)) if isinstance(value, float) else value
    text = format(exact, "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text


def signed(weight: float) -> str:
    """A weight as it is added: with its sign."""
    return f"{'-' if weight < 0 else '+'}{number(abs(weight))}"


def criterion_of(node: Node, about: Callable[[Node], Resource], default: tuple[str, ...]) -> Criterion:
    """The criterion that a node of a valid model describes; without ``:in`` it looks into the parts in ``default``.

    One without a name is named by what it says, apart from its weight: so its name stays when only that changes.
    """
    return _criterion(node, about, Criterion("", CriterionKind.CONTAINS, parts=default))


def _criterion(node: Node, about: Callable[[Node], Resource], outer: Criterion) -> Criterion:
    """A criterion inside another one takes over from it what it does not say itself."""
    # Only who builds a model has rdflib; everybody else reads this module as well.
    from rdflib import BNode, Literal

    if isinstance(node, Literal):
        return _named(replace(outer, iri="", kind=CriterionKind.CONTAINS, texts=(str(node),), weight=1.0, criteria=()))
    said = about(node)
    (kind,) = (kind for kind in CriterionKind if said.values(kind.value))
    case_sensitive, across, distance = said.flag("caseSensitive"), said.flag("across"), said.number("distance")
    own = Criterion(
        "" if isinstance(node, BNode) else str(node),
        kind.value,
        weight=_amount(said, "weight", 1.0),
        parts=tuple(sorted(said.texts("in"), key=PARTS.index)) or outer.parts,
        case_sensitive=outer.case_sensitive if case_sensitive is None else case_sensitive,
        across=outer.across if across is None else across,
        distance=DISTANCE if distance is None else distance,
        least=_amount(said, "scored", 0.0),
    )
    if kind in NESTING:
        inner = tuple(_criterion(value, about, own) for value in said.values(kind.value))
        return _named(replace(own, criteria=inner))
    looks_for = kind not in (CriterionKind.DATE, CriterionKind.SCORED)
    return _named(replace(own, texts=said.texts(kind.value) if looks_for else ()))


def _amount(said: Resource, term: str, default: float) -> float:
    text = said.optional_text(term)
    return default if text is None else float(text)


def _named(criterion: Criterion) -> Criterion:
    if criterion.iri:
        return criterion
    content = json.dumps(_content(criterion), ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    digest = hashlib.sha256(content.encode()).hexdigest()[:12]
    texts = " ".join(sorted(text for inner in criterion.every() for text in inner.texts))
    slug = "-".join(_WORDS.findall(texts.casefold()))[:_LONGEST_SLUG].strip("-")
    return replace(criterion, iri="-".join(filter(None, (f"{terms.CRITERION}{criterion.kind}", slug, digest))))


def _content(criterion: Criterion) -> Mapping[str, object]:
    """What a criterion says, apart from its weight and the order in which it is written."""
    return {
        "kind": criterion.kind,
        "texts": sorted(criterion.texts),
        "criteria": sorted(inner.iri for inner in criterion.criteria),
        "parts": criterion.parts,
        "rest": [criterion.case_sensitive, criterion.distance, criterion.across, criterion.least],
    }
