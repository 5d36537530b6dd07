"""From the ways that were chosen to the properties of an item, with names, types and sample values."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.reading.labels import COLONS, Labels
from rdfcrawl.drafting.reading.slots import Sample, Slot
from rdfcrawl.drafting.reading.xpaths import has_class, literal, texts_at
from rdfcrawl.drafting.ways.paths import LABELLED, PathAnchor, Way, as_xpath
from rdfcrawl.drafting.ways.ranking import without_repetition
from rdfcrawl.drafting.ways.trial import Tried
from rdfcrawl.drafting.writing.forms import Form, form_of, named_numbers, shown
from rdfcrawl.drafting.writing.naming import distinct, local_name, property_name
from rdfcrawl.drafting.writing.outline import DraftedProperty

_SAMPLES: Final = 3
_MOST_OFFERED: Final = 50
"""How many properties are written as comments at most, beside those that are active."""
_LARGEST_BLOCK: Final = 6
_MANY_PAGES: Final = 4
_NOTHING: Final = re.compile(r"n\s*/\s*a|none|no|yes|[\W_]*|.{21,}", re.IGNORECASE)
"""What says nothing, or too much for a value that all pages have in common."""


def drafted_properties(
    chosen: Sequence[Tried], samples: Sequence[Sample], labels: Labels, *, most: int
) -> tuple[DraftedProperty, ...]:
    """The properties of the chosen ways in their order; only the first ``most`` of them are active.

    What repeats another property comes last and is not active; what is least likely wanted is left out.
    """
    own, repeated = without_repetition(chosen)
    own = own[: most + _MOST_OFFERED]
    repeated = repeated[: most + _MOST_OFFERED - len(own)]
    drafted = [
        part
        for one in own
        if (found := _drafted(one, samples, labels)) is not None
        for part in _parts(replace(found, active=not _is_constant(one) and not _is_stray(one)), one)
    ]
    drafted += [
        replace(found, active=False) for one in repeated if (found := _drafted(one, samples, labels)) is not None
    ]
    names = distinct(found.name for found in drafted)
    active = 0
    result = []
    for found, name in zip(drafted, names, strict=True):
        wanted = found.active and active < most and not _is_rare(found)
        active += wanted
        result.append(replace(found, name=name, active=wanted))
    return tuple(result)


def _parts(found: DraftedProperty, one: Tried) -> Iterator[DraftedProperty]:
    """A property, or each of the numbers that its texts consist of; the whole text is only offered then."""
    texts = [value.text for page in range(len(one.found)) for value in one.counted(page)]
    forms = named_numbers(texts) if found.active and not found.multiple else {}
    for word, form in forms.items():
        told = {number for text in texts for number in re.findall(rf"(?<={re.escape(word)})\s+\d+", text)}
        yield replace(found, name=local_name(word) or found.name, form=form, active=len(told) > 1)
    yield replace(found, active=found.active and not forms)


def _is_rare(found: DraftedProperty) -> bool:
    """Whether one page out of many has it, which is too little to go by."""
    return found.seen == 1 and found.pages >= _MANY_PAGES


def _is_stray(one: Tried) -> bool:
    """Whether it is found by nothing but its position, and on few pages."""
    return one.way.anchor is PathAnchor.BODY and 2 * one.coverage < 1


def _is_constant(one: Tried) -> bool:
    """Whether it says the same on every page that has it."""
    told = [tuple(value.text for value in one.counted(page)) for page in range(len(one.found))]
    return len(set(filter(None, told))) == 1 < len(list(filter(None, told))) and not _is_stated(one)


def _is_stated(one: Tried) -> bool:
    """Whether every page states it right behind a label with a colon: it may well differ on others."""
    way = one.way
    is_beside = way.across is not None and way.across[1] == 1 and not way.down and not way.text
    values = [value for values in one.found for value in values[:1]]
    return (
        way.anchor in (PathAnchor.LABEL, PathAnchor.INLINE)
        and way.name.endswith(COLONS)
        and is_beside
        and one.coverage == 1
        and all(value.count == 1 and not _NOTHING.fullmatch(value.text) for value in values)
    )


def _drafted(one: Tried, samples: Sequence[Sample], labels: Labels) -> DraftedProperty | None:
    path = next((path for path in _spellings(one.way) if _finds_the_same(path, one, samples)), None)
    if path is None:
        return None
    texts = [value.text for page in range(len(samples)) for value in one.counted(page)]
    form = form_of(texts)
    texts = [shown(form, text) for text in texts]
    if one.way.anchor is PathAnchor.PREFIX:
        form = _without_label(form, one.way.name)
    first = next(value for page in range(len(samples)) for value in one.counted(page))
    page = next(page for page in range(len(samples)) if one.counted(page))
    slot = samples[page].slots[first.first]
    before = samples[page].slots[first.first - 1] if first.first else None
    label = None
    if before is not None and labels.is_label(before) and one.way.anchor not in LABELLED:
        label = before.text if _is_near(before, slot, samples[page]) else None
    return DraftedProperty(
        name=property_name(one.way, _tag_of(slot), label),
        path=_from_root(path),
        samples=tuple(dict.fromkeys(texts))[:_SAMPLES],
        seen=sum(1 for found in one.found if found),
        pages=len(samples),
        form=form,
        multiple=one.way.is_multiple,
    )


def _tag_of(slot: Slot) -> str:
    """The heading that a text is, else its own element."""
    heading = next((level for level in slot.kind if level.partition(".")[0] in ("h1", "h2")), None)
    return heading.partition(".")[0] if heading else str(slot.node.tag)


def _is_near(label: Slot, slot: Slot, sample: Sample) -> bool:
    """Whether a label and a value are in one small block; a menu's last entry before a heading is no label of it."""
    around = {label.node, *label.node.iterancestors()}
    block = next(element for element in (slot.node, *slot.node.iterancestors()) if element in around)
    return sample.texts.get(block, 0) <= _LARGEST_BLOCK


def _from_root(path: str) -> str:
    """A path as seen from the root of an object, which may be the body itself."""
    return f"./ancestor-or-self::{path[2:]}" if path.startswith("//body/") else f".{path}"


def _without_label(form: Form, label: str) -> Form:
    """The form of a value whose label is part of its text."""
    if form.pattern is not None and not any(character.isdigit() for character in label):
        return form
    return replace(form, pattern=rf"(?<={re.escape(label)}\s*)\S.*")


def _spellings(way: Way) -> Iterator[str]:
    """The XPaths that a way can be written as, the most readable first."""
    path = as_xpath(way)
    if way.anchor is PathAnchor.CLASS:
        yield _short(path.replace(has_class(way.name), f"[@class={literal(way.name)}]"))
    yield _short(path)
    yield path
    if way.anchor in (PathAnchor.LABEL, PathAnchor.INLINE):
        # What looks like a space may be one that must not be broken, which XPath does not count as white space.
        yield path.replace("normalize-space()", "normalize-space(translate(., '\u00a0', ' '))")


def _short(path: str) -> str:
    """Without the numbers of first children, which are mostly the only ones."""
    return re.sub(r"(?<=[a-z\d])\[1\](?=/|$)", "", path) if "following-sibling" not in path else path


def _finds_the_same(path: str, one: Tried, samples: Sequence[Sample]) -> bool:
    """Whether an XPath finds what its way has found, on every page."""
    for sample in samples:
        wanted = [value.text for value in one.counted(sample.number)]
        texts = texts_at(path, sample)
        if one.way.anchor is PathAnchor.PREFIX:
            texts = [text.removeprefix(one.way.name).strip() for text in texts]
        if (texts if one.way.is_multiple else texts[:1]) != wanted:
            return False
    return True
