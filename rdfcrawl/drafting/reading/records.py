"""The lists of a page whose entries lead to pages of their own: records, and the links in them."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import takewhile
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from lxml.etree import _Element as Element

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.look import MOST_LINKS
from rdfcrawl.drafting.reading.slots import Sample, classes_of
from rdfcrawl.drafting.reading.xpaths import elements_at

LEAST_RECORDS: Final = 3
_SIGNATURE_LEVELS: Final = 3
_BOILERPLATE: Final = re.compile(
    r"nav|menu|foot|header|sidebar|breadcrumb|crumb|pagin|pager|social|share|login|cookie|lang|toolbar|tagcloud|advert",
    re.IGNORECASE,
)
_BOILERPLATE_TAGS: Final = frozenset(("nav", "footer", "header", "aside"))
_HEADINGS: Final = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
_DIGITS: Final = re.compile(r"\d+")
_FILES: Final = re.compile(
    r"\.(pdf|jpe?g|png|gif|webp|svg|zip|gz|docx?|xlsx?|csv|mp[34]|xml|rss|ics|css|js)$", re.IGNORECASE
)
_USUAL_SHARE: Final = 0.7


@dataclass(frozen=True, slots=True)
class RecordList:
    """Links of one kind, each with its address and the record around it.

    ``score`` says how likely they are what the page is for, ``share`` how much of its text their records have.
    """

    links: tuple[Element, ...]
    addresses: tuple[str, ...]
    records: tuple[Element, ...]
    score: float = 0.0
    share: float = 0.0


def find_records(sample: Sample) -> list[RecordList]:
    """The lists of links on a page, the one that the page is most likely for first; none among too many links."""
    if len(sample.by_tag.get("a", ())) > MOST_LINKS:
        return []
    groups = linked_groups(sample)
    lists = [found for links in groups.values() if (found := _records(links, sample)) is not None]
    return sorted(lists, key=lambda found: (-found.score, found.addresses))


def linked_groups(sample: Sample) -> dict[tuple[str, ...], list[tuple[Element, str]]]:
    """The links of a page that lead to other pages, by their signature."""
    groups: dict[tuple[str, ...], list[tuple[Element, str]]] = defaultdict(list)
    here = sample.document.address.partition("#")[0]
    above: dict[Element, str] = {}
    for link in sample.by_tag.get("a", [])[:MOST_LINKS]:
        address = sample.address_of(link) if link.get("href") else None
        if address is None or not address.startswith("http"):
            continue
        address = address.partition("#")[0]
        if address != here and not is_file(address):
            groups[_signature(link, address, above)].append((link, address))
    return groups


def is_file(address: str) -> bool:
    """Whether an address leads to something that is no page, such as a picture."""
    return _FILES.search(urlsplit(address).path) is not None


def _signature(link: Element, address: str, above: dict[Element, str]) -> tuple[str, ...]:
    """Tags up to the top, classes on the lowest levels only: further up they name single rows.

    ``above`` has the tags above elements as far as they are known: links side by side have them in common.
    """
    steps: list[str] = []
    current: Element | None = link
    while current is not None and current.tag != "body" and len(steps) < _SIGNATURE_LEVELS:
        names = classes_of(current)
        steps.append(f"{current.tag}.{_DIGITS.sub('0', '.'.join(sorted(names))) if names else ''}")
        current = current.getparent()
    steps.append("" if current is None else _tags_from(current, above))
    if "?" not in address:
        return (*steps, "")
    parameters = sorted({name for name, _ in parse_qsl(urlsplit(address).query, keep_blank_values=True)})
    return (*steps, "&".join(parameters))


def _tags_from(element: Element, above: dict[Element, str]) -> str:
    """The tags from an element up to the body."""
    known = above.get(element)
    if known is None:
        chain = [element.tag, *(ancestor.tag for ancestor in element.iterancestors())]
        known = above[element] = "/".join(map(str, takewhile(lambda tag: tag != "body", chain)))
    return known


def _records(links: list[tuple[Element, str]], sample: Sample) -> RecordList | None:
    by_address: dict[str, Element] = {}
    for link, address in _of_one_shape(links):
        by_address.setdefault(address, link)
    if len(by_address) < LEAST_RECORDS:
        return None
    links_in: Counter[Element] = Counter()
    for link in by_address.values():
        links_in.update(link.iterancestors())
    records = tuple(_record(link, links_in) for link in by_address.values())
    if len(set(records)) < LEAST_RECORDS:
        return None
    share = sum(sample.texts.get(record, 0) for record in set(records)) / max(1, len(sample.slots))
    found = RecordList(tuple(by_address.values()), tuple(by_address), records, share=share)
    return replace(found, score=_score(found, sample))


def _of_one_shape(links: list[tuple[Element, str]]) -> list[tuple[Element, str]]:
    """The links without those few that lead somewhere else, as one to a video among recipes does."""
    starts = Counter(start_of(address) for _, address in links)
    usual, count = starts.most_common(1)[0]
    if len(starts) > 1 and count >= _USUAL_SHARE * len(links):
        return [(link, address) for link, address in links if start_of(address) == usual]
    return links


@lru_cache(maxsize=10_000)
def start_of(address: str) -> str:
    """The host of an address and the first part of its path, which links of one list mostly have in common."""
    split = urlsplit(address)
    first, slash, _ = split.path.lstrip("/").partition("/")
    return f"{split.hostname}/{first}/" if slash else f"{split.hostname}/"


def _record(link: Element, links_in: Counter[Element]) -> Element:
    """The highest element around a link that has no other address of its kind."""
    record = link
    for ancestor in link.iterancestors():
        if links_in[ancestor] > 1 or ancestor.tag == "body":
            break
        record = ancestor
    return record


def _score(found: RecordList, sample: Sample) -> float:
    count = len(found.addresses)
    texts = [sample.text_of(link) for link in found.links]
    length = sum(map(len, texts)) / count
    score = math.log2(1 + min(count, 60)) / 6 + found.share + 0.35 * _same_shape(found.addresses, sample)
    score += 0.2 * min(1.0, length / 40) + 0.1 * min(1.0, len(set(texts)) / count)
    score += 0.25 * sum(1 for link in found.links if _in_heading(link)) / count
    score += 0.15 * min(1.0, sum(sample.texts.get(record, 0) for record in found.records) / count / 5)
    return score - 0.8 * sum(1 for link in found.links if _is_boilerplate(link, sample)) / count


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
    return any(ancestor.tag in _HEADINGS for ancestor in _near(link, 3)) or any(
        inner.tag in _HEADINGS for inner in link
    )


def _is_boilerplate(link: Element, sample: Sample) -> bool:
    """Whether something around a link is for finding one's way; asked once of what links have around them in common."""
    known = sample.boilerplate
    chain: list[Element] = []
    current = link.getparent()
    while current is not None and current not in known and current.tag != "body" and current.tag != "html":
        chain.append(current)
        current = current.getparent()
    found = known.get(current, False) if current is not None else False
    for element in reversed(chain):
        found = known[element] = found or (
            element.tag in _BOILERPLATE_TAGS
            or _BOILERPLATE.search(f"{element.get('class') or ''} {element.get('id') or ''}") is not None
        )
    return found


def _near(element: Element, levels: int) -> Iterator[Element]:
    for number, ancestor in enumerate(element.iterancestors(), 1):
        if number > levels:
            return
        yield ancestor


def linked(path: str, sample: Sample) -> list[tuple[Element, str]]:
    """The links that a path finds on a page, with their addresses."""
    return [
        (element, address.partition("#")[0])
        for element in elements_at(path, sample)
        if (address := sample.address_of(element)) is not None
    ]
