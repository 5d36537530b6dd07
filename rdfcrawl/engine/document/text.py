"""An element goes in; the text that a reader sees comes out, like Chromium's ``innerText`` without style sheets.

There is one difference: an element that is hidden itself has no text here, where ``innerText`` would return its source.
``<noscript>`` is hidden, as it is for every reader whose browser runs scripts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from lxml.etree import XPath
from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.boxes import (
    BLOCK,
    INLINE,
    Box,
    Inherited,
    Inner,
    Outer,
    Space,
    box_of,
    default_box,
    holds_only_lines,
    inherit,
    is_ordinary,
    is_styled_around,
    is_styled_inside,
)
from rdfcrawl.engine.document.letters import as_identifier, transformed
from rdfcrawl.engine.document.white_space import collapsed, joined

_SPACES_WITHIN_LINE: Final = re.compile(r"[ \t\r]+")
_BLANK: Final = " \t\n\r"

_SPECIAL: Final = frozenset((Inner.SVG, Inner.SELECT, Inner.DETAILS, Inner.TABLE, Inner.ROW, Inner.FLEX, Inner.MATH))

_PLAIN: Final = Inherited()
_string: Final = XPath("string()", smart_strings=False, regexp=False)
_texts_and_breaks: Final = XPath("descendant::node()[self::text() or self::br]", smart_strings=False, regexp=False)

_NO_SPACE: Final = -1
_HIDDEN_SPACE: Final = -2

Item = str | int
"""A piece of text, or the least number of line breaks that a block asks for at its edge."""


class _Gap(str):
    """What stands between two cells or rows: unlike other white space it ends a block."""

    __slots__ = ()


_CELL_GAP: Final = _Gap("\t")
_ROW_GAP: Final = _Gap("\n")


class Surroundings:
    """Which elements of one document have only ordinary ancestors, as nearly all do.

    The texts of a page are close together, so what was found about the elements around one of them is remembered.
    """

    __slots__ = ("_ordinary",)

    def __init__(self) -> None:
        self._ordinary: dict[Element, bool] = {}

    def are_ordinary(self, element: Element) -> bool:
        """Whether the element and everything around it is an ordinary part of an HTML document."""
        parent = element.getparent()
        if parent is not None and (known := self._ordinary.get(parent)) is not None:
            return known and is_ordinary(element)
        asked: list[Element] = []
        around: Element | None = element
        while around is not None and around not in self._ordinary:
            asked.append(around)
            around = around.getparent()
        ordinary = asked[-1].tag == "html" if around is None else self._ordinary[around]
        while asked:
            inside = asked.pop()
            ordinary = self._ordinary[inside] = ordinary and is_ordinary(inside)
        return ordinary


def visible_text(element: Element, *, surroundings: Surroundings | None = None) -> str:
    """The text of an element as it is seen, not trimmed."""
    ordinary = (surroundings or Surroundings()).are_ordinary(element)
    if ordinary and not len(element):
        return collapsed(joined(element.text or ""))
    chain = [element, *element.iterancestors()]
    if chain[-1].tag != "html":
        # Without a style sheet every element of an XML document is inline.
        return collapsed(str(_string(element)))
    styled = is_styled_inside(element) or (not ordinary and is_styled_around(element))
    if ordinary and not styled and holds_only_lines(element):
        return "\n".join([collapsed(joined(line)).strip(" ") for line in _lines(element)])
    start = _start(chain)
    return "" if start is None else _Flow(start, styled).text()


def visible_blocks(element: Element) -> list[str]:
    """The text of an element as it is seen, divided where blocks and cells end; line breaks divide nothing."""
    chain = [element, *element.iterancestors()]
    if chain[-1].tag != "html":
        # In XML any element may be a block or a part of one.
        return [str(text) for text in element.itertext() if not text.isspace()]
    start = _start(chain)
    if start is None:
        return []
    flow = _Flow(start, is_styled_inside(element) or is_styled_around(element))
    flow.text()
    return _blocks(flow.items)


def _lines(element: Element) -> list[str]:
    """The texts between the line breaks of an element, white space as it is in the source."""
    lines: list[list[str]] = [[]]
    pieces: Any = _texts_and_breaks(element)
    for piece in pieces:
        if isinstance(piece, str):
            lines[-1].append(piece)
        else:
            lines.append([])
    return ["".join(line) for line in lines]


@dataclass(slots=True)
class _Frame:
    """An element whose content is being read."""

    element: Element
    box: Box
    inherited: Inherited
    children: Iterator[Element]
    line: tuple[bool, int] | None = None
    """The line around the element, for a box that does not end it."""
    gap: int = _NO_SPACE
    """Where a tab (in a row) or a line break (in a table) goes if another cell or row follows."""


def _start(chain: list[Element]) -> _Frame | None:
    """The frame of the first element of a chain of ancestors; ``None`` if it is not shown."""
    inherited = _PLAIN
    parent: Element | None = None
    box = BLOCK
    for element in reversed(chain):
        box = box_of(element, parent, box.inner)
        if box.outer is Outer.NONE or box.inner is Inner.NOTHING:
            return None
        inherited = inherit(element, inherited)
        parent = element
    return _Frame(chain[0], box, inherited, iter(chain[0]))


class _Flow:
    """Lays text out in lines, without widths: all that is kept is where lines, cells and blocks begin and end."""

    __slots__ = ("after_zero_width", "at_start", "box_of", "frames", "items", "space", "space_text")

    def __init__(self, start: _Frame, styled: bool) -> None:
        self.items: list[Item] = []
        self.frames = [start]
        self.box_of = box_of if styled else default_box
        # The line: whether it is still empty, and where a space goes if something follows.
        self.at_start = True
        self.space = _NO_SPACE
        self.space_text = ""
        self.after_zero_width = False

    def text(self) -> str:
        """Read everything inside the first frame."""
        frames = self.frames
        self._open(frames[0])
        while frames:
            frame = frames[-1]
            child = next(frame.children, None)
            if child is None:
                frames.pop()
                self._leave(frame, frames[-1] if frames else None)
                if not frames:
                    break
                child = frame.element
            elif isinstance(child.tag, str) and self._enter(child, frame):
                continue
            if child.tail:
                self._write(child.tail, frames[-1])
        return _resolved(self.items)

    def _enter(self, element: Element, parent: _Frame) -> bool:
        """Begin an element; whether it has content to be read."""
        box = self.box_of(element, parent.element, parent.box.inner)
        if box is INLINE and not len(element):
            self._fill_gap(box.outer, parent)
            if element.text:
                self._write_in_line(element.text, inherit(element, parent.inherited))
            return False
        if box.outer is Outer.NONE:
            return False
        frame = _Frame(element, box, inherit(element, parent.inherited), iter(element))
        self._begin(frame, parent)
        if box.inner is Inner.BREAK or box.inner is Inner.NOTHING:
            self._leave(frame, parent)
            return False
        self.frames.append(frame)
        self._open(frame)
        return True

    def _open(self, frame: _Frame) -> None:
        if frame.element.text:
            self._write(frame.element.text, frame)

    def _begin(self, frame: _Frame, parent: _Frame) -> None:
        outer = frame.box.outer
        self._fill_gap(outer, parent)
        if outer is Outer.ATOMIC:
            self._stand()
        if outer is Outer.ATOMIC or outer is Outer.FLOAT:
            frame.line = (self.at_start, self.space)
        self._edge(frame)
        if outer is not Outer.INLINE:
            self._new_line()
        if frame.box.inner is Inner.QUOTE:
            self._stand()
        elif frame.box.inner is Inner.BREAK_OPPORTUNITY and self.space == _NO_SPACE:
            self.after_zero_width = True

    def _leave(self, frame: _Frame, parent: _Frame | None) -> None:
        box = frame.box
        if box.inner is Inner.BREAK:
            if frame.inherited.visible:
                self.items.append("\n")
            self._new_line()
        elif box.inner is Inner.QUOTE:
            self._stand()
        if frame.line is not None:
            self.at_start, self.space = frame.line
            self.after_zero_width = False
        elif box.outer is not Outer.INLINE:
            self._new_line()
        self._edge(frame)
        if parent is not None and frame.inherited.visible and (holder := self._gap_holder(box.outer, parent)):
            holder.gap = len(self.items)
            self.items.append("")

    def _edge(self, frame: _Frame) -> None:
        """A block asks for a line break before and after it; a paragraph, whatever its box, for an empty line."""
        if not frame.inherited.visible:
            return
        if frame.element.tag == "p" and frame.box.inner is not Inner.OPTION:
            self.items.append(2)
        elif frame.box.outer is Outer.BLOCK or frame.box.outer is Outer.FLOAT:
            self.items.append(1)

    def _fill_gap(self, outer: Outer, parent: _Frame) -> None:
        holder = self._gap_holder(outer, parent) or parent
        if holder.gap == _NO_SPACE:
            return
        if outer is Outer.ROW:
            self.items[holder.gap] = _ROW_GAP
        elif outer is Outer.CELL or holder.box.inner is Inner.ROW:
            self.items[holder.gap] = _CELL_GAP
        elif holder.box.inner is Inner.TABLE:
            return
        holder.gap = _NO_SPACE

    def _gap_holder(self, outer: Outer, parent: _Frame) -> _Frame | None:
        """The row that a cell is in, or the table that a row is in."""
        if outer is Outer.ROW and parent.box.outer is Outer.ROW_GROUP:
            above = self.frames[-2:-1] if self.frames[-1] is parent else []
            return above[0] if above else parent
        return parent if outer is Outer.CELL or outer is Outer.ROW else None

    def _new_line(self) -> None:
        self.at_start = True
        self.space = _NO_SPACE
        self.after_zero_width = False

    def _stand(self) -> None:
        """Note that something other than white space comes next on the line, so that a space before it stays."""
        if self.space >= 0:
            self.items[self.space] = " "
        self.space = _NO_SPACE
        self.at_start = False
        self.after_zero_width = False

    def _write(self, text: str, frame: _Frame) -> None:
        inner = frame.box.inner
        if frame.gap != _NO_SPACE and text.strip(_BLANK):
            frame.gap = _NO_SPACE
        if inner in _SPECIAL:
            if not _shows_text(frame, text):
                return
            if inner is Inner.FLEX:
                self._new_line()
                self._write_in_line(text, frame.inherited)
                self._new_line()
                return
            if inner is Inner.MATH and frame.element.tag == "mi":
                text = as_identifier(text, frame.element)
        self._write_in_line(text, frame.inherited)

    def _write_in_line(self, text: str, inherited: Inherited) -> None:
        if inherited.transform != "none":
            text = transformed(text, inherited.transform)
        if inherited.space is Space.KEEP:
            self._keep(text, inherited.visible)
        elif inherited.space is Space.LINES and "\n" in text:
            first, *others = _SPACES_WITHIN_LINE.sub(" ", text).split("\n")
            self._collapse(first, inherited.visible)
            for line in others:
                self.space = _NO_SPACE
                self._keep("\n", inherited.visible)
                self._collapse(line, inherited.visible)
        else:
            if self.after_zero_width or "\u200b" in text:
                text = self._without_invisible_breaks(text)
            self._collapse(collapsed(text), inherited.visible)
            self.space_text = text

    def _without_invisible_breaks(self, text: str) -> str:
        """A line break next to a zero-width space is not a space, even where the two are in different elements."""
        words = text.lstrip(_BLANK)
        before = self.space_text[len(self.space_text.rstrip(_BLANK)) :]
        between = text[: len(text) - len(words)]
        if (self.after_zero_width and "\n" in between) or (words[:1] == "\u200b" and "\n" in before + between):
            self.space = _NO_SPACE
            text = words
        return joined(text)

    def _keep(self, text: str, visible: bool) -> None:
        self._stand()
        if visible:
            self.items.append(text)
        self.at_start = text[-1] == "\n"

    def _collapse(self, text: str, visible: bool) -> None:
        """Write a text in which every run of white space is one space already."""
        if text[:1] == " " and (self.at_start or self.space != _NO_SPACE):
            text = text[1:]
        if not text:
            return
        words = text[:-1] if text[-1] == " " else text
        if words:
            self._stand()
            self.after_zero_width = words[-1] == "\u200b"
            if visible:
                self.items.append(words)
        if words is not text:
            # Whether this space is seen is decided by what follows it; its place is here.
            self.space = len(self.items) if visible else _HIDDEN_SPACE
            if visible:
                self.items.append("")


def _shows_text(frame: _Frame, text: str) -> bool:
    """Whether text directly inside a special box is seen at all."""
    match frame.box.inner:
        case Inner.SVG | Inner.SELECT:
            return False
        case Inner.DETAILS:
            return frame.element.get("open") is not None
    return bool(text.strip(_BLANK))


def _resolved(items: list[Item]) -> str:
    """The text of all pieces; of the line breaks asked for between two of them, the largest number counts."""
    pieces: list[str] = []
    breaks = 0
    for item in items:
        if isinstance(item, int):
            breaks = max(breaks, item)
        elif item:
            if breaks and pieces:
                pieces.append("\n" * breaks)
            breaks = 0
            pieces.append(item)
    return "".join(pieces)


def _blocks(items: list[Item]) -> list[str]:
    blocks: list[list[str]] = [[]]
    for item in items:
        if isinstance(item, str) and not isinstance(item, _Gap):
            blocks[-1].append(item)
        elif blocks[-1] and item:
            blocks.append([])
    return [text for block in blocks if (text := "".join(block)) and not text.isspace()]
