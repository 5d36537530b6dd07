"""Which box an element makes in a browser without style sheets: Chromium's defaults and inline ``style`` attributes."""

from __future__ import annotations

import re
from dataclasses import replace
from enum import Enum, auto
from functools import lru_cache
from typing import Any, Final

from lxml.etree import XPath
from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass

HIDDEN_MARK: Final = "data-rdfcrawl-hidden"
"""The attribute with which a browser session marks what the site's style sheets hide."""


class Outer(Enum):
    """How a box takes part in the flow around it."""

    NONE = auto()
    INLINE = auto()
    ATOMIC = auto()
    """Inline, but with its own lines inside: an inline block, an image, a button."""
    BLOCK = auto()
    FLOAT = auto()
    """A block out of the flow: the line around it continues after it."""
    CELL = auto()
    ROW = auto()
    ROW_GROUP = auto()


class Inner(Enum):
    """What a box does with its content."""

    FLOW = auto()
    NOTHING = auto()
    """Its content is not shown: an image, a text field, a frame."""
    BREAK = auto()
    BREAK_OPPORTUNITY = auto()
    QUOTE = auto()
    TABLE = auto()
    ROW = auto()
    FLEX = auto()
    SELECT = auto()
    OPTION = auto()
    DETAILS = auto()
    SVG = auto()
    MATH = auto()


class Space(Enum):
    """What becomes of white space in the source."""

    COLLAPSE = auto()
    LINES = auto()
    """Collapses, but keeps its line breaks."""
    KEEP = auto()


@dataclass(frozen=True, slots=True)
class Box:
    """An element's box: how it behaves outside, and what it is inside."""

    outer: Outer
    inner: Inner = Inner.FLOW


@dataclass(frozen=True, slots=True)
class Inherited:
    """What children inherit from their parent unless they say otherwise."""

    visible: bool = True
    space: Space = Space.COLLAPSE
    transform: str = "none"


@dataclass(frozen=True, slots=True)
class InlineStyle:
    """The declarations of a ``style`` attribute that change a text; ``None`` where it has none."""

    box: Box | None = None
    floating: bool = False
    absolute: bool = False
    locked: bool = False
    visible: bool | None = None
    space: Space | None = None
    transform: str | None = None


INLINE: Final = Box(Outer.INLINE)
NONE: Final = Box(Outer.NONE)
BLOCK: Final = Box(Outer.BLOCK)
_NEVER: Final = Box(Outer.NONE, Inner.NOTHING)
"""No box, whatever the style says."""
_ATOMIC: Final = Box(Outer.ATOMIC)
_REPLACED: Final = Box(Outer.ATOMIC, Inner.NOTHING)
_GROUP: Final = Box(Outer.ROW_GROUP, Inner.TABLE)
_ROW: Final = Box(Outer.ROW, Inner.ROW)
_CELL: Final = Box(Outer.CELL)
_OPTION: Final = Box(Outer.BLOCK, Inner.OPTION)

_UNSHOWN: Final = (
    "area base basefont datalist head link meta noembed noframes param rp script source style title track col colgroup"
)
_BLOCKS: Final = (
    "address article aside blockquote body center dd dir div dl dt fieldset figcaption figure footer form frameset h1 "
    "h2 h3 h4 h5 h6 header hgroup hr html legend li listing main menu nav ol optgroup p plaintext pre search "
    "section summary ul xmp caption"
)
_REPLACEDS: Final = "audio canvas embed fencedframe iframe img image input keygen meter progress textarea video"

_MATH_TABLES: Final = {
    "mtable": Box(Outer.BLOCK, Inner.TABLE),
    "mtr": _ROW,
    "mlabeledtr": _ROW,
    "mtd": Box(Outer.CELL, Inner.MATH),
}

_BOXES: Final[dict[str, Box]] = {
    **dict.fromkeys(_UNSHOWN.split(), NONE),
    **dict.fromkeys(_BLOCKS.split(), BLOCK),
    **dict.fromkeys(_REPLACEDS.split(), _REPLACED),
    **dict.fromkeys(("thead", "tbody", "tfoot"), _GROUP),
    **dict.fromkeys(("td", "th"), _CELL),
    **dict.fromkeys(("button", "marquee"), _ATOMIC),
    **_MATH_TABLES,
    **dict.fromkeys(("noscript", "template"), _NEVER),
    "dialog": Box(Outer.FLOAT),
    "br": Box(Outer.INLINE, Inner.BREAK),
    "wbr": Box(Outer.INLINE, Inner.BREAK_OPPORTUNITY),
    "q": Box(Outer.INLINE, Inner.QUOTE),
    "tr": _ROW,
    "table": Box(Outer.BLOCK, Inner.TABLE),
    "option": _OPTION,
    "select": Box(Outer.ATOMIC, Inner.SELECT),
    "details": Box(Outer.BLOCK, Inner.DETAILS),
    "svg": Box(Outer.ATOMIC, Inner.SVG),
    "math": Box(Outer.ATOMIC, Inner.MATH),
}
_SVG_CONTAINERS: Final = frozenset(
    ["a", "clippath", "clipPath", "defs", "g", "marker", "mask", "pattern", "svg", "switch", "symbol", "use"]
)
_MATH_UNSHOWN: Final = frozenset(("annotation", "annotation-xml", "mphantom"))
_OWN_TEXT_STYLES: Final = {
    **dict.fromkeys(("pre", "listing", "xmp", "plaintext"), InlineStyle(space=Space.KEEP)),
    **dict.fromkeys(("nobr", "text"), InlineStyle(space=Space.COLLAPSE)),
    "select": InlineStyle(space=Space.COLLAPSE, transform="none"),
    "button": InlineStyle(transform="none"),
}
_SVG_GROUP: Final = Box(Outer.INLINE, Inner.SVG)
_MATH_BLOCK: Final = Box(Outer.BLOCK, Inner.MATH)
_OPTION_PART: Final = Box(Outer.INLINE, Inner.OPTION)
_OPTIONS: Final = Box(Outer.BLOCK, Inner.SELECT)
_LASTING: Final = frozenset(
    (Inner.NOTHING, Inner.BREAK, Inner.QUOTE, Inner.SELECT, Inner.DETAILS, Inner.SVG, Inner.MATH)
)
_BREAKS: Final = (Inner.BREAK, Inner.BREAK_OPPORTUNITY)
_BLOCKIFIED: Final = frozenset((Outer.INLINE, Outer.ATOMIC, Outer.CELL, Outer.ROW, Outer.ROW_GROUP))
_COMMENT: Final = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_CONDITIONAL: Final = frozenset(("audio", "dialog", "input", "object"))

_DISPLAYS: Final[dict[str, Box]] = {
    "none": NONE,
    "contents": INLINE,
    "inline": INLINE,
    "initial": INLINE,
    "unset": INLINE,
    **dict.fromkeys(("block", "flow-root", "list-item", "table-caption"), BLOCK),
    **dict.fromkeys(("flex", "grid", "-webkit-flex", "-webkit-box"), Box(Outer.BLOCK, Inner.FLEX)),
    **dict.fromkeys(("inline-flex", "inline-grid", "-webkit-inline-flex"), Box(Outer.ATOMIC, Inner.FLEX)),
    **dict.fromkeys(("table-row-group", "table-header-group", "table-footer-group"), _GROUP),
    **dict.fromkeys(("table-column", "table-column-group"), NONE),
    "inline-block": _ATOMIC,
    "table": Box(Outer.BLOCK, Inner.TABLE),
    "inline-table": Box(Outer.ATOMIC, Inner.TABLE),
    "table-row": _ROW,
    "table-cell": _CELL,
}
_SPACES: Final = {
    "normal": Space.COLLAPSE,
    "nowrap": Space.COLLAPSE,
    "initial": Space.COLLAPSE,
    "pre": Space.KEEP,
    "pre-wrap": Space.KEEP,
    "break-spaces": Space.KEEP,
    "pre-line": Space.LINES,
}
_TRANSFORMS: Final = frozenset(("none", "uppercase", "lowercase", "capitalize"))
_FLOATS: Final = frozenset(("none", "left", "right", "inline-start", "inline-end"))
_POSITIONS: Final = frozenset(("static", "relative", "absolute", "fixed", "sticky"))
_VISIBILITIES: Final = {"visible": True, "initial": True, "hidden": False, "collapse": False}

_PECULIAR: Final = _OWN_TEXT_STYLES.keys() | {
    tag
    for tag, box in _BOXES.items()
    if box.outer is Outer.NONE or box.inner not in (Inner.FLOW, Inner.TABLE, Inner.ROW) or tag in _CONDITIONAL
}
_STYLING: Final = ("style", "hidden", "popover", HIDDEN_MARK)
_styled_around, _styled_inside = (
    XPath(" | ".join(f"{axis}::*/@{name}" for name in _STYLING), smart_strings=False, regexp=False)
    for axis in ("ancestor-or-self", "descendant")
)


@lru_cache(maxsize=2048)
def inline_style(text: str) -> InlineStyle:
    """What a ``style`` attribute declares; as in a browser, the last valid declaration of a property counts."""
    style = InlineStyle()
    fixed: set[str] = set()
    for declaration in _COMMENT.sub("", text).lower().split(";"):
        name, _, rest = declaration.partition(":")
        value, _, important = rest.partition("!")
        change = _declared(name.strip(), value.strip())
        if change is None or (not important and name.strip() in fixed):
            continue
        if important:
            fixed.add(name.strip())
        style = replace(style, **change)
    return style


def _declared(name: str, value: str) -> dict[str, Any] | None:
    """What one declaration changes; nothing where the value is unknown, so that the one before it stays."""
    match name:
        case "display" if value in _DISPLAYS:
            return {"box": _DISPLAYS[value]}
        case "visibility" if value in _VISIBILITIES:
            return {"visible": _VISIBILITIES[value]}
        case "white-space" if value in _SPACES:
            return {"space": _SPACES[value]}
        case "text-transform" if value in _TRANSFORMS:
            return {"transform": value}
        case "float" if value in _FLOATS:
            return {"floating": value != "none"}
        case "position" if value in _POSITIONS:
            return {"absolute": value in ("absolute", "fixed")}
        case "content-visibility" if value in ("visible", "auto", "hidden"):
            return {"locked": value == "hidden"}
    return None


def is_styled_around(element: Element) -> bool:
    """Whether an attribute of the element or of one around it changes how it is shown."""
    return bool(_styled_around(element))


def is_styled_inside(element: Element) -> bool:
    """Whether an attribute of an element inside it changes how that is shown."""
    return bool(_styled_inside(element))


def holds_only_lines(element: Element) -> bool:
    """Whether an element without such attributes holds nothing but text, ordinary inline elements and line breaks."""
    for inside in element.iterdescendants("*"):
        tag = inside.tag
        if tag == "br":
            if inside.text or len(inside):
                return False
        elif tag in _BOXES or tag in _OWN_TEXT_STYLES:
            return False
    return True


def is_ordinary(element: Element) -> bool:
    """Whether an element shows its content and lays it out like any other, as far as that depends on itself."""
    return is_ordinary_name(element.tag) and not is_styled(element)


def is_ordinary_name(name: str) -> bool:
    """Whether elements of this name do so, unless an attribute says otherwise."""
    return name not in _PECULIAR


def is_styled(element: Element) -> bool:
    """Whether an attribute of the element itself changes how it is shown."""
    given = element.keys()
    return bool(given) and any(name in given for name in _STYLING)


def inherit(element: Element, parent: Inherited) -> Inherited:
    """What the children of an element inherit."""
    own = _OWN_TEXT_STYLES.get(str(element.tag))
    style = element.get("style")
    if style is None and own is None:
        return parent
    declared = inline_style(style or "")
    own = own or InlineStyle()
    visible = parent.visible if declared.visible is None else declared.visible
    return Inherited(
        visible,
        declared.space or own.space or parent.space,
        declared.transform or own.transform or parent.transform,
    )


def box_of(element: Element, parent: Element | None, around: Inner) -> Box:
    """The box of an element whose parent's box is ``around`` inside."""
    if element.get(HIDDEN_MARK) is not None:
        return NONE
    default = default_box(element, parent, around)
    if default is _NEVER or around is Inner.SELECT or around is Inner.OPTION:
        return default
    box = default
    hidden = element.get("hidden")
    if (hidden is not None and hidden.lower() != "until-found") or element.get("popover") is not None:
        box = NONE
    style = element.get("style")
    if style is not None:
        box = _styled(box, default, inline_style(style))
    if hidden is not None and box.outer is not Outer.INLINE and hidden.lower() == "until-found":
        return Box(box.outer, Inner.NOTHING)
    if around is Inner.FLEX and box.outer in _BLOCKIFIED and box.inner not in _BREAKS:
        return Box(Outer.BLOCK, box.inner)
    return box


def default_box(element: Element, parent: Element | None, around: Inner) -> Box:
    """The box of an element that has no attributes which change it."""
    if around is not Inner.FLOW and (special := _box_in(element, parent, around)) is not None:
        return special
    default = _BOXES.get(element.tag, INLINE)
    return _conditional_box(element, default) if element.tag in _CONDITIONAL else default


def _box_in(element: Element, parent: Element | None, around: Inner) -> Box | None:
    """The box inside one of the elements that have special rules for their children."""
    tag = element.tag
    match around:
        case Inner.SELECT:
            # Chromium lists every option, hidden ones too, and nothing else.
            return {"option": _OPTION, "optgroup": _OPTIONS}.get(tag, _NEVER)
        case Inner.OPTION:
            return _OPTION_PART
        case Inner.DETAILS if parent is not None and parent.get("open") is None:
            return None if tag == "summary" and parent.find("summary") is element else _NEVER
        case Inner.SVG:
            if tag in _SVG_CONTAINERS:
                return _SVG_GROUP
            return BLOCK if tag in ("text", "foreignObject") else _NEVER
        case Inner.TABLE | Inner.ROW if tag == "form":
            # The parser leaves it empty here, and it has no box that could be a cell.
            return _NEVER
        case Inner.MATH:
            return _NEVER if tag in _MATH_UNSHOWN else _MATH_TABLES.get(tag, _MATH_BLOCK)
    return None


def _conditional_box(element: Element, default: Box) -> Box:
    """The box of an element whose attributes or content decide whether it has one."""
    match element.tag:
        case "audio":
            return default if element.get("controls") is not None else NONE
        case "dialog":
            return default if element.get("open") is not None else NONE
        case "object":
            return default if len(element) or (element.text or "").strip(" \t\n\r") else _REPLACED
    return NONE if (element.get("type") or "").strip().lower() == "hidden" else default


def _styled(box: Box, default: Box, style: InlineStyle) -> Box:
    if style.box is not None:
        # An image stays an image, whatever the style calls it.
        inner = default.inner if default.inner in _LASTING else style.box.inner
        outer = style.box.outer
        box = Box(Outer.ATOMIC if outer is Outer.INLINE and default.outer is Outer.ATOMIC else outer, inner)
    if box.outer is Outer.NONE:
        return NONE
    if style.floating or style.absolute:
        box = Box(Outer.FLOAT, box.inner)
    if style.locked and box.outer is not Outer.INLINE:
        return Box(box.outer, Inner.NOTHING)
    return box
