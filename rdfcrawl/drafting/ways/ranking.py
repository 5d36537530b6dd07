"""Which properties a reader of the pages would want, first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.slots import Sample, clean
from rdfcrawl.drafting.ways.paths import LABELLED, PathAnchor, Way
from rdfcrawl.drafting.ways.trial import Tried

_FORMS: Final = {
    PathAnchor.ITEMPROP: 0.25,
    PathAnchor.LABEL: 0.2,
    PathAnchor.INLINE: 0.2,
    PathAnchor.PREFIX: 0.2,
    PathAnchor.HEADING: 0.2,
    PathAnchor.ID: 0.1,
    PathAnchor.CLASS: 0.05,
    PathAnchor.BODY: 0.0,
}


_NAMED: Final = LABELLED | {PathAnchor.HEADING, PathAnchor.ID}
_GATHERED: Final = 0.3
_SMALL: Final = 4


@dataclass(frozen=True, slots=True)
class _Told:
    """What a property says on each page, between spaces, the pages on which that is something, and how long it is."""

    texts: tuple[str, ...]
    pages: tuple[int, ...]
    length: int

    def is_part_of(self, other: _Told) -> bool:
        """Whether everything that one property says is said by another one, in the same or in more words."""
        # Of a hundred properties each is compared with each: what says more cannot be a part.
        if len(self.pages) < 2 or self.length > other.length:
            return False
        ours, theirs = self.texts, other.texts
        return all(ours[page] in theirs[page] for page in self.pages)


def ranked(accepted: Sequence[Tried], samples: Sequence[Sample]) -> list[Tried]:
    """The properties, those that are most likely wanted first."""
    titles = [_title(sample) for sample in samples]
    middles = [_title_place(sample, title) for sample, title in zip(samples, titles, strict=True)]
    worths = {one.way: _worth(one, samples, titles, middles) for one in accepted}
    return sorted(accepted, key=lambda one: (-worths[one.way], repr(one.way)))


def without_repetition(ordered: Sequence[Tried]) -> tuple[list[Tried], list[Tried]]:
    """The properties that say something of their own, and those that repeat another one or a part of it.

    Of a value and a sentence around it the value stays; a small piece of a value goes, unless it has a label.
    """
    own: dict[Way, tuple[Tried, _Told]] = {}
    repeated: list[Tried] = []
    for one in ordered:
        texts = _told(one)
        pieces = []
        for other, told in own.values():
            if texts.is_part_of(told):
                is_piece = _SMALL * texts.length < told.length
                if one.way.anchor in LABELLED and other.way.anchor is PathAnchor.HEADING and is_piece:
                    continue
                break
            if told.is_part_of(texts):
                if 2 * told.length >= texts.length:
                    break
                if 4 * told.length < texts.length and other.way.anchor not in _NAMED:
                    pieces.append(other)
        else:
            repeated += (own.pop(piece.way)[0] for piece in pieces)
            own[one.way] = one, texts
            continue
        repeated.append(one)
    kept, gathered = _without_gatherings(list(own.values()))
    return kept, [*repeated, *gathered]


def _without_gatherings(own: Sequence[tuple[Tried, _Told]]) -> tuple[list[Tried], list[Tried]]:
    """The properties without those that only gather what others say by name, and without nameless pieces of others."""
    found = [one for one, _ in own]
    lengths = {one.way: told.length for one, told in own}
    parts = {one.way: [other for other, part in own if other is not one and part.is_part_of(told)] for one, told in own}
    gone: set[Way] = set()
    for one in found:
        if not _is_called(one.way) and _is_gathering(one, parts[one.way], lengths):
            gone.add(one.way)
    for one in found:
        if one.way not in gone:
            gone.update(part.way for part in parts[one.way] if not _is_called(part.way))
    return [one for one in found if one.way not in gone], [one for one in found if one.way in gone]


def _is_gathering(one: Tried, parts: Sequence[Tried], lengths: Mapping[Way, int]) -> bool:
    """Whether a property holds the places of others that have a name, or consists of their texts to a good part."""
    called = [part for part in parts if _is_called(part.way)]
    if any(one.holds(part) for part in called):
        return True
    return sum(lengths[part.way] for part in called) >= _GATHERED * lengths[one.way]


def _is_called(way: Way) -> bool:
    """Whether the page itself says what a value is: by a label, as its heading, or by an id of its own."""
    return way.anchor in LABELLED or way.anchor is PathAnchor.HEADING or (way.anchor is PathAnchor.ID and not way.down)


def _told(one: Tried) -> _Told:
    texts = [" ".join(value.text for value in one.counted(page)) for page in range(len(one.found))]
    pages = [page for page, text in enumerate(texts) if text]
    return _Told(tuple(f" {text} " for text in texts), tuple(pages), sum(map(len, texts)))


def _worth(one: Tried, samples: Sequence[Sample], titles: Sequence[str], middles: Sequence[int]) -> float:
    counted = [(page, value) for page in range(len(samples)) for value in one.counted(page)]
    worth = one.score + _FORMS[one.way.anchor] - 0.02 * len(one.way.down) - 0.03 * one.way.climb
    named = sum(_named_share(titles[page], value.text) for page, value in counted) / len(counted)
    worth += (0.7 + 0.5 * one.coverage) * named
    texts = {value.text for _, value in counted}
    if len(texts) == 1 and one.coverage > 0.5:
        worth -= 0.2 if one.way.anchor in LABELLED else 0.5
    distance = sum(abs(value.first - middles[page]) / len(samples[page].slots) for page, value in counted) / len(
        counted
    )
    worth -= 0.5 * distance
    linked = sum(1 for page, value in counted if samples[page].slots[value.first].linked) / len(counted)
    if one.way.anchor not in LABELLED:
        worth -= 0.15 * linked
    return worth


def _title(sample: Sample) -> str:
    return clean(sample.document.root.findtext("head/title") or "")


def _named_share(title: str, text: str) -> float:
    """How much of the title a text is; what a reader would call the page by has most of it."""
    return min(1.0, 0.3 + len(text) / len(title)) if _names(title, text) else 0.0


def _names(title: str, text: str) -> bool:
    """Whether a text is a part of the title that says something."""
    return len(text) > 3 and text in title


def _title_place(sample: Sample, title: str) -> int:
    """Where the page says what it is about: its first heading, else the longest text that its title has too."""
    for slot in sample.slots:
        if slot.node.tag == "h1" or any(level.partition(".")[0] == "h1" for level in slot.kind):
            return slot.place
    named = [slot for slot in sample.slots if _names(title, slot.text)]
    return max(named, key=lambda slot: len(slot.text)).place if named else len(sample.slots) // 3
