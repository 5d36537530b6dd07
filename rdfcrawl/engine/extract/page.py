"""The rules that turn one document into triples, links to follow and problems. Pure: no network, no store."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

import regex
from lxml import etree

from rdfcrawl.engine.document.tree import Document, Match, Path, address_of, attribute_of
from rdfcrawl.engine.extract.identity import clean_address, object_hash
from rdfcrawl.engine.extract.plan import ItemPlan, LinkPlan, PagePlan, PropertyPlan
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.values.pipeline import Misfit
from rdfcrawl.metamodel.model import Item, LinksPage, ObjectPage, Page
from rdfcrawl.rdf import ntriples

Element: TypeAlias = etree._Element

_JUMPS = etree.XPath("(ancestor-or-self::* | .//*)[normalize-space(@href) = '#']")
_NUMBER = regex.compile(r"\d{1,3}(?:[.,'\u00a0\u202f ]\d{3})+|\d+")


@dataclass(frozen=True, slots=True)
class Follow:
    """A link found on a page: the address as the link said it, and the key by which duplicates are recognised.

    Without ``parent`` the target hangs from whatever the page itself hangs from.
    """

    page: str
    address: str
    key: str
    parent: str | None = None


@dataclass(slots=True)
class Extraction:
    """Everything that one document says.

    ``triples`` are N-Triples statements without the final dot; ``tops`` the objects (predicate and IRI, as
    N-Triples text) that hang from the page's parents; ``entries`` identify what a list shows wherever it is shown;
    ``unread`` names target pages (with the parent) whose links should have been there and were not.
    """

    triples: list[str] = field(default_factory=list)
    tops: list[tuple[str, str]] = field(default_factory=list)
    follows: list[Follow] = field(default_factory=list)
    entries: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    unread: list[tuple[str | None, str]] = field(default_factory=list)
    next_address: str | None = None
    next_clicks: bool = False
    stated_total: int | None = None
    found: int = 0
    complete_entries: int = 0

    @property
    def is_bare(self) -> bool:
        """Whether no link and no object with all it must have was found: what scripts bring may be missing."""
        return self.complete_entries == 0


@dataclass(frozen=True, slots=True)
class Trace:
    """How one value of an object came about: what the path found, and its raw text; neither if nothing is there.

    The path was evaluated at ``root``, the root element of the object, inside ``outer``, that of the enclosing one.
    """

    subject: str
    item: Item
    root: Element
    outer: Element
    plan: PropertyPlan
    match: Match | None
    raw: str | None


def extract(plan: PagePlan, document: Document, traces: list[Trace] | None = None) -> Extraction:
    """Read one document as the page that ``plan`` describes; ``traces`` gets what became of every property."""
    return _Reading(plan.page, document, traces).read(plan)


class _Reading:
    """One document being read; holds what every rule needs."""

    __slots__ = ("address", "document", "page", "result", "traces")

    def __init__(self, page: Page, document: Document, traces: list[Trace] | None) -> None:
        self.page = page
        self.document = document
        self.address = clean_address(document.address, page.params)
        self.result = Extraction()
        self.traces = traces

    def read(self, plan: PagePlan) -> Extraction:
        root = self.document.root
        if plan.item is not None:
            self._read_objects(plan, plan.item, root)
        else:
            self._read_links(plan, root, parent=None)
        self._read_navigation(plan, root)
        return self.result

    def _read_objects(self, plan: PagePlan, item: ItemPlan, root: Element) -> None:
        elements = list(self._elements(item.path, root, root, root))
        self.result.found = len(elements)
        if isinstance(plan.page, ObjectPage):
            if not elements:
                self._problem(ProblemKind.NO_ROOT, "the root element of the object is not there", path=item.item.path)
            elements = elements[:1]
        for element in elements:
            address = self.address if isinstance(plan.page, ObjectPage) else None
            if written := self._read_object(plan, item, element, root, address):
                self.result.tops.append((item.predicate, written))

    def _read_object(
        self, plan: PagePlan, item: ItemPlan, element: Element, outer: Element, address: str | None
    ) -> str | None:
        """Read one object and everything nested in it; gives its name, or nothing when it has no value."""
        raw_values: list[tuple[str, str]] = []
        values: list[str] = []
        lacking: list[Problem] = []
        for prop in item.properties:
            raws = self._raw_values(prop, element, outer)
            if not raws and not prop.property.optional:
                lacking.append(self._missing(prop))
            for raw in raws:
                if prop.is_key:
                    raw_values.append((prop.property.iri, raw))
                term = prop.pipeline.term(raw, self.document.base)
                if isinstance(term, Misfit):
                    lacking.append(self._misfit(prop, raw, term))
                else:
                    values.append(f"{prop.predicate} {term}")
        subject = address or self._identify(plan, item, element, outer, raw_values)
        if self.traces is not None:
            self.traces += self._trace(subject, item, element, outer)
        if not values and item.properties:
            # One problem says that everything is missing; what was there and did not fit is worth its own.
            lacking = [problem for problem in lacking if problem.kind is ProblemKind.MISFIT]
            self.result.problems += [_with_subject(problem, subject) for problem in lacking]
            self._problem(ProblemKind.NO_VALUES, "the object has no value and is not written", subject=subject)
            return None
        self.result.problems += [_with_subject(problem, subject) for problem in lacking]
        if plan.page is self.page:
            self.result.complete_entries += not lacking
        name = ntriples.iri(subject)
        self.result.triples += [f"{name} {value}" for value in values]
        if item.type_triple:
            self.result.triples.append(f"{name} {item.type_triple}")
        if plan.page is self.page and not isinstance(plan.page, ObjectPage):
            self.result.entries.append(subject.rpartition("#")[2] if item.id_path is None else subject)
        self._read_nested(plan, element, outer, subject, name)
        return name

    def _read_nested(self, plan: PagePlan, element: Element, outer: Element, subject: str, name: str) -> None:
        for link in plan.links:
            self._read_link(link, element, outer, subject)
        for sub in plan.subs:
            if sub.item is None:
                self._read_links(sub, element, parent=subject)
                continue
            elements = list(self._elements(sub.item.path, element, element, element))
            if isinstance(sub.page, ObjectPage):
                if not elements:
                    self._problem(
                        ProblemKind.NO_ROOT,
                        "the root element of the nested object is not there",
                        subject=subject,
                        path=sub.item.item.path,
                    )
                elements = elements[:1]
            for nested in elements:
                if written := self._read_object(sub, sub.item, nested, element, None):
                    self.result.triples.append(f"{name} {sub.item.predicate} {written}")

    def _read_links(self, plan: PagePlan, context: Element, parent: str | None) -> None:
        """The links of a links page, at the top or nested in an object."""
        page = plan.page
        assert isinstance(page, LinksPage)
        assert plan.entries is not None
        for match in self.document.select(plan.entries, context, outer=context, root=context):
            if parent is None:
                self.result.found += 1
            follow = self._follow(match, page.target, plan.target_params, parent, page.path)
            if follow is not None and parent is None:
                self.result.complete_entries += 1
                self.result.entries.append(follow.key)
        for link in plan.links:
            self._read_link(link, context, context, parent)

    def _read_link(self, link: LinkPlan, element: Element, outer: Element, parent: str | None) -> None:
        matches = self.document.select(link.path, element, outer=outer, root=element)
        if parent is None:
            self.result.found += len(matches)
            self.result.complete_entries += len(matches)
        for match in matches:
            self._follow(match, link.link.target, link.target_params, parent, link.link.path)
        if not matches and not link.link.optional:
            self._problem(
                ProblemKind.NO_LINK,
                f"the link {link.link.iri} is not there; mark it :optional if it may be missing",
                subject=parent,
                path=link.link.path,
            )
            self.result.unread.append((parent, link.link.target))

    def _follow(
        self, match: Match, target: str, target_params: tuple[str, ...], parent: str | None, path: str
    ) -> Follow | None:
        address = address_of(match, self.document.base)
        if address is None:
            self._problem(
                ProblemKind.BAD_ADDRESS,
                "the link element has no http address",
                subject=parent,
                path=path,
                raw=self.document.text_of(match),
            )
            self.result.unread.append((parent, target))
            return None
        follow = Follow(target, address, clean_address(address, target_params), parent)
        self.result.follows.append(follow)
        return follow

    def _read_navigation(self, plan: PagePlan, root: Element) -> None:
        """The next button and the number of results that the page itself states."""
        if plan.next is not None and (buttons := self.document.select(plan.next, root, outer=root, root=root)):
            self.result.next_address = address_of(buttons[0], self.document.base)
            if self.result.next_address and _is_jump(buttons[0], self.result.next_address, self.document.address):
                self.result.next_address = None
            self.result.next_clicks = self.result.next_address is None
        if plan.total is not None and (totals := self.document.select(plan.total, root, outer=root, root=root)):
            number = _NUMBER.search(self.document.text_of(totals[0]))
            self.result.stated_total = int(regex.sub(r"\D", "", number[0])) if number else None

    def _identify(
        self, plan: PagePlan, item: ItemPlan, element: Element, outer: Element, raw_values: list[tuple[str, str]]
    ) -> str:
        """The IRI of an object that is not the page itself: its ``:id`` link, else a hash of its raw values."""
        if item.id_path is not None:
            matches = self.document.select(item.id_path, element, outer=outer, root=element)
            address = address_of(matches[0], self.document.base) if matches else None
            if address is not None:
                return clean_address(address, plan.page.params)
            self._problem(
                ProblemKind.BAD_ADDRESS,
                "the link that :id names is not there or has no address; the object is named by its values instead",
                path=item.item.id_path,
            )
        return f"{clean_address(self.address, plan.page.params)}#{object_hash(raw_values)}"

    def _raw_values(self, prop: PropertyPlan, element: Element, outer: Element) -> list[str]:
        matches = self._matches(prop, element, outer)
        attribute = prop.property.attribute
        if attribute is None:
            text_of = self.document.text_of
            return [text_of(match) for match in matches]
        return [value for match in matches if (value := attribute_of(match, attribute)) is not None]

    def _matches(self, prop: PropertyPlan, element: Element, outer: Element) -> list[Match]:
        matches = self.document.select(prop.path, element, outer=outer, root=element)
        return matches if prop.property.multiple else matches[:1]

    def _trace(self, subject: str, item: ItemPlan, element: Element, outer: Element) -> Iterator[Trace]:
        for prop in item.properties:
            attribute = prop.property.attribute
            matches = self._matches(prop, element, outer)
            for match in matches:
                raw = self.document.text_of(match) if attribute is None else attribute_of(match, attribute)
                yield Trace(subject, item.item, element, outer, prop, match, raw)
            if not matches:
                yield Trace(subject, item.item, element, outer, prop, None, None)

    def _elements(self, path: Path, context: Element, outer: Element, root: Element) -> Iterator[Element]:
        for match in self.document.select(path, context, outer=outer, root=root):
            if isinstance(match, etree._Element):
                yield match

    def _missing(self, prop: PropertyPlan) -> Problem:
        what = f"its attribute {prop.property.attribute}" if prop.property.attribute else "the element"
        return Problem(
            ProblemKind.MISSING,
            self.document.address,
            self.page.iri,
            f"{what} is not there; mark the property :optional if it may be missing",
            property=prop.property.iri,
            path=prop.property.path,
        )

    def _misfit(self, prop: PropertyPlan, raw: str, misfit: Misfit) -> Problem:
        return Problem(
            ProblemKind.MISFIT,
            self.document.address,
            self.page.iri,
            misfit.reason,
            property=prop.property.iri,
            path=prop.property.path,
            raw=raw,
        )

    def _problem(
        self,
        kind: ProblemKind,
        reason: str,
        *,
        subject: str | None = None,
        path: str | None = None,
        raw: str | None = None,
    ) -> None:
        self.result.problems.append(
            Problem(kind, self.document.address, self.page.iri, reason, subject=subject, path=path, raw=raw)
        )


def _with_subject(problem: Problem, subject: str) -> Problem:
    return Problem(
        problem.kind,
        problem.address,
        problem.page,
        problem.reason,
        subject=subject,
        property=problem.property,
        path=problem.path,
        raw=problem.raw,
    )


def _is_jump(button: Match, address: str, current: str) -> bool:
    """Whether a button only leads to a place on the same page, so that a script must do the rest."""
    target, hash_sign, _ = address.partition("#")
    # A lone "#" leaves no trace in the resolved address; the link may be around the button or inside it.
    lone = button.strip() == "#" if isinstance(button, str) else bool(_JUMPS(button))
    return target == current.partition("#")[0] and (bool(hash_sign) or lone)
