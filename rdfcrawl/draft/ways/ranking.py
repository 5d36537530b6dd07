"""Which properties a reader of the pages would want, first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.draft.reading.slots import Sample, clean
from rdfcrawl.draft.ways.paths import Anchor
from rdfcrawl.draft.ways.trial import Tried

_FORMS: Final = {
    Anchor.ITEMPROP: 0.25,
    Anchor.LABEL: 0.2,
    Anchor.INLINE: 0.2,
    Anchor.PREFIX: 0.2,
    Anchor.HEADING: 0.2,
    Anchor.ID: 0.1,
    Anchor.CLASS: 0.05,
    Anchor.BODY: 0.0,
}


_LABELLED: Final = frozenset((Anchor.LABEL, Anchor.INLINE, Anchor.PREFIX, Anchor.ITEMPROP))


def ranked(accepted: Sequence[Tried], samples: Sequence[Sample]) -> list[Tried]:
    """The properties, those that are most likely wanted first."""
    titles = [_title(sample) for sample in samples]
    middles = [_title_place(sample, title) for sample, title in zip(samples, titles, strict=True)]
    worths = {one.way: _worth(one, samples, titles, middles) for one in accepted}
    chosen: list[Tried] = []
    for one in sorted(accepted, key=lambda one: (-worths[one.way], repr(one.way))):
        if not any(_says_the_same(one, other) for other in chosen):
            chosen.append(one)
    return chosen


def _says_the_same(one: Tried, other: Tried) -> bool:
    """Whether everything that a property says is said by another one."""
    values = [[value.text for value in one.counted(page)] for page in range(len(one.found))]
    others = [[value.text for value in other.counted(page)] for page in range(len(one.found))]
    told = [page for page, texts in enumerate(values) if texts]
    return len(told) > 1 and all(values[page] == others[page] for page in told)


def _worth(one: Tried, samples: Sequence[Sample], titles: Sequence[str], middles: Sequence[int]) -> float:
    counted = [(page, value) for page in range(len(samples)) for value in one.counted(page)]
    worth = one.score + _FORMS[one.way.anchor] - 0.02 * len(one.way.down) - 0.03 * one.way.climb
    worth += 0.7 * sum(_named_share(titles[page], value.text) for page, value in counted) / len(counted)
    texts = {value.text for _, value in counted}
    if len(texts) == 1 and one.coverage > 0.5:
        worth -= 0.2 if one.way.anchor in _LABELLED else 0.5
    distance = sum(abs(value.first - middles[page]) / len(samples[page].slots) for page, value in counted) / len(
        counted
    )
    worth -= 0.5 * distance
    linked = sum(1 for page, value in counted if samples[page].slots[value.first].linked) / len(counted)
    if one.way.anchor not in _LABELLED:
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
