"""The lists of a page whose entries lead to pages of their own: records, and the links in them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

from lxml.etree import _Element as Element

from rdfcrawl.draft.paths import literal
from rdfcrawl.draft.slots import Sample, classes_of
from rdfcrawl.engine.document.tree import address_of

LEAST_RECORDS: Final = 3
_SIGNATURE_LEVELS: Final = 3
_MOST_LINKS: Final = 20_000
_BOILERPLATE: Final = re.compile(
    r"nav|menu|foot|header|sidebar|breadcrumb|crumb|pagin|pager|social|share|login|cookie|lang|toolbar|tagcloud|advert",
    re.IGNORECASE,
)
_BOILERPLATE_TAGS: Final = frozenset(("nav", "footer", "header", "aside"))
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_DIGITS: Final = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class RecordList:
    """Links of one kind, each with its address and the record around it, and how likely they are what the page is for."""

    links: tuple[Element, ...]
    addresses: tuple[str, ...]
    records: tuple[Element, ...]
    score: float


def find_records(sample: Sample) -> list[RecordList]:
    """The lists of links on a page, the one that the page is most likely for first."""
    groups: dict[tuple[str, ...], list[tuple[Element, str]]] = defaultdict(list)
    here = sample.document.address.partition("#")[0]
    for link in sample.by_tag.get("a", [])[:_MOST_LINKS]:
        address = address_of(link, sample.document.base) if link.get("href") else None
        if address is not None and address.partition("#")[0] != here:
            groups[_signature(link)].append((link, address.partition("#")[0]))
    lists = [found for links in groups.values() if (found := _records(links, sample)) is not None]
    return sorted(lists, key=lambda found: (-found.score, found.addresses))


def _signature(link: Element) -> tuple[str, ...]:
    """Tags up to the top, classes on the lowest levels only: further up they name single rows."""
    steps = []
    current: Element | None = link
    while current is not None and current.tag != "body":
        names = ".".join(sorted(classes_of(current))) if len(steps) < _SIGNATURE_LEVELS else ""
        steps.append(f"{current.tag}.{_DIGITS.sub('0', names)}")
        current = current.getparent()
    return tuple(steps)


def _records(links: list[tuple[Element, str]], sample: Sample) -> RecordList | None:
    by_address: dict[str, Element] = {}
    for link, address in links:
        by_address.setdefault(address, link)
    if len(by_address) < LEAST_RECORDS:
        return None
    addresses_in: dict[Element, set[str]] = defaultdict(set)
    for link, address in links:
        for ancestor in (link, *link.iterancestors()):
            addresses_in[ancestor].add(address)
    records = tuple(_record(link, addresses_in) for link in by_address.values())
    if len(set(records)) < LEAST_RECORDS:
        return None
    found = RecordList(tuple(by_address.values()), tuple(by_address), records, 0.0)
    return RecordList(found.links, found.addresses, records, _score(found, sample))


def _record(link: Element, addresses_in: dict[Element, set[str]]) -> Element:
    """The highest element around a link that has no other address of its kind."""
    record = link
    for ancestor in link.iterancestors():
        if len(addresses_in[ancestor]) > 1 or ancestor.tag == "body":
            break
        record = ancestor
    return record


def _score(found: RecordList, sample: Sample) -> float:
    count = len(found.addresses)
    slots = max(1, len(sample.slots))
    share = sum(sample.texts.get(record, 0) for record in set(found.records)) / slots
    texts = [sample.text_of(link) for link in found.links]
    length = sum(map(len, texts)) / count
    score = math.log2(1 + min(count, 60)) / 6 + share + 0.35 * _same_shape(found.addresses, sample)
    score += 0.2 * min(1.0, length / 40) + 0.1 * min(1.0, len(set(texts)) / count)
    score += 0.25 * sum(1 for link in found.links if _in_heading(link)) / count
    score += 0.15 * min(1.0, sum(sample.texts.get(record, 0) for record in found.records) / count / 5)
    return score - 0.8 * sum(1 for link in found.links if _is_boilerplate(link)) / count


def _same_shape(addresses: tuple[str, ...], sample: Sample) -> float:
    """How alike the addresses are: of one host, with equally many parts, the same but for one part."""
    here = urlsplit(sample.document.address).hostname
    shapes: Counter[tuple[str | None, int, str]] = Counter()
    for address in addresses:
        split = urlsplit(address)
        parts = split.path.split("/")
        shapes[split.hostname, len(parts), _DIGITS.sub("0", parts[1] if len(parts) > 1 else "")] += 1
    (host, _, _), most = shapes.most_common(1)[0]
    return most / len(addresses) * (1.0 if host == here else 0.5)


def _in_heading(link: Element) -> bool:
    return any(ancestor.tag in _HEADINGS for ancestor in _near(link, 3)) or any(inner.tag in _HEADINGS for inner in link)


def _is_boilerplate(link: Element) -> bool:
    return any(
        ancestor.tag in _BOILERPLATE_TAGS
        or _BOILERPLATE.search(f"{ancestor.get('class') or ''} {ancestor.get('id') or ''}")
        for ancestor in link.iterancestors()
        if ancestor.tag != "body" and ancestor.tag != "html"
    )


def _near(element: Element, levels: int) -> Iterator[Element]:
    for number, ancestor in enumerate(element.iterancestors(), 1):
        if number > levels:
            return
        yield ancestor


def link_path(found: RecordList, sample: Sample) -> str | None:
    """A path that finds the links of a list and no others, by names before steps."""
    wanted = set(found.addresses)
    for path in dict.fromkeys(_paths(found.links[0])):
        matches = sample.document.root.xpath(path)
        assert isinstance(matches, list)
        addresses = {
            address.partition("#")[0]
            for match in matches
            if (address := address_of(match, sample.document.base)) is not None
        }
        if addresses == wanted:
            return path
    return None


def _paths(link: Element) -> Iterator[str]:
    """Paths to a link and its like: by its own class, then by an ancestor's id or class and the elements between."""
    yield from (f"//a{predicate}" for predicate in predicates(link))
    steps: list[Element] = [link]
    for ancestor in link.iterancestors():
        if ancestor.tag == "body" or len(steps) > 7:
            break
        between = "/".join(str(step.tag) for step in reversed(steps))
        for predicate in predicates(ancestor):
            for own in (*predicates(link), ""):
                yield f"//{ancestor.tag}{predicate}//a{own}"
            yield f"//{ancestor.tag}{predicate}/{between}"
        steps.append(ancestor)
    names = "/".join(str(step.tag) for step in reversed(steps))
    yield f"//{names}"


def predicates(element: Element) -> Iterator[str]:
    """Conditions that recognise an element by its id or its classes."""
    if identifier := element.get("id"):
        yield f"[@id={literal(identifier)}]"
    if names := element.get("class"):
        yield f"[@class={literal(names)}]"
        for name in classes_of(element):
            if not any(character.isdigit() for character in name):
                yield f"[contains(concat(' ', normalize-space(@class), ' '), {literal(f' {name} ')})]"
