"""The links of a page with their groups, read from its tree."""

from __future__ import annotations

from collections.abc import Collection
from hashlib import blake2b

from lxml import etree

from rdfcrawl.engine.document.tree import Document, Element
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.site.links import page_links
from rdfcrawl.navigation.grouping import group_links
from rdfcrawl.navigation.identities import Anchor
from rdfcrawl.navigation.site import AnchorsOfPage


def anchors_of(document: Document, params: Collection[str] = (), *, with_display: bool = False) -> AnchorsOfPage:
    """All links that a survey finds on a page; those that are ``<a href>`` are grouped by algorithm 2."""
    anchors: dict[Element, Anchor] = {}
    others: list[str] = []
    displays = _Displays()
    for link in page_links(document):
        target = clean_address(link.address, params)
        if link.element.tag == "a" and link.element not in anchors:
            display = displays.of(link.element) if with_display else ""
            anchors[link.element] = Anchor(target, link.text or _picture(link.element), display)
        else:
            others.append(target)
    groups = group_links(list(anchors), Element.getparent, lambda element: anchors[element].target)
    grouped = {element for group in groups for element in group}
    return AnchorsOfPage(
        [[anchors[element] for element in group] for group in groups],
        [anchor for element, anchor in anchors.items() if element not in grouped],
        others,
    )


def _picture(element: Element) -> str:
    """What stands for the label of a link that is only a picture."""
    return next((f"[{source}]" for image in element.iter("img") if (source := image.get("src"))), "")


class _Displays:
    """Path descriptions (definition 9) as digests: the start tags of all ancestors, and the link itself."""

    def __init__(self) -> None:
        self._starts: dict[Element, bytes] = {}

    def of(self, element: Element) -> str:
        parent = element.getparent()
        above = b"" if parent is None else self._start(parent)
        return blake2b(above + etree.tostring(element, with_tail=False), digest_size=8).hexdigest()

    def _start(self, element: Element) -> bytes:
        line: list[Element] = []
        above: Element | None = element
        while above is not None and above not in self._starts:
            line.append(above)
            above = above.getparent()
        digest = b"" if above is None else self._starts[above]
        for one in reversed(line):
            tag = repr((one.tag, sorted(one.attrib.items())))
            digest = self._starts[one] = blake2b(digest + tag.encode(), digest_size=8).digest()
        return digest
