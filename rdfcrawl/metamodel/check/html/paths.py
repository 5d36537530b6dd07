"""Finds paths that cannot match anything in a document built by an HTML parser.

A path that cannot be parsed is not checked. Neither are the paths of a page that asks for elements that HTML does not
have, because it is read from XML.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property
from typing import Final
from urllib.parse import urlsplit

from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.check.addresses import without_address
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.html import elements as html
from rdfcrawl.metamodel.check.html import steps
from rdfcrawl.metamodel.check.html.steps import LocationPath, ReadXPath, XPathExpression, XPathStep, read_steps
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.statements.description import Description

_IN_THE_BROWSER: Final = ("waitFor", "click", "more", "submit", "success")
"""Paths that only the browser evaluates, starting at the document; there case makes no difference."""
_PATHS: Final = ("path", "id", "next", "total", "follow", *_IN_THE_BROWSER)
_ON_THE_SAME_PAGE: Final = ("sub", "item", "property", "link")

_OF_CSV: Final = re.compile(r"^\s*/table\b|\bt[dh]\s*\[\s*@name\b")
"""Paths that only CSV has something for: a table as the root element, or cells with a name."""
_SURELY_HTML: Final = html.names("a button div form h1 h2 h3 h4 h5 h6 img li main nav ol p span ul")
"""If a path starts at the root element, only such a name shows that the page is HTML."""

Names = frozenset[str] | None
"""The names that an element can have; ``None`` if nothing is known about it."""

_NOTHING: Final[frozenset[str]] = frozenset()
_ROOT: Final = frozenset(("html",))
_DOCUMENT: Final = frozenset((html.DOCUMENT_NODE,))


@dataclass(frozen=True, slots=True)
class Impossible:
    """A step that never matches; ``starts`` if the path begins with it, so that ``above`` is not in the path."""

    above: frozenset[str]
    test: str
    deep: bool
    starts: bool


def paths_without_matches(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A warning for each path that never matches in HTML, and for each ``:id`` that has no address."""
    pages = _Pages(description)
    for resource in sorted(pages.of_html, key=str):
        for term in _PATHS:
            for value in description.values(resource, term):
                xpath = read_steps(str(value))
                if xpath is None or not html.FOREIGN.isdisjoint(xpath.elements):
                    continue
                for message, advice in _faults(xpath, pages.start(resource, term), term):
                    yield reporter.warning(resource, message, advice, term=term, value=value)
        for value in description.values(resource, "attribute"):
            for message, advice in _capitals((), (str(value),)):
                yield reporter.warning(resource, message, advice, term="attribute", value=value)


def _faults(xpath: ReadXPath, start: Names, term: str) -> Iterator[tuple[str, str]]:
    capitals = () if term in _IN_THE_BROWSER else tuple(_capitals(xpath.elements, xpath.attributes))
    yield from capitals
    # The tables have no names with capital letters.
    if not any(name != name.lower() for name in xpath.elements):
        yield from map(_explain, impossible_steps(xpath.whole, start))
    if term == "id" and not capitals and (fault := without_address(xpath.whole)):
        yield fault


def _capitals(elements: tuple[str, ...], attributes: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Names with capital letters, unless the path also has the name in lower case."""
    for name in dict.fromkeys(elements):
        if name != name.lower() and name.lower() not in elements:
            yield f"HTML parsers convert names to lower case, so there is no element {name}", f"write {name.lower()}"
    for name in dict.fromkeys(attributes):
        if name != name.lower() and name.lower() not in attributes and _is_lowered(name):
            yield f"HTML parsers convert names to lower case, so there is no attribute {name}", f"write {name.lower()}"


def _is_lowered(attribute: str) -> bool:
    return attribute.isascii() and ":" not in attribute and attribute not in html.CAPITAL_ATTRIBUTES


def impossible_steps(expression: XPathExpression, start: Names) -> tuple[Impossible, ...]:
    """The steps that keep an expression that starts at such an element from matching anything."""
    found: list[Impossible] = []
    for union in expression.unions:
        branches = [tuple(_steps_in_vain(path, start)) for path in union]
        if all(branches):
            found += (step for branch in branches for step in branch)
    return tuple(dict.fromkeys(found))


def end_names(expression: XPathExpression, start: Names) -> Names:
    """The names of the elements that an expression ends at."""
    if not expression.is_union or not expression.unions:
        return None
    names: Names = _NOTHING
    for path in expression.unions[0]:
        at = _start_names(path, start)
        for step in path.steps:
            at = _names_after(step, at)
        names = _either(names, at)
    return names


def _steps_in_vain(path: LocationPath, start: Names) -> Iterator[Impossible]:
    if isinstance(path.start, XPathExpression):
        yield from impossible_steps(path.start, start)
    at = _start_names(path, start)
    starts = path.start == steps.CONTEXT
    for step in path.steps:
        if at and _finds_nothing(step, at, starts=starts):
            yield Impossible(at, step.test, step.deep or step.axis == "descendant", starts)
        at = _names_after(step, at)
        starts = starts and step.axis == "self" and step.test == "node()"
        for predicate in step.predicates:
            # A predicate is evaluated in an element that the path names, unless the path is only a dot.
            yield from (
                Impossible(one.above, one.test, one.deep, one.starts and starts)
                for one in impossible_steps(predicate, at)
            )


def _start_names(path: LocationPath, start: Names) -> Names:
    if isinstance(path.start, XPathExpression):
        return end_names(path.start, start)
    return {steps.DOCUMENT: _DOCUMENT, steps.CONTEXT: start}.get(path.start)


def _names_after(step: XPathStep, at: Names) -> Names:
    if step.axis == "self" and step.test == "node()":
        return None if step.deep else at
    if at == _DOCUMENT and step.test == "table" and not step.deep:
        # A table as the root element is not HTML.
        return None
    is_name = step.axis != "attribute" and not step.test.endswith(("*", ")"))
    return frozenset((step.test,)) if is_name else None


def _finds_nothing(step: XPathStep, at: frozenset[str], *, starts: bool) -> bool:
    if step.axis not in ("child", "descendant") or (step.test.endswith(("*", ")")) and step.test != html.TEXT):
        return False
    # The path does not say that the root element is html: a name that XML also has proves nothing.
    if starts and at & (_ROOT | _DOCUMENT) and step.test not in _SURELY_HTML:
        return False
    deep = step.deep or step.axis == "descendant"
    return all(html.never_inside(above, step.test, deep=deep) for above in at)


def _explain(step: Impossible) -> tuple[str, str]:
    thing = "text" if step.test == html.TEXT else step.test
    if step.above == _DOCUMENT:
        advice = f"write /html/{step.test}" if step.test in ("head", "body") else f"write //{step.test}"
        return f"the root element of an HTML page is html, never {thing}", advice
    holder = " or ".join(sorted(step.above))
    directly = "" if step.deep else "directly "
    begins = ", where this path starts" if step.starts else ""
    return f"an HTML parser never puts {thing} {directly}into {holder}{begins}", _advice(step)


def _advice(step: Impossible) -> str:
    above = min(step.above)
    written = "." if step.starts else above
    if step.test in ("html", "head", "body"):
        return "write /html" if step.test == "html" else f"write /html/{step.test}"
    if html.has_no_elements(above):
        return (
            f"end at {above}, whose content is text"
            if above in html.TEXT_ELEMENTS
            else f"name the element around {above}, which has no content"
        )
    if step.test == above:
        return f"name one {above} only, or write {written}//{above} for those of a nested table"
    if above in ("head", "colgroup", "frameset"):
        return f"write //{step.test}, or name the element around it"
    way = html.way_between(above, step.test) if len(step.above) == 1 else None
    return f"write {f'{written}/{way}/{step.test} or ' if way else ''}{written}//{step.test}"


def _either(one: Names, other: Names) -> Names:
    return None if one is None or other is None else one | other


class _Pages:
    """Which resources are read from HTML, and at which elements their relative paths start."""

    def __init__(self, description: Description) -> None:
        self._description = description
        self._ends: dict[Node, Names] = {}

    @cached_property
    def of_html(self) -> set[Node]:
        """The resources that are only used on pages whose paths name only elements of HTML."""
        html_pages: set[Node] = set()
        others: set[Node] = set()
        for page in self._visited:
            together = self._read_together(page)
            (html_pages if self._asking_for_others.isdisjoint(together) else others).update(together)
        return html_pages - others

    def start(self, resource: Node, term: str) -> Names:
        """The names of the elements that a relative path starts at."""
        if term in _IN_THE_BROWSER:
            return _DOCUMENT
        kind = self._description.kinds.get(resource)
        if kind == "Property":
            return self._roots(self._users["property"].get(resource, []))
        if kind == "Item" and term == "id":
            return self._roots([resource])
        if kind == "Item":
            return self._around(self._users["item"].get(resource, []))
        if kind == "Link":
            return self._inside(self._users["link"].get(resource, []))
        return self._around([resource]) if term == "path" else _ROOT

    @cached_property
    def _visited(self) -> set[Node]:
        return {page for term in ("page", "target") for _, page in self._description.with_term(term)}

    @cached_property
    def _users(self) -> dict[str, dict[Node, list[Node]]]:
        """The resources that have a resource as nested page, item, property or link."""
        users: dict[str, dict[Node, list[Node]]] = {}
        for term in _ON_THE_SAME_PAGE:
            users[term] = {}
            for user, value in self._description.with_term(term):
                users[term].setdefault(value, []).append(user)
        return users

    def _read_together(self, page: Node) -> set[Node]:
        together: set[Node] = set()
        waiting = [page]
        while waiting:
            resource = waiting.pop()
            if resource not in together:
                together.add(resource)
                waiting += (one for term in _ON_THE_SAME_PAGE for one in self._description.values(resource, term))
        return together

    @cached_property
    def _asking_for_others(self) -> set[Node]:
        """The resources with a path that names elements that HTML does not have, or the tables of CSV."""
        asking = self._of_csv
        for resource, value in ((one, value) for term in _PATHS for one, value in self._description.with_term(term)):
            xpath = read_steps(str(value))
            if xpath and html.FOREIGN.isdisjoint(xpath.elements) and not all(map(html.is_element, xpath.elements)):
                asking.add(resource)
        return asking

    @property
    def _of_csv(self) -> set[Node]:
        """The resources that are read from CSV, where rows are directly in their table."""
        description = self._description
        found = {one for one, path in description.with_term("path") if _OF_CSV.search(str(path))}
        found |= {
            page
            for section, page in description.with_term("page")
            if urlsplit(str(section)).path.lower().endswith(".csv")
        }
        for one, path in description.with_term("path"):
            if ".csv" in str(path).lower():
                found.update(description.values(one, "target"))
        return found

    def _around(self, pages: list[Node]) -> Names:
        """The elements in which the items or links of these pages are searched."""
        names: Names = _NOTHING
        for page in pages:
            if page in self._visited:
                names = _either(names, _ROOT)
            for outer in self._users["sub"].get(page, []):
                names = _either(names, self._roots(list(self._description.values(outer, "item"))))
        return names

    def _inside(self, pages: list[Node]) -> Names:
        """The elements in which the links of these pages are searched: the objects, else the page itself."""
        names: Names = _NOTHING
        for page in pages:
            items = list(self._description.values(page, "item"))
            names = _either(names, self._roots(items) if items else self._around([page]))
        return names

    def _roots(self, items: list[Node]) -> Names:
        names: Names = _NOTHING
        for item in items:
            if item not in self._ends:
                self._ends[item] = None
                self._ends[item] = self._root(item)
            names = _either(names, self._ends[item])
        return names

    def _root(self, item: Node) -> Names:
        names: Names = _NOTHING
        around = self._around(self._users["item"].get(item, []))
        for path in self._description.values(item, "path"):
            xpath = read_steps(str(path))
            names = _either(names, end_names(xpath.whole, around) if xpath else None)
        return names
