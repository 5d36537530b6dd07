"""Every address that a page links to, in whatever form: anchors, frames, relations, refreshes, scripts; and images."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from lxml import etree

from rdfcrawl.engine.address import BadAddress, origin_of, resolve
from rdfcrawl.engine.document.tree import Document, Element
from rdfcrawl.engine.site.robots import link_says_nofollow

_ELEMENTS: Final = ("a", "area", "iframe", "frame", "link", "meta")
_IMAGES: Final = ("img", "source", "input", "image")
_RELATIONS: Final = frozenset(("next", "prev", "previous", "canonical", "alternate"))
_LAZY: Final = ("src", "data-src", "data-original", "data-lazy", "data-lazy-src", "data-hi-res-src")
_SETS: Final = ("srcset", "data-srcset", "data-lazy-srcset")
_REFRESH: Final = re.compile(r"""\s*[\d.]+(?:\s*[;,]\s*|\s+)(?:url\s*=\s*)?["']?([^"'\s][^"']*)""", re.IGNORECASE)
_SCRIPTED: Final = re.compile(
    r"""(?:\blocation(?:\.href)?\s*=(?!=)\s*|\blocation\.(?:assign|replace)\s*\(\s*|\bopen\s*\(\s*)(["'])(.*?)\1""",
    re.DOTALL,
)
_CANDIDATE: Final = re.compile(r"\s*,*\s*([^\s,](?:\S*[^\s,])?)(?:\s+[^,]*)?")
_LONGEST_TEXT: Final = 200
_clicked: Final[Any] = etree.XPath("//*[@onclick]")
_content: Final[Any] = etree.XPath("normalize-space()", smart_strings=False)


class SiteLink(NamedTuple):
    """A link: its address without fragment, its text, the element that it is on, and whether it says not to follow."""

    address: str
    text: str
    element: Element
    nofollow: bool


def page_links(document: Document) -> Iterator[SiteLink]:
    """The links of a page in the order of the document; addresses that are not of the web are left out."""
    for element in document.root.iter(*_ELEMENTS):
        reference = _reference(element)
        if reference is not None and (address := web_address(reference, document.base)):
            nofollow = element.tag in ("a", "area") and link_says_nofollow(element.get("rel"))
            yield SiteLink(address, _text(element), element, nofollow)
    scripted: list[Element] = _clicked(document.root)
    for element in scripted:
        for _, reference in _SCRIPTED.findall(element.get("onclick") or ""):
            if address := web_address(reference, document.base):
                yield SiteLink(address, _text(element), element, link_says_nofollow(element.get("rel")))


def page_images(document: Document) -> Iterator[str]:
    """The addresses of the images of a page, also of those that scripts load later; each may come several times."""
    for element in document.root.iter(*_IMAGES):
        for reference in _image_references(element):
            if address := web_address(reference, document.base):
                yield address


def text_within(element: Element) -> str:
    """All text in an element on one line, visible or not."""
    # Most links contain nothing but text.
    text = str(_content(element)) if len(element) else element.text or ""
    return " ".join(text.split())


def web_address(reference: str, base: str) -> str | None:
    """The address of the web that a reference leads to, without fragment; ``None`` for mail, telephone and scripts."""
    if reference.startswith("#"):
        return None
    if reference.startswith(("/", "http://", "https://")):
        # It means the same on all pages of a host, and most of them have it: the menu, the footer.
        return _same_everywhere(reference, origin_of(base))
    return _resolved(reference, base)


def _resolved(reference: str, base: str) -> str | None:
    try:
        address = resolve(reference, base)
    except BadAddress:
        return None
    return address.partition("#")[0] if address.startswith(("http://", "https://")) else None


_same_everywhere: Final = lru_cache(maxsize=1 << 14)(_resolved)


def _reference(element: Element) -> str | None:
    tag = element.tag
    if tag in ("iframe", "frame"):
        return element.get("src") or element.get("data-src")
    if tag == "link":
        relations = (element.get("rel") or "").lower().split()
        return None if _RELATIONS.isdisjoint(relations) else element.get("href")
    if tag == "meta":
        if (element.get("http-equiv") or "").strip().lower() != "refresh":
            return None
        found = _REFRESH.match(element.get("content") or "")
        return found[1].strip() if found else None
    return element.get("href")


def _image_references(element: Element) -> Iterator[str]:
    tag = element.tag
    if tag == "image":
        yield element.get("href") or element.get("{http://www.w3.org/1999/xlink}href") or ""
        return
    if tag == "input" and (element.get("type") or "").lower() != "image":
        return
    if tag == "source":
        parent = element.getparent()
        if parent is None or parent.tag != "picture":
            return
    for name in _LAZY:
        if value := element.get(name):
            yield value
    for name in _SETS:
        if value := element.get(name):
            yield from _CANDIDATE.findall(value)


def _text(element: Element) -> str:
    """What a person sees of a link: its text, else the text of its image, else its title."""
    text = text_within(element)
    if not text:
        described = (image.get("alt") for image in element.iter("img"))
        text = next(filter(None, described), None) or element.get("alt") or element.get("title") or ""
        text = " ".join(text.split())
    return text if len(text) <= _LONGEST_TEXT else f"{text[: _LONGEST_TEXT - 1]}…"
