"""Ways that belong together: pieces of one block, and numbered elements of one list."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.ways.paths import LABELLED, TEXT, Way
from rdfcrawl.drafting.ways.trial import Tried, shape_of, try_way

_CELLS: Final = frozenset(("td", "th", "tr", "dd", TEXT))


def merged(accepted: Sequence[Tried], samples: Sequence[Sample], labels: Labels) -> list[Tried]:
    """The ways with what belongs together as one; the whole takes the place of its first part."""
    accepted = [_entries(one, samples, labels) or one for one in accepted]
    for common in (_block, _series):
        parts: dict[Way, list[Tried]] = defaultdict(list)
        for one in accepted:
            if (whole := common(one.way)) is not None:
                parts[whole].append(one)
        found = {
            whole: _without_others(_whole(whole, members, samples, labels), members, accepted)
            for whole, members in parts.items()
            if len(members) > 1
        }
        taken = {member.way: whole for whole, members in parts.items() if found.get(whole) for member in members}
        kept: dict[Way, Tried] = {}
        for one in accepted:
            whole = taken.get(one.way)
            joined = found[whole] if whole is not None else None
            kept.setdefault((joined or one).way, joined or one)
        accepted = list(kept.values())
    several = [[{value.first for value in values} for values in one.found] for one in accepted if one.way.is_multiple]
    return [one for one in accepted if one.way.is_multiple or not any(_is_part(one, firsts) for firsts in several)]


def _entries(one: Tried, samples: Sequence[Sample], labels: Labels) -> Tried | None:
    """The entries of a list in place of the list as one text."""
    last = one.way.down[-1][0] if one.way.down else one.way.across[0] if one.way.across else one.way.tag
    if last not in ("ul", "ol") or one.way.text or one.way.is_multiple:
        return None
    entries = try_way(replace(one.way, below="li"), one.weight, samples, labels)
    has_several = any(len(values) > 1 for values in entries.found)
    return replace(entries, score=one.score) if has_several and entries.coverage == one.coverage else None


def _block(way: Way) -> Way | None:
    """The whole block that a way finds one text of."""
    return replace(way, text=0) if way.text else None


def _series(way: Way) -> Way | None:
    """All elements of the list that a way finds one of."""
    if way.text or way.is_multiple:
        return None
    if way.down:
        return replace(way, down=(*way.down[:-1], (way.down[-1][0], 0))) if way.down[-1][0] not in _CELLS else None
    if way.across is not None and way.across[0] not in _CELLS:
        return replace(way, across=(way.across[0], 0))
    return None


def _whole(whole: Way, members: Sequence[Tried], samples: Sequence[Sample], labels: Labels) -> Tried | None:
    """The way to the whole, if it has no labels in it and, as a list, only one sort of values."""
    if whole.is_multiple:
        texts = [value.text for one in members for values in one.found for value in values[:1]]
        if len({shape_of(text) for text in texts}) > 1:
            return None
    tried = try_way(whole, max(member.weight for member in members), samples, labels)
    best = max(member.score for member in members)
    return replace(tried, score=best) if tried.score > 0.5 * best else None


def _without_others(whole: Tried | None, members: Sequence[Tried], accepted: Sequence[Tried]) -> Tried | None:
    """The whole, unless it takes in what other ways find by a label of their own."""
    if whole is None or whole.way.anchor in LABELLED:
        return whole
    labelled = [one for one in accepted if one.way.anchor in LABELLED and one not in members]
    return None if any(whole.holds(one) for one in labelled) else whole


def _is_part(one: Tried, others: Sequence[set[int]]) -> bool:
    """Whether a way finds only what another one has anyway, whose values on each page begin at the given places."""
    return all(value.first in firsts for page, firsts in enumerate(others) for value in one.counted(page))
