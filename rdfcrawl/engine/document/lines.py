"""An element goes in; its visible text comes out as lines in pieces, each with its place: what recognisers read.

``visible_text`` glues what stands in neighbouring elements: "AbateAssociate Professor". Here the edge of an inline
element divides a line into pieces, and every piece says in what kind of place it stands.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.boxes import (
    BLOCK,
    Inherited,
    Inner,
    Outer,
    box_of,
    default_box,
    inherit,
    inline_style,
    is_styled_inside,
)
from rdfcrawl.recognise.lines import Line, Piece, as_read

_SPACES: Final = re.compile(r"\s+")
_VARYING: Final = re.compile(r"[\d_-]+")
_LONGEST_CLASSES: Final = 60
_FINE_STEPS: Final = 6
_COARSE_STEPS: Final = 3
_MOST_BREAKS: Final = 6
_INLINE_STEPS: Final = 3
_UNREAD: Final = (Inner.NOTHING, Inner.SELECT, Inner.SVG)


@dataclass(frozen=True, slots=True, eq=False)
class _Kind:
    """How the kind of a block is described: by its last steps with classes, and by tags alone."""

    steps: tuple[str, ...]
    tags: tuple[str, ...]


@dataclass(slots=True)
class _LineFrame:
    """An element whose content is being read; ``cells`` counts those of a row."""

    element: Element
    children: Iterator[Element]
    inner: Inner
    visible: bool
    kind: _Kind
    inline: tuple[str, ...]
    ends_line: bool
    table: int
    row: int
    column: int
    cells: int = -1


Elements = list[Element]


def lines_of(element: Element) -> tuple[list[Line], Elements]:
    """The lines of an element, and the elements that their pieces count."""
    walk = _Walk(element)
    walk.read(element)
    return walk.lines, walk.elements


class _Walk:
    """Goes through an element once, without recursion: pages nest as deep as they like."""

    __slots__ = (
        "_box_of",
        "_breaks",
        "_kinds",
        "_known",
        "_pieces",
        "_places",
        "_rows",
        "_sources",
        "_tables",
        "elements",
        "lines",
    )

    def __init__(self, element: Element) -> None:
        self.lines: list[Line] = []
        self.elements: Elements = []
        self._sources: dict[Element, int] = {}
        self._pieces: list[Piece] = []
        self._places: dict[tuple[_Kind, tuple[str, ...], int], tuple[str, ...]] = {}
        self._kinds: dict[tuple[_Kind, str, str | None, int], _Kind] = {}
        self._known: dict[tuple[tuple[str, ...], tuple[str, ...]], _Kind] = {}
        # Nearly all pages have a style attribute somewhere; those that have none are read faster.
        self._box_of = box_of if is_styled_inside(element) else default_box
        self._rows = self._tables = 0
        self._breaks = 0

    def read(self, element: Element) -> None:
        """Read everything inside the element."""
        start = _start(element)
        if start is None:
            return
        frames = [start]
        self._write(element.text, element, start.kind, (), start.visible)
        while frames:
            frame = frames[-1]
            child = next(frame.children, None)
            if child is None:
                frames.pop()
                if frame.ends_line:
                    self._end_line(frame)
                    self._breaks = 0
                if not frames:
                    return
                child, frame = frame.element, frames[-1]
            elif isinstance(child.tag, str) and (entered := self._enter(child, frame)) is not None:
                frames.append(entered)
                self._write(child.text, child, entered.kind, entered.inline, entered.visible)
                continue
            self._write(child.tail, frame.element, frame.kind, frame.inline, frame.visible)

    def _enter(self, element: Element, parent: _LineFrame) -> _LineFrame | None:
        """The frame of an element with more elements in it; ``None`` for one that is read already or not at all."""
        box = self._box_of(element, parent.element, parent.inner)
        outer, inner = box.outer, box.inner
        if outer is Outer.NONE or inner in _UNREAD:
            return None
        style = element.get("style")
        visible = parent.visible if style is None else _is_visible(style, parent.visible)
        if outer is Outer.INLINE:
            if inner is Inner.BREAK:
                self._end_line(parent)
                self._breaks += 1
                return None
            inline = (*parent.inline, _step(element.tag, element.get("class")))[-_INLINE_STEPS:]
            if not len(element):
                self._write(element.text, element, parent.kind, inline, visible)
                return None
            return _LineFrame(
                element,
                iter(element),
                inner,
                visible,
                parent.kind,
                inline,
                False,
                parent.table,
                parent.row,
                parent.column,
            )
        self._end_line(parent)
        self._breaks = 0
        frame = self._block(element, outer, inner, parent, visible)
        if len(element):
            return frame
        self._write(element.text, element, frame.kind, (), visible)
        self._end_line(frame)
        return None

    def _block(self, element: Element, outer: Outer, inner: Inner, parent: _LineFrame, visible: bool) -> _LineFrame:
        table, row, column, own = parent.table, parent.row, parent.column, -1
        if outer is Outer.ROW:
            self._rows += 1
            row, column = self._rows, -1
        elif inner is Inner.TABLE and outer is not Outer.ROW_GROUP:
            self._tables += 1
            table, row, column = self._tables, -1, -1
        elif outer is Outer.CELL:
            parent.cells += 1
            column = own = parent.cells
        kind = self._kind_of(parent.kind, element.tag, element.get("class"), own)
        return _LineFrame(element, iter(element), inner, visible, kind, (), True, table, row, column)

    def _kind_of(self, around: _Kind, tag: str, classes: str | None, column: int) -> _Kind:
        key = (around, tag, classes, column)
        kind = self._kinds.get(key)
        if kind is None:
            step = _step(tag, classes)
            if column >= 0:
                step, tag = f"{step}[{column}]", f"{tag}[{column}]"
            steps, tags = (*around.steps, step)[-_FINE_STEPS:], (*around.tags, tag)[-_COARSE_STEPS:]
            kind = self._known.setdefault((steps, tags), _Kind(steps, tags))
            self._kinds[key] = kind
        return kind

    def _write(self, text: str | None, element: Element, kind: _Kind, inline: tuple[str, ...], visible: bool) -> None:
        if not text or not visible:
            return
        if text.isspace():
            if not self._pieces:
                return
            text = " "
        else:
            text = _SPACES.sub(" ", as_read(text))
            if not text:
                return
        where = self._sources.get(element)
        if where is None:
            where = self._sources[element] = len(self.elements)
            self.elements.append(element)
        key = (kind, inline, self._breaks)
        places = self._places.get(key) or self._places_of(kind, inline)
        self._pieces.append(Piece(text, places, where))

    def _places_of(self, kind: _Kind, inline: tuple[str, ...]) -> tuple[str, ...]:
        breaks = min(self._breaks, _MOST_BREAKS)
        tags = "/".join(step.partition(".")[0] for step in inline)
        places = self._places[kind, inline, self._breaks] = (
            f"{'>'.join(kind.steps)}|{'/'.join(inline)}|{breaks}",
            f"{'>'.join(kind.steps[-_COARSE_STEPS:])}|{tags}|{breaks}",
            f"{'>'.join(kind.tags)}|{tags}",
            f"{kind.tags[-1] if kind.tags else ''}|{tags}",
        )
        return places

    def _end_line(self, frame: _LineFrame) -> None:
        if not self._pieces:
            return
        if any(piece.text != " " for piece in self._pieces):
            self.lines.append(Line(tuple(self._pieces), frame.table, frame.row, frame.column))
        self._pieces = []


def _start(element: Element) -> _LineFrame | None:
    """The frame of the element that is read; ``None`` if it is not shown."""
    inherited = Inherited()
    box, parent = BLOCK, None
    steps: list[str] = []
    tags: list[str] = []
    for around in reversed([element, *element.iterancestors()]):
        box = box_of(around, parent, box.inner)
        if box.outer is Outer.NONE or box.inner is Inner.NOTHING:
            return None
        inherited = inherit(around, inherited)
        parent = around
        if box.outer is not Outer.INLINE:
            steps.append(_step(str(around.tag), around.get("class")))
            tags.append(str(around.tag))
    kind = _Kind(tuple(steps[-_FINE_STEPS:]), tuple(tags[-_COARSE_STEPS:]))
    return _LineFrame(element, iter(element), box.inner, inherited.visible, kind, (), True, -1, -1, -1)


def _is_visible(style: str, around: bool) -> bool:
    visible = inline_style(style).visible
    return around if visible is None else visible


@lru_cache(maxsize=4096)
def _step(tag: str, classes: str | None) -> str:
    """An element's name and classes, without what tells one row from the next."""
    if not classes:
        return tag
    kept = sorted({_VARYING.sub("", name) for name in classes[:_LONGEST_CLASSES].split()})
    return f"{tag}.{'.'.join(kept)}"
