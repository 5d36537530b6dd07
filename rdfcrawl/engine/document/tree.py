"""The bytes of a page go in; a tree that XPaths are evaluated on comes out. JSON and CSV are trees as well.

HTML is read as browsers read it. XML keeps its own names, except that elements without a prefix, and those of the root
element's namespace, lose their namespace: ``//entry/title`` finds the titles of an Atom feed. Elements of other
namespaces are found by ``local-name()``.
"""

from __future__ import annotations

import math
import re
from dataclasses import field
from decimal import Decimal
from enum import Enum, auto
from itertools import islice
from typing import Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.charsets import UTF_8
from rdfcrawl.engine.document.bounds import TreeBounds
from rdfcrawl.engine.document.boxes import is_ordinary_name, is_styled
from rdfcrawl.engine.document.csv_tree import TAB_SEPARATED, read_csv
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.json_tree import expand_scripts, is_within_json, read_json, scalar_text
from rdfcrawl.engine.document.markup import GUESSED, XLINK, is_out_of_memory, media_type, read_page, unmarked
from rdfcrawl.engine.document.text import Surroundings, visible_text
from rdfcrawl.expressions.functions import FunctionError, extensions
from rdfcrawl.expressions.selectors import BASE, xpath_of
from rdfcrawl.rdf.characters import is_plain

__all__ = [
    "Document",
    "Element",
    "Match",
    "Path",
    "PathError",
    "TreeBounds",
    "address_of",
    "attribute_of",
    "compile_path",
    "element_path",
    "parse",
]

Match = Element | str
"""What an XPath found: an element, or the text of anything else (attribute, text node, string, number, boolean)."""

_PREFIXES: Final = {"xlink": XLINK, "xml": "http://www.w3.org/XML/1998/namespace"}
_ADDRESS_ATTRIBUTES: Final = {
    **dict.fromkeys(("a", "area", "link", "base"), ("href", f"{{{XLINK}}}href")),
    **dict.fromkeys(("iframe", "frame", "img", "embed", "source", "video", "audio", "script", "input"), ("src",)),
    "form": ("action",),
    "object": ("data",),
    "meta": ("content",),
}
_LINKS: Final = frozenset(("a", "area"))
_APART: Final = ("template", "noscript", "svg", "math")
"""What is inside these is no part of the page's own HTML where scripts run."""


_CELL: Final = re.compile(r"(?:\./)?([A-Za-z][A-Za-z0-9]*)\[([1-9][0-9]{0,3})\]")
_LONGEST_PLAIN: Final = 10_000
_PROBE: Final = "http://page.example/"


class PathError(DocumentError):
    """An XPath that cannot be evaluated; the message quotes it."""


class Path:
    """A compiled XPath or CSS selector.

    In it ``$outer`` and ``$root`` are the roots of the enclosing and of the current object, ``$page`` is the address.
    ``cell`` is the name and the index of the child that it finds, if it is as simple as ``./td[2]``.
    """

    __slots__ = ("_has_variables", "_xpath", "cell", "text")

    def __init__(self, text: str, xpath: etree.XPath) -> None:
        self.text = text
        self._xpath = xpath
        self._has_variables = "$" in xpath.path
        cell = _CELL.fullmatch(xpath.path)
        self.cell = None if cell is None else (cell[1], int(cell[2]) - 1)

    def __repr__(self) -> str:
        return f"Path({self.text!r})"

    def evaluate(
        self, context: Element, outer: Element | None, root: Element | None, page: str = "", base: str = ""
    ) -> object:
        """The result as lxml returns it: a list of nodes, a string, a number or a boolean."""
        try:
            if not self._has_variables:
                return self._xpath(context)
            return self._xpath(
                context,
                outer=[] if outer is None else [outer],
                root=[] if root is None else [root],
                page=page,
                **{BASE: base},
            )
        except FunctionError as error:
            raise PathError(f"XPath error: {error}, in {self.text}") from None
        except etree.XPathError as error:
            if is_out_of_memory(error):
                raise MemoryError from None
            raise PathError(f"XPath error: {error} in {self.text}") from None


def compile_path(text: str) -> Path:
    """Compile an XPath or CSS selector once for many documents; of prefixes it may use ``xlink`` and ``xml``."""
    try:
        # EXSLT's regular expressions stay off: they backtrack without limit. Functions are registered at every
        # evaluation, which takes longer than most evaluations.
        evaluated = xpath_of(text)
        functions = {name: function for name, function in _extensions.items() if name[1] in evaluated}
        xpath = etree.XPath(
            evaluated, namespaces=_PREFIXES, regexp=False, smart_strings=False, extensions=functions or None
        )
    except (etree.XPathError, ValueError) as error:
        raise PathError(f"XPath error: {error} in {text}") from None
    path = Path(text, xpath)
    # libxml2 reports unknown functions, prefixes and variables only when it evaluates them.
    probe = etree.Element("html")
    path.evaluate(probe, probe, probe, _PROBE, _PROBE)
    return path


class Data(Enum):
    """Which elements of a document are data, whose text is taken as it is written and not as it would be seen."""

    NONE = auto()
    SCRIPTS = auto()
    """Those below scripts."""
    ALL = auto()


@dataclass(frozen=True, slots=True)
class Document:
    """A page as a tree. ``base`` is what its relative addresses are resolved against, ``codec`` what its forms send in.

    It ``explains`` if whoever reads it wants to know why, not only what.
    """

    address: str
    base: str
    root: Element
    surroundings: Surroundings = field(default_factory=Surroundings, compare=False, repr=False)
    data: Data = Data.NONE
    complaints: tuple[str, ...] = ()
    """What is wrong with the document, though it can be read."""
    explains: bool = False
    codec: str = UTF_8

    def select(
        self, path: Path, context: Element, *, outer: Element | None = None, root: Element | None = None
    ) -> list[Match]:
        """Everything that ``path`` finds from ``context``, in document order.

        Blank text nodes, empty strings and NaN do not count: that is how XPath says that there is no match.
        """
        found = path.evaluate(context, outer, root, self.address, self.base)
        if isinstance(found, list):
            if len(found) == 1 and type(found[0]) is Element:
                return found
            # Comments and the like have their own classes.
            return [match for match in found if type(match) is Element or _is_match(match)]
        text = _atomic_text(found)
        return [text] if text and not text.isspace() else []

    def text_of(self, match: Match) -> str:
        """The visible text of an element, any other match as it is; both trimmed."""
        if isinstance(match, str):
            return match.strip()
        if self.data is not Data.NONE and self.is_data(match):
            return scalar_text(match).strip()
        return visible_text(match, surroundings=self.surroundings).strip()

    def plain_text(self, match: Match) -> str | None:
        """The text of a match as ``text_of`` would find it, if it is plain and an ordinary leaf has it; else nothing.

        Most values are such texts, and need no layout.
        """
        if type(match) is not Element or self.data is not Data.NONE or not self.surroundings.are_ordinary(match):
            return None
        return _leaf_text(match)

    def cell_texts(self, row: Element, name: str, count: int) -> list[str | None]:
        """The plain texts of the first children with this name, as ``plain_text`` would find them one by one."""
        if self.data is not Data.NONE or not is_ordinary_name(name) or not self.surroundings.are_ordinary(row):
            return []
        return [None if is_styled(cell) else _leaf_text(cell) for cell in islice(row.iterchildren(name), count)]

    def is_data(self, element: Element) -> bool:
        """Whether an element is of JSON or CSV."""
        return self.data is Data.ALL or (self.data is Data.SCRIPTS and is_within_json(element))


def parse(
    body: bytes,
    address: str,
    content_type: str | None = None,
    *,
    bounds: TreeBounds | None = None,
    with_scripts: bool = False,
) -> Document:
    """Read a page. Raises ``DocumentError`` for what has no elements.

    ``with_scripts`` also reads the JSON of scripts; ``bounds`` are for JSON and CSV, whose trees are much larger.
    """
    kind, charset = media_type(content_type)
    bounds = bounds or TreeBounds()
    if _is_json(kind, body):
        return Document(address, address, read_json(body, charset, bounds), data=Data.ALL)
    if _is_csv(kind, address):
        table, complaints = read_csv(body, content_type or "", charset, bounds)
        return Document(address, address, table, data=Data.ALL, complaints=tuple(complaints))
    root, codec = read_page(body, content_type)
    if with_scripts:
        expand_scripts(root, bounds)
    data = Data.SCRIPTS if with_scripts else Data.NONE
    return Document(address, _base_of(root, address), root, data=data, codec=codec)


def _is_json(kind: str, body: bytes) -> bool:
    if kind in ("application/json", "text/json") or kind.endswith("+json"):
        return True
    return kind in GUESSED and unmarked(body).lstrip().startswith((b"{", b"["))


def _is_csv(kind: str, address: str) -> bool:
    if kind in ("text/csv", "application/csv", "text/x-csv", TAB_SEPARATED):
        return True
    return kind in GUESSED and address.partition("?")[0].lower().endswith((".csv", ".tsv"))


def attribute_of(match: Match, name: str) -> str | None:
    """An attribute of the matched element, trimmed; a match that is a text already is that text."""
    if isinstance(match, str):
        return match.strip()
    value = match.get(name)
    prefix, colon, local = name.partition(":")
    if value is None and colon and prefix in _PREFIXES:
        value = match.get(f"{{{_PREFIXES[prefix]}}}{local}")
    return None if value is None else value.strip()


def address_of(match: Match, base: str) -> str | None:
    """The web address that a match links to, or ``None``.

    For an element that has no address itself, the link around it counts, else the only link inside it.
    """
    reference = match if isinstance(match, str) else _reference(match)
    if reference is None:
        return None
    try:
        address = resolve(reference, base)
    except BadAddress:
        return None
    return address if address.startswith(("http://", "https://")) else None


def element_path(element: Element) -> str:
    """A simple XPath that leads to this element and to no other."""
    path: str = element.getroottree().getpath(element)
    return path


def _resolved(reference: str, base: str) -> str:
    try:
        return resolve(reference, base)
    except BadAddress:
        return ""


_extensions: Final = extensions(_resolved)


def _leaf_text(element: Element) -> str | None:
    """The trimmed text of an ordinary element without children, if it is plain."""
    if len(element):
        return None
    text = (element.text or "").strip()
    return text if is_plain(text) and len(text) <= _LONGEST_PLAIN else None


def _is_match(found: object) -> bool:
    if isinstance(found, str):
        # An empty string can only be an attribute, and an empty attribute is a value.
        return not found or not found.isspace()
    return isinstance(found, Element) and isinstance(found.tag, str)


def _atomic_text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _number_text(value)
    return value if isinstance(value, str) else ""


def _number_text(number: float) -> str:
    """A number as XPath's ``string()`` writes it: no exponent, no trailing zeros."""
    if math.isnan(number):
        return ""
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number.is_integer():
        return str(int(number))
    return format(Decimal(repr(number)), "f")


def _base_of(root: Element, address: str) -> str:
    if root.tag != "html":
        return address
    for element in root.iter("base"):
        href = element.get("href")
        if href is not None and next(element.iterancestors(*_APART), None) is None:
            try:
                base = resolve(href, address)
            except BadAddress:
                return address
            return base if base.startswith(("http://", "https://")) else address
    return address


def _reference(element: Element) -> str | None:
    if (own := _own_reference(element)) is not None:
        return own
    for ancestor in element.iterancestors():
        if ancestor.tag in _LINKS and (around := _own_reference(ancestor)) is not None:
            return around
    inside = [link for link in element.iter("a", "area") if link.get("href") is not None]
    if len({link.get("href") for link in inside}) == 1:
        return inside[0].get("href")
    # Feeds write the address as the content of <link>, <guid> or <loc>.
    return _content_reference(element)


def _own_reference(element: Element) -> str | None:
    for name in _ADDRESS_ATTRIBUTES.get(str(element.tag), ("href",)):
        value = element.get(name)
        if value is not None:
            return value
    return None


def _content_reference(element: Element) -> str | None:
    top = element.getroottree().getroot()
    return None if len(element) or (top.tag == "html" and not is_within_json(element)) else element.text
