"""The markup of an element without anything that runs: scripts, event handlers, addresses that are scripts."""

from __future__ import annotations

import re
from copy import deepcopy
from typing import Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.engine.document.markup import read_tree

_RUNNING: Final = frozenset(
    (
        "script",
        "noscript",
        "template",
        "iframe",
        "frame",
        "frameset",
        "object",
        "embed",
        "applet",
        "base",
        "meta",
        "link",
    )
)
"""Elements that run something, load a document or change what addresses mean."""
_ADDRESSES: Final = frozenset(
    (
        "href",
        "src",
        "action",
        "formaction",
        "data",
        "poster",
        "background",
        "cite",
        "longdesc",
        "srcset",
        "ping",
        "xlink:href",
    )
)
_UNSAFE: Final = re.compile(r"(?:javascript|vbscript|data(?!:image/(?:png|gif|jpeg|webp|avif)[;,]))\s*:", re.IGNORECASE)
_IGNORED: Final = re.compile(r"[\x00-\x20]+")
_MARKS: Final = frozenset(("data-rdfcrawl-hidden", "srcdoc", "nonce", "integrity"))


def markup_of(element: Element) -> str:
    """The element with everything in it, as HTML."""
    copy = deepcopy(element)
    copy.tail = None
    return "" if _local_name(copy) in _RUNNING else _written(copy)


def markup_of_text(text: str) -> str:
    """A text that is markup itself, such as JSON has it."""
    root = read_tree(f"<!DOCTYPE html><body>{text}".encode(), "text/html; charset=utf-8")
    body = root.find("body")
    if body is None:
        return ""
    written = _written(body)
    return written.removeprefix("<body>").removesuffix("</body>")


def _written(element: Element) -> str:
    for inner in list(element.iter()):
        if not isinstance(inner.tag, str) or (_local_name(inner) in _RUNNING and inner is not element):
            _drop(inner)
            continue
        for name, value in inner.attrib.items():
            if _is_unsafe(str(name), str(value)):
                del inner.attrib[name]
    return etree.tostring(element, method="html", encoding="unicode", with_tail=False).strip()


def _drop(element: Element) -> None:
    """Remove an element, but not the text after it."""
    parent = element.getparent()
    if parent is None:
        return
    if element.tail:
        before = element.getprevious()
        if before is None:
            parent.text = (parent.text or "") + element.tail
        else:
            before.tail = (before.tail or "") + element.tail
    parent.remove(element)


def _is_unsafe(name: str, value: str) -> bool:
    local = name.rpartition("}")[2].lower()
    if local.startswith("on") or local in _MARKS:
        return True
    return (local in _ADDRESSES or ":" in local) and _UNSAFE.match(_IGNORED.sub("", value)) is not None


def _local_name(element: Element) -> str:
    return str(element.tag).rpartition("}")[2].lower()
