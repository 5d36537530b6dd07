"""Rows that repeat on the sample pages become items of their own, with a property for each of their fields."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.labels import Labels
from rdfcrawl.drafting.reading.repeated import LEAST_ROWS, Field, RepeatedRows, find_rows
from rdfcrawl.drafting.reading.slots import Sample
from rdfcrawl.drafting.reading.xpaths import elements_at, has_class, literal, predicates, texts_at
from rdfcrawl.drafting.writing.forms import Form, form_of
from rdfcrawl.drafting.writing.naming import distinct, local_name
from rdfcrawl.drafting.writing.outline import DraftedItem, DraftedProperty

_SAMPLES: Final = 3
_ROWS_FOR_KEY: Final = 20
_COLUMN: Final = re.compile(r"t[dh]\[(\d+)\]")
_WITH_TEXT: Final = "[normalize-space(translate(., '\u00a0', ' '))]"
"""Rows without a text only keep others apart; a space that must not be broken is none for XPath."""
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "caption", "legend")


@dataclass(frozen=True, slots=True)
class RowGroup:
    """Rows that one path finds on the sample pages."""

    path: str
    rows: tuple[tuple[Element, ...], ...]
    shape: RepeatedRows

    def places(self, samples: Sequence[Sample]) -> Iterator[tuple[int, int]]:
        """The pages and places of the texts in the rows."""
        for sample, rows in zip(samples, self.rows, strict=True):
            for row in rows:
                first = sample.first.get(row)
                if first is not None:
                    yield from ((sample.number, first + place) for place in range(sample.texts[row]))


def find_groups(samples: Sequence[Sample], labels: Labels, *, nested: bool = True) -> list[RowGroup]:
    """The groups of rows whose content differs from page to page, each found by one path.

    Rows that are not ``nested`` are what a page is for, whether or not they differ.
    """
    groups: list[RowGroup] = []
    taken: set[Element] = set()
    for sample in samples:
        for shape in find_rows(sample):
            if taken.intersection(shape.rows) or (nested and _is_labelled(shape, sample, labels)):
                continue
            group = _group(shape, samples)
            if group is not None and (not nested or _varies(group, samples, labels)):
                groups.append(group)
                taken.update(row for rows in group.rows for row in rows)
    return groups


def _is_labelled(shape: RepeatedRows, sample: Sample, labels: Labels) -> bool:
    """Rows of a label and its value are properties of the page, not objects."""
    labelled = sum(1 for row in shape.rows if labels.is_label(sample.slots[sample.first[row]]))
    return labelled * 2 >= len(shape.rows)


def _varies(group: RowGroup, samples: Sequence[Sample], labels: Labels) -> bool:
    """Whether the rows are the page's own; a menu has the same ones everywhere."""
    places = list(group.places(samples))
    if len(samples) == 1:
        return True
    constant = sum(1 for page, place in places if labels.share(samples[page].slots[place]) > 0.9)
    return constant * 2 < len(places)


def _group(shape: RepeatedRows, samples: Sequence[Sample]) -> RowGroup | None:
    """The first path that finds these rows, and like ones on other pages."""
    wanted = set(shape.rows)
    root = shape.parent.getroottree().getroot()
    home = next(sample for sample in samples if sample.document.root is root)
    tried: set[str] = set()
    for path in _paths(shape, home):
        if path in tried:
            continue
        tried.add(path)
        if set(_select(path, home)) == wanted:
            rows = tuple(tuple(_select(path, sample)) for sample in samples)
            if all(len(found) < 50 * LEAST_ROWS + 10 * len(wanted) for found in rows):
                has_bare = any(
                    len(elements_at(path, sample)) > len(found) for sample, found in zip(samples, rows, strict=True)
                )
                return RowGroup(f"{path}{_WITH_TEXT}" if has_bare else path, rows, shape)
    return None


def _select(path: str, sample: Sample) -> list[Element]:
    return [element for element in elements_at(path, sample) if element in sample.texts]


def _paths(shape: RepeatedRows, home: Sample) -> Iterator[str]:
    """Paths to the rows, by their own class, by a name of what is around them, by the heading before them."""
    conditions = list(_conditions(shape))
    for condition in conditions:
        if "@class" in condition:
            yield f"//{shape.tag}{condition}"
    for start in _starts(shape.parent, home):
        if _may_lead_to(shape, set(_select(f"{start}/{shape.tag}", home))):
            for condition in conditions:
                yield f"{start}/{shape.tag}{condition}"


def _may_lead_to(shape: RepeatedRows, found: set[Element]) -> bool:
    """Whether some condition may tell the rows from others that were found with them."""
    if not found.issuperset(shape.rows):
        return False
    one = shape.rows[0]
    meets = _traits(one)
    return not any(
        other.get("class") == one.get("class") and _traits(other) >= meets for other in found.difference(shape.rows)
    )


def _traits(row: Element) -> set[str]:
    """Which of the conditions on its children a row meets."""
    cells = len(row.findall("td"))
    traits = {"td": cells > 0, "cells": cells > 1, "children": len(row.findall("*")) > 1}
    return {name for name, is_met in traits.items() if is_met}


def _conditions(shape: RepeatedRows) -> Iterator[str]:
    """What tells the rows from others of their parent."""
    classes = {row.get("class") for row in shape.rows}
    if len(classes) == 1 and (name := next(iter(classes))):
        yield f"[@class={literal(name)}]"
    common = set.intersection(*({*(row.get("class") or "").split()} for row in shape.rows))
    for name in sorted(common):
        yield has_class(name)
    yield ""
    yield "[td]"
    yield "[count(td)>1]"
    yield "[count(*)>1]"


def _starts(parent: Element, home: Sample) -> Iterator[str]:
    steps: list[str] = []
    current: Element | None = parent
    while current is not None and current.tag != "html" and len(steps) < 8:
        below = "".join(f"/{step}" for step in reversed(steps))
        for predicate in predicates(current):
            yield f"//{current.tag}{predicate}{below}"
        heading = next((sibling for sibling in current.itersiblings(*_HEADINGS, preceding=True)), None)
        if heading is not None and (text := home.text_of(heading)):
            number = 1 + sum(
                1 for sibling in current.itersiblings(str(current.tag), preceding=True) if _is_after(sibling, heading)
            )
            start = f"//{heading.tag}[normalize-space()={literal(text)}]"
            yield f"{start}/following-sibling::{current.tag}[{number}]{below}"
        if current.tag == "body":
            yield f"//body{below}"
        alike = sum(1 for _ in current.itersiblings(str(current.tag), preceding=True))
        others = alike or any(True for _ in current.itersiblings(str(current.tag)))
        steps.append(f"{current.tag}[{alike + 1}]" if others else str(current.tag))
        current = current.getparent()


def _is_after(element: Element, heading: Element) -> bool:
    return any(sibling is heading for sibling in element.itersiblings(preceding=True))


def drafted_item(group: RowGroup, samples: Sequence[Sample], name: str, *, nested: bool) -> DraftedItem:
    """The item of a group of rows."""
    named = distinct(_field_name(field, group.shape) for field in group.shape.fields)
    rows = [(sample, row) for sample, found in zip(samples, group.rows, strict=True) for row in found]
    fields = group.shape.fields
    properties = tuple(
        replace(found, active=found.active and not any(_is_inside(field, other) for other in fields))
        for field, field_name in zip(fields, named, strict=True)
        if (found := _property(field, field_name, rows)) is not None
    )
    path = f".{group.path}" if nested else group.path
    return DraftedItem(name, path, properties, _key(properties, group, samples))


def _names(found: DraftedProperty) -> bool:
    """Whether the values are words, and not amounts that happen to differ."""
    letters = sum(character.isalpha() for text in found.samples for character in text)
    return found.form == Form() and letters * 2 > sum(map(len, found.samples))


def _is_inside(field: Field, other: Field) -> bool:
    """Whether a field is a part of another one, which shows its text, too."""
    return bool(other) and len(field) > len(other) and field[: len(other)] == other


def _key(properties: Sequence[DraftedProperty], group: RowGroup, samples: Sequence[Sample]) -> tuple[str, ...]:
    """The property that names a row: every row has it, and no two rows of a page have the same."""
    if sum(map(len, group.rows)) < _ROWS_FOR_KEY or len(properties) < 2:
        return ()
    for found in properties:
        if not found.active or found.optional or found.multiple or not _names(found):
            continue
        on_pages = zip(samples, group.rows, strict=True)
        pages = [[texts_at(found.path, sample, row) for row in rows] for sample, rows in on_pages]
        if all(len({tuple(texts) for texts in page}) == len(page) for page in pages):
            return (found.name,)
    return ()


def group_name(group: RowGroup) -> str:
    """What the rows are called: by the heading before them or the class that they share."""
    for pattern in (
        r"@class='([^']+)'\]$",
        r"' ([^' ]+) '\)\]$",
        r"normalize-space\(\)='([^']+)'",
        r"@(?:id|class)='([^']+)'",
    ):
        if (found := re.search(pattern, group.path.removesuffix(_WITH_TEXT))) and (name := local_name(found[1])):
            return name
    return "row"


def _field_name(field: Field, shape: RepeatedRows) -> str:
    column = _COLUMN.fullmatch(field[0]) if field else None
    if (
        column is not None
        and int(column[1]) <= len(shape.headers)
        and (name := local_name(shape.headers[int(column[1]) - 1]))
    ):
        return name
    for step in reversed(field):
        if "." in step and (name := local_name(step.partition(".")[2])):
            return name
    if column is not None:
        cell = next((found for row in shape.rows if (found := _cell(row, int(column[1]))) is not None), None)
        if cell is not None and (name := local_name((cell.get("class") or "").partition(" ")[0])):
            return name
        return f"column{column[1]}"
    return {"a": "link", "time": "date"}.get(field[-1], "text") if field else "text"


def _cell(row: Element, number: int) -> Element | None:
    cells = list(row.iterchildren("td", "th"))
    return cells[number - 1] if number <= len(cells) else None


def _property(field: Field, name: str, rows: list[tuple[Sample, Element]]) -> DraftedProperty | None:
    path = "/".join((".", *(_step(step) for step in field))) if field else "./text()"
    texts: list[str] = []
    seen = several = 0
    for sample, row in rows:
        values = texts_at(path, sample, row)
        seen += bool(values)
        several += len(values) > 1
        texts += values
    if not texts:
        return None
    multiple = several * 4 > len(rows)
    return DraftedProperty(
        name=name,
        path=path,
        samples=tuple(dict.fromkeys(texts))[:_SAMPLES],
        seen=seen,
        pages=len(rows),
        form=form_of(texts),
        multiple=multiple,
        active=len(set(texts)) > 1,
    )


def _step(step: str) -> str:
    tag, dot, name = step.partition(".")
    return f"{tag}{has_class(name)}" if dot else step
