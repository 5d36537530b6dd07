"""JSON as a tree: members are elements with their names, the entries of an array are ``item``, the root is ``json``.

A member whose name is no XML name is ``_`` with an attribute ``key``. The text of an element is the value as the JSON
spells it, ``null`` is an empty element with ``null="true"``; numbers and booleans are marked by an attribute ``type``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.engine.charsets import decoded
from rdfcrawl.engine.document.bounds import TreeBounds
from rdfcrawl.engine.document.errors import DocumentError, DocumentLimit
from rdfcrawl.rdf.characters import writable

ROOT: Final = "json"
ENTRY: Final = "item"
UNNAMED: Final = "_"

_NAME: Final = re.compile(r"[^\W\d][\w.-]*")
_XML: Final = re.compile(r"xml", re.IGNORECASE)
_SCRIPTS: Final = re.compile(r"\s*(?:application|text)/(?:[\w.+-]+\+)?json\s*(?:;.*)?", re.IGNORECASE)


class _Number(str):
    """A number as it is written."""

    __slots__ = ()


class _Members(list[tuple[str, object]]):
    """The members of an object in their order; names may be repeated."""

    __slots__ = ()


def read_json(body: bytes, charset: str | None, bounds: TreeBounds) -> Element:
    """The root element of a JSON document; raises ``DocumentError``."""
    root = etree.Element(ROOT)
    _build(root, _parsed(_decoded(body, charset)), bounds)
    return root


def expand_scripts(root: Element, bounds: TreeBounds) -> None:
    """Put the JSON that the scripts of a page contain below them, each as an element ``json``.

    What is no JSON stays as it is: pages have scripts that are cut or commented out, and a path that needs one of them
    finds nothing there, which is reported.
    """
    for script in root.iter("script"):
        if not _SCRIPTS.fullmatch(script.get("type") or ""):
            continue
        text = str(_string(script))
        try:
            value = _parsed(text.strip().removeprefix("<!--").removesuffix("-->"))
        except DocumentLimit:
            raise
        except DocumentError:
            continue
        _build(etree.SubElement(script, ROOT), value, bounds)


def is_within_json(element: Element) -> bool:
    """Whether an element of a page belongs to the JSON of a script."""
    return next(element.iterancestors("script"), None) is not None


def scalar_text(element: Element) -> str:
    """The value of an element; of an object or array, those of everything in it, line by line."""
    if not len(element):
        return element.text or ""
    return "\n".join(text for inner in element.iter() if not len(inner) and (text := inner.text))


_string: Final = etree.XPath("string()", smart_strings=False, regexp=False)


def _decoded(body: bytes, charset: str | None) -> str:
    """JSON is Unicode, whatever the server says; where it is not, the server may know what it is."""
    encoding = json.detect_encoding(body)
    try:
        text: str | None = body.decode(encoding)
    except UnicodeDecodeError:
        text = None if charset is None else decoded(body, charset)
    return (body.decode(encoding, "replace") if text is None else text).removeprefix("\ufeff")


def _parsed(text: str) -> object:
    try:
        return _decoder.decode(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        reason = error.msg[0].lower() + error.msg[1:]
        if error.msg.startswith("Unterminated string"):
            raise DocumentError(f"the JSON ends too early: the string that begins at {place} is not closed") from None
        if error.pos >= len(text.rstrip()):
            raise DocumentError(f"the JSON ends too early, at {place}: {reason}") from None
        raise DocumentError(f"the JSON is not valid at {place}: {reason}") from None
    except RecursionError:
        raise DocumentLimit("the JSON is nested too deeply to be read") from None


def _refused(constant: str) -> object:
    raise DocumentError(f"the JSON has {constant}, which is not a value of JSON")


_decoder: Final = json.JSONDecoder(
    object_pairs_hook=_Members, parse_int=_Number, parse_float=_Number, parse_constant=_refused, strict=False
)


def _build(root: Element, value: object, bounds: TreeBounds) -> None:
    """Fill the root element; without recursion, because the depth is the page's to choose."""
    count, depth = 1, 1
    open_ones: list[tuple[Element, Iterator[tuple[str, object]]]] = []
    content = _content(root, value)
    if content is not None:
        open_ones.append((root, content))
    while open_ones:
        parent, members = open_ones[-1]
        for name, inner in members:
            count += 1
            bounds.check_count(count)
            element = _member(parent, name)
            content = _content(element, inner)
            if content is not None:
                depth = len(open_ones) + 1
                bounds.check_depth(depth)
                open_ones.append((element, content))
                break
        else:
            open_ones.pop()


def _member(parent: Element, name: str) -> Element:
    if _NAME.fullmatch(name) and not _XML.match(name):
        try:
            return etree.SubElement(parent, name)
        except ValueError:
            # Python knows more letters than XML.
            pass
    return etree.SubElement(parent, UNNAMED, key=writable(name))


def _content(element: Element, value: object) -> Iterator[tuple[str, object]] | None:
    """Write a plain value; return what is inside any other."""
    if isinstance(value, _Members):
        return iter(value)
    if isinstance(value, list):
        return ((ENTRY, entry) for entry in value)
    if value is None:
        element.set("null", "true")
    elif isinstance(value, bool):
        element.text = "true" if value else "false"
        element.set("type", "boolean")
    elif isinstance(value, _Number):
        element.text = str(value)
        element.set("type", "number")
    elif isinstance(value, str):
        element.text = writable(value)
    return None
