"""Texts that are where they were but are written otherwise: other formats, patterns and replacements for them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.drafting.repair.edits import Edit, edited_property
from rdfcrawl.drafting.repair.facts import normal
from rdfcrawl.engine.values.pipeline import Pipeline
from rdfcrawl.metamodel.model import Property
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import term_text

_DAYS: Final = (
    "yyyy-MM-dd",
    "dd.MM.yyyy",
    "d.M.yyyy",
    "MM/dd/yyyy",
    "M/d/yyyy",
    "dd/MM/yyyy",
    "d/M/yyyy",
    "yyyy/MM/dd",
    "dd-MM-yyyy",
    "yyyyMMdd",
    "dd.MM.yy",
    "d. MMMM yyyy",
    "d. MMM yyyy",
    "d MMMM yyyy",
    "d MMM yyyy",
    "MMMM d, yyyy",
    "MMM d, yyyy",
    "EEEE, d. MMMM yyyy",
    "EEEE, MMMM d, yyyy",
)
_HOURS: Final = ("HH:mm:ssZ", "HH:mm:ssXXX", "HH:mm:ss", "HH:mm", "H:mm", "HH.mm", "h:mm a", "HH:mm 'Uhr'")
_BETWEEN: Final = ("'T'", " ", ", ")
_MOST_PAIRS: Final = 40
_MOST: Final = 12
_CLASS: Final = re.compile(r"\[([^\]\\]*(?:\\.[^\]\\]*)*)\]")


def other_readings(prop: Property, raws: Sequence[str], known: Sequence[str], base: str) -> list[tuple[Edit, ...]]:
    """Edits with which the raw texts become known values, those that make most of them first.

    ``known`` are the values as N-Triples text.
    """
    wanted = Counter(map(normal, known))
    least = max(1, min(len(raws), wanted.total()) // 2)
    rated: list[tuple[int, tuple[Edit, ...]]] = []
    for edits in dict.fromkeys(_readings(prop, raws, known)):
        made = Counter(_terms(edited_property(prop, edits), raws, base))
        if (hits := (made & wanted).total()) >= least:
            rated.append((hits, edits))
    return [edits for _, edits in sorted(rated, key=lambda one: -one[0])[:_MOST]]


def _terms(prop: Property, raws: Sequence[str], base: str) -> Iterator[str]:
    try:
        pipeline = Pipeline(prop)
    except (ValueError, re.error):
        return
    for raw in raws:
        for _, term in pipeline.values(raw, base):
            if isinstance(term, str):
                yield normal(term)


def _readings(prop: Property, raws: Sequence[str], known: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    if prop.datatype in terms.FORMATTED_DATATYPES:
        yield from ((Edit(prop.iri, "format", prop.format, layout),) for layout in _layouts(prop))
    yield from _symbols(prop, raws, known)
    yield from _affixes(prop, raws, known)


def _layouts(prop: Property) -> Iterator[str]:
    """The formats that sites use for such a value."""
    if prop.datatype == terms.TIME:
        yield from _HOURS
    elif prop.datatype == terms.DATE_TIME:
        yield from (f"{day}{between}{hour}" for day in _DAYS for between in _BETWEEN for hour in _HOURS)
    else:
        yield from _DAYS


def _symbols(prop: Property, raws: Sequence[str], known: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    """Another sign in place of one that is known, such as ``1'234`` for ``1.234``."""
    texts = "".join(term_text(term) for term in known[:_MOST_PAIRS])
    signs = Counter(sign for raw in raws for sign in raw if not sign.isalnum() and not sign.isspace())
    for sign, _ in signs.most_common(5):
        escaped = _escaped(sign)
        patterns: list[tuple[Edit, ...]] = [()]
        if prop.pattern and (wider := _wider(prop.pattern, escaped)) != prop.pattern:
            patterns = [(Edit(prop.iri, "pattern", prop.pattern, wider),)]
        for pattern in patterns:
            for step in prop.replacements:
                yield (*pattern, Edit(prop.iri, "old", step.old, escaped))
                yield (*pattern, Edit(prop.iri, "old", step.old, f"{step.old}|{escaped}"))
            if sign not in texts:
                for new in ("", ".", "-"):
                    yield (*pattern, _added(prop, escaped, new))


def _wider(pattern: str, sign: str) -> str:
    """The pattern with one more sign wherever it takes digits among others."""
    return _CLASS.sub(lambda found: f"[{found[1]}{sign}]" if "\\d" in found[1] else found[0], pattern)


def _affixes(prop: Property, raws: Sequence[str], known: Sequence[str]) -> Iterator[tuple[Edit, ...]]:
    """What stands before or behind all values, and did not."""
    before: Counter[tuple[str, str]] = Counter()
    behind: Counter[tuple[str, str]] = Counter()
    values = [term_text(term) for term in known[:_MOST_PAIRS]]
    for raw in raws[:_MOST_PAIRS]:
        for value in values:
            if common := _common_end(raw, value):
                before[raw[: len(raw) - common], value[: len(value) - common]] += 1
            if common := _common_end(raw[::-1], value[::-1]):
                behind[raw[common:], value[common:]] += 1
    for (old, new), _ in before.most_common(3):
        if old:
            yield (_added(prop, f"^{_escaped(old)}", new),)
    for (old, new), _ in behind.most_common(3):
        if old:
            yield (_added(prop, f"{_escaped(old)}$", new),)


def _common_end(one: str, other: str) -> int:
    """How long the end is that two texts have in common."""
    length = 0
    while length < min(len(one), len(other)) and one[-1 - length] == other[-1 - length]:
        length += 1
    return length


def _added(prop: Property, old: str, new: str) -> Edit:
    order = min((step.order for step in prop.replacements), default=1) - 1
    return Edit(prop.iri, "replace", None, old, new.replace("$", "\\$"), order)


def _escaped(text: str) -> str:
    """A text as a regular expression that finds it; a space means itself."""
    return re.escape(text).replace("\\ ", " ")
