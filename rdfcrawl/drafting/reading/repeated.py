"""Elements that repeat on a page: the rows of a table, the entries of a list, with the fields that they share."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.slots import Sample, Slot, classes_of

LEAST_ROWS: Final = 3
_MOST_FIELDS: Final = 15
_ALIKE: Final = 0.5
_LEAST_SHARE: Final = 0.34

Field = tuple[str, ...]
"""The steps from a row to a text, as tags with their place or their class."""


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """Rows of one parent that have the same fields; ``headers`` are the names of a table's columns."""

    parent: Element
    tag: str
    rows: tuple[Element, ...]
    fields: tuple[Field, ...]
    headers: tuple[str, ...] = ()


def find_rows(sample: Sample) -> list[RepeatedRows]:
    """The repeated elements of a page, those with most text first; what repeats inside a row is left to the row.

    They are found once: the look at a page and the draft ask for them.
    """
    if not sample.rows:
        sample.rows.append(_found_rows(sample))
    return sample.rows[0]


def _found_rows(sample: Sample) -> list[RepeatedRows]:
    groups: dict[Element, list[Element]] = defaultdict(list)
    for element in sample.texts:
        parent = element.getparent()
        if parent is not None and sample.texts[element] > 1:
            groups[parent].append(element)
    found = []
    for parent, children in groups.items():
        for tag in dict.fromkeys(str(child.tag) for child in children):
            rows = _rows(parent, [child for child in children if child.tag == tag], sample)
            if rows is not None:
                found.append(rows)
    found.sort(key=lambda rows: -sum(sample.texts[row] for row in rows.rows))
    return _outermost(found)


def _rows(parent: Element, children: list[Element], sample: Sample) -> RepeatedRows | None:
    if len(children) < LEAST_ROWS:
        return None
    fields_of = [_fields(child, sample) for child in children]
    shapes = [frozenset(fields) for fields in fields_of]
    common = Counter(field for shape in shapes for field in shape)
    usual = frozenset(field for field, count in common.items() if count * 2 >= len(children))
    if len(usual) < 2:
        return None
    alike = [
        place
        for place, shape in enumerate(shapes)
        if len(shape & usual) >= _ALIKE * len(shape | usual) and children[place].find("th") is None
    ]
    if len(alike) < LEAST_ROWS or len(alike) * 2 < len(children):
        return None
    order = dict.fromkeys(field for place in alike for field in fields_of[place])
    fields = tuple(field for field in order if common[field] >= _LEAST_SHARE * len(alike))
    if len(fields) > _MOST_FIELDS:
        return None
    rows = tuple(children[place] for place in alike)
    return RepeatedRows(parent, str(children[0].tag), rows, fields, _headers(parent, sample))


def _fields(row: Element, sample: Sample) -> list[Field]:
    """The texts of a row by their way from it; a field that occurs twice in a row is one of several values."""
    first = sample.first[row]
    return list(dict.fromkeys(_field(slot, row, sample) for slot in sample.slots[first : first + sample.texts[row]]))


def _field(slot: Slot, row: Element, sample: Sample) -> Field:
    steps: list[str] = []
    # A row has several texts, a box only this one: it is inside the row.
    current = slot.box if slot.box is not None else slot.node
    while current is not row:
        parent = current.getparent()
        assert parent is not None
        steps.append(sample.steps.get(current) or sample.steps.setdefault(current, _step(current)))
        current = parent
    return tuple(reversed(steps))


def _step(element: Element) -> str:
    """A step to an element, as a part of a field."""
    tag = str(element.tag)
    if tag in ("td", "th"):
        return f"{tag}[{1 + sum(1 for _ in element.itersiblings('td', 'th', preceding=True))}]"
    names = classes_of(element)
    return f"{tag}.{names[0]}" if names else tag


def _headers(parent: Element, sample: Sample) -> tuple[str, ...]:
    """The texts of the header cells of the table that rows stand in."""
    table = parent if parent.tag == "table" else parent.getparent()
    if table is None or table.tag != "table":
        return ()
    for row in table.iter("tr"):
        cells = row.findall("th")
        if len(cells) > 1 and len(cells) == len(row):
            return tuple(sample.text_of(cell) for cell in cells)
    return ()


def _outermost(found: Sequence[RepeatedRows]) -> list[RepeatedRows]:
    """Rows that are not inside other rows."""
    inside: set[Element] = set()
    chosen: list[RepeatedRows] = []
    rows_of = {row for rows in found for row in rows.rows}
    for rows in found:
        ancestor: Element | None = rows.parent
        while ancestor is not None and ancestor not in rows_of:
            ancestor = ancestor.getparent()
        if ancestor is None:
            chosen.append(rows)
            inside.update(rows.rows)
    return chosen
