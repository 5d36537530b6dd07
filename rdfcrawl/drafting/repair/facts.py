"""What was known before a selector died, and what of it should be found on a page that is read again."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.metamodel.model import Item, Model, Page
from rdfcrawl.rdf.ntriples import iri, split, term_text

LINK: Final = "link to "
"""What the predicate of a link begins with; the IRI of the page that it leads to follows."""
_HASH: Final = re.compile(r"#[0-9a-f]{40}(-\d+)?>$")
_SPACE: Final = re.compile(r"\\[nrt]|\s+")

Statement = tuple[str, str, str]
"""Subject, predicate and object, as N-Triples text; objects that are named by a hash have only their page's address."""

Tally = Counter[Statement]


@dataclass(frozen=True, slots=True)
class Facts:
    """Statements by their subject, as N-Triples text."""

    by_subject: Mapping[str, Sequence[tuple[str, str]]] = field(default_factory=dict)

    def objects(self, subject: str, predicate: str) -> list[str]:
        """What a subject leads to by a predicate."""
        return [value for name, value in self.by_subject.get(subject, ()) if name == predicate]


def facts_of(lines: Iterable[bytes]) -> Facts:
    """The statements of sorted N-Triples lines."""
    found: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for line in lines:
        subject, predicate, value = split(line.decode())
        found[subject].append((predicate, value))
    return Facts(found)


def normal(term: str) -> str:
    """A term without what differs where the meaning does not: the hash of a name, line breaks in a text."""
    return _HASH.sub("#>", term) if term[0] == "<" else _SPACE.sub(" ", term)


def found_by(extraction: Extraction, owner: str) -> Tally:
    """Everything that a page says; what hangs from the page's parents hangs from ``owner``."""
    found: Tally = Counter()
    for line in extraction.triples:
        subject, predicate, value = split(f"{line} .")
        found[normal(subject), predicate, normal(value)] += 1
    for predicate, name in extraction.tops:
        found[normal(owner), predicate, normal(name)] += 1
    for follow in extraction.follows:
        parent = iri(follow.parent) if follow.parent else owner
        found[normal(parent), f"{LINK}{follow.page}", iri(follow.key)] += 1
    return found


def expected_on(model: Model, facts: Facts, page: Page, address: str, owner: str) -> Tally:
    """What was known of the objects of a page; ``owner`` is the object or section that the page belongs to."""
    expected: Tally = Counter()
    here = clean_address(address, page.params)
    for statement in _of_page(model, facts, page, here, owner):
        expected[statement] += 1
    return expected


def _of_page(model: Model, facts: Facts, page: Page, here: str, owner: str) -> Iterator[Statement]:
    if page.item is None:
        yield from _links(model, facts, page, owner)
        return
    predicate = iri(page.item.predicate)
    named = [iri(here)] if page.address_names_object else facts.objects(owner, predicate)
    for name in named:
        if name not in facts.by_subject:
            continue
        if _HASH.search(name) and _page_of(name) != here:
            # The list has several pages, and this object stands on another one.
            continue
        yield normal(owner), predicate, normal(name)
        yield from _of_object(model, facts, page, page.item, name)


def _of_object(model: Model, facts: Facts, page: Page, item: Item, name: str) -> Iterator[Statement]:
    values = {iri(prop.predicate) for prop in item.properties}
    for predicate, value in facts.by_subject.get(name, ()):
        if predicate in values:
            yield normal(name), predicate, normal(value)
    yield from _links(model, facts, page, name)
    for sub in (model.page(nested) for nested in page.subs):
        yield from _nested(model, facts, sub, name)


def _nested(model: Model, facts: Facts, page: Page, owner: str) -> Iterator[Statement]:
    if page.item is None:
        yield from _links(model, facts, page, owner)
        return
    predicate = iri(page.item.predicate)
    for name in facts.objects(owner, predicate):
        yield normal(owner), predicate, normal(name)
        yield from _of_object(model, facts, page, page.item, name)


def _links(model: Model, facts: Facts, page: Page, owner: str) -> Iterator[Statement]:
    for target in {link.target: None for link in page.all_links}:
        for address in _addresses(model.page(target), facts, owner):
            yield normal(owner), f"{LINK}{target}", iri(address)


def _addresses(target: Page, facts: Facts, owner: str) -> list[str]:
    """The addresses of known pages that a link leads to; those of lists of links are not known."""
    if target.item is None:
        return []
    found = facts.objects(owner, iri(target.item.predicate))
    if target.address_names_object:
        return [term_text(name) for name in found]
    return list(dict.fromkeys(_page_of(name) for name in found if _HASH.search(name)))


def _page_of(name: str) -> str:
    return name[1:-1].partition("#")[0]
