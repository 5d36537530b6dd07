"""How a list goes on: the button that leads to its next page, or the one that loads more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.records import is_file
from rdfcrawl.drafting.reading.slots import Sample, clean
from rdfcrawl.drafting.reading.xpaths import elements_at, literal, predicates

_NEXT: Final = re.compile(
    r"(next( page)?|weiter|nächste( seite)?|vor|suivante?|page suivante|siguiente|prossim[ao]|successiv[ao]|volgende|"
    r"older( posts| entries)?|nästa|næste|neste|następn[ay]|další|›|»|>|>>|→|next (›|»|>|→|>>)|weiter (›|»|>|→|>>)|"
    r"nächste (›|»|>|→))",
    re.IGNORECASE,
)
_LONGEST_TEXT: Final = 40
"""No next button says more, white space included."""
_NEXT_NAME: Final = re.compile(r"(^|[-_\s])(next|weiter|naechste|nextpage|next-page)($|[-_\s])", re.IGNORECASE)
_BACK_NAME: Final = re.compile(r"prev|disabled|inactive|slide|carousel|gallery|calendar|month", re.IGNORECASE)
_MORE: Final = re.compile(
    r"(load|show|view|see) more( \w+)?|mehr (anzeigen|laden)|weitere \w+( laden)?|plus de \w+", re.IGNORECASE
)
_MOST_PIECES: Final = 8
"""What shows more texts is no button."""
_PAGING: Final = re.compile(r"pag(e|er|ing|ination)|seiten|blaettern", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class NextButton:
    """The button to the next page of a list: its path and, if it is a link, where it leads."""

    path: str
    address: str | None


def find_next(sample: Sample) -> NextButton | None:
    """The button that leads to the next page, if the page has one."""
    best: tuple[float, Element] | None = None
    for element in (*sample.by_tag.get("a", ()), *sample.document.root.iterfind("head/link")):
        score = _score(element, sample)
        if score > 0 and (best is None or score > best[0]):
            best = score, element
    if best is None:
        return _after_current(sample)
    address = sample.address_of(best[1])
    path = next((path for path in _paths(best[1]) if _first(path, sample) is best[1]), None)
    return NextButton(path, address) if path else None


def find_more(sample: Sample) -> str | None:
    """The path of a button that loads more entries into the page."""
    for tag in ("button", "a", "span", "div", "input"):
        for element in sample.document.root.iter(tag):
            if sample.texts.get(element, 0) > _MOST_PIECES:
                continue
            text = clean("".join(map(str, element.itertext()))) or element.get("value") or ""
            if len(text) < 40 and _MORE.fullmatch(text) and not _leads_on(element, sample):
                path = next((path for path in _paths(element) if _first(path, sample) is element), None)
                if path:
                    return path
    return None


def _leads_on(element: Element, sample: Sample) -> bool:
    """Whether a click leads to another page instead of loading into this one."""
    href = element.get("href")
    return element.tag == "a" and bool(href) and not str(href).startswith(("#", "javascript:"))


def _score(element: Element, sample: Sample) -> float:
    address = sample.address_of(element)
    if address is None or address.partition("#")[0] == sample.document.address:
        return 0.0
    rel = (element.get("rel") or "").lower().split()
    if element.tag == "link":
        return 1.0 if "next" in rel else 0.0
    names = " ".join(filter(None, (element.get("class"), element.get("id"))))
    if _BACK_NAME.search(names):
        return 0.0
    text = sample.text_of(element) or element.get("title") or element.get("aria-label") or ""
    if not text and len(element) == 1:
        text = element[0].get("alt") or element[0].get("title") or ""
    score = 0.0
    if "next" in rel:
        score += 2.0
    if len(text) <= _LONGEST_TEXT and _NEXT.fullmatch(clean(text)):
        score += 1.0
    if _NEXT_NAME.search(names):
        score += 0.8
    if not score:
        return 0.0
    around = " ".join(
        f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}"
        for _, ancestor in zip(range(3), element.iterancestors(), strict=False)
    )
    if _PAGING.search(around) or _NEXT_NAME.search(around):
        score += 0.5
    if _BACK_NAME.search(around):
        score -= 0.6
    return score if score >= 0.8 else 0.0


def _after_current(sample: Sample) -> NextButton | None:
    """Pages numbered through: the link after the number of this page, which is no link."""
    named = {(str(element.tag), element.get("class") or "") for element in sample.by_tag.get("li", ())}
    for tag, names in sorted(named):
        if not names:
            continue
        alike = elements_at(f"//{tag}[@class={literal(names)}]", sample)
        if len(alike) != 1 or not clean("".join(map(str, alike[0].itertext()))).isdigit():
            continue
        following = next(alike[0].itersiblings(str(tag)), None)
        if following is None or not clean("".join(map(str, following.itertext()))).isdigit():
            continue
        link = following.find(".//a")
        if link is not None:
            path = f"//{tag}[@class={literal(names)}]/following-sibling::{tag}[1]//a{_pages_only(following, sample)}"
            return NextButton(path, sample.address_of(link))
    return None


def _pages_only(entry: Element, sample: Sample) -> str:
    """The condition that a link leads to a page, where the last ones of the row lead to files."""
    ends: dict[str, None] = {}
    for sibling in entry.itersiblings(str(entry.tag)):
        for link in sibling.iter("a"):
            address = sample.address_of(link)
            if address is not None and is_file(address):
                ends[f".{address.rpartition('.')[2]}"] = None
    return "".join(f"[not(contains(@href, {literal(end)}))]" for end in ends)


def _paths(element: Element) -> Iterator[str]:
    tag = str(element.tag)
    if "next" in (element.get("rel") or "").lower().split():
        yield f"//{tag}[@rel={literal(element.get('rel') or '')}]"
    for predicate in predicates(element):
        yield f"//{tag}{predicate}"
    text = clean("".join(map(str, element.itertext())))
    if text:
        yield f"//{tag}[normalize-space()={literal(text)}]"
    for attribute in ("title", "aria-label", "value"):
        if value := element.get(attribute):
            yield f"//{tag}[@{attribute}={literal(value)}]"
    parent = element.getparent()
    if parent is not None:
        for predicate in predicates(parent):
            yield f"//{parent.tag}{predicate}/{tag}"


def _first(path: str, sample: Sample) -> Element | None:
    return next(iter(elements_at(path, sample)), None)
