"""The rules that SHACL cannot express: expressions that must compile, formats, relations between resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rdflib import Literal, URIRef
from rdflib.term import Node

from rdfcrawl.metamodel.alerts import rules as alerts
from rdfcrawl.metamodel.check import conversions, criteria, forms, naming, xpath
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.patterns import PatternError, check_replacement, compile_pattern
from rdfcrawl.metamodel.check.recognisers import recognisers_are_there, recognisers_stand_alone
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rule import Rule, strings
from rdfcrawl.metamodel.statements.description import MODEL, REFERENCES, Description
from rdfcrawl.metamodel.statements.notation import RELATIVE_BASE
from rdfcrawl.metamodel.vocabulary import known_term
from rdfcrawl.rdf import terms

_OBJECT_PATHS: Final = ("path", "id")
"""XPaths that are evaluated for an object, so that ``$outer`` and ``$root`` are defined."""
_PAGE_PATHS: Final = ("next", "total", "follow", "found")
_BROWSER_PATHS: Final = ("waitFor", "click", "more", "submit", "success")
_OF_LISTS: Final = ("next", "total")
_OF_VISITS: Final = ("wait", "scroll", "waitFor", "click", "more", "render", "load", "fill", "submit")

_MOST_WAYS: Final = 10_000

_IRI: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*""")
_USER: Final = re.compile(r"(https?://)[^/?#\\]*@", re.IGNORECASE)


def broken_rules(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """All findings of the rules in this module."""
    for rule in (*_RULES, *conversions.RULES, *naming.RULES, *forms.RULES, *criteria.RULES, *alerts.RULES):
        yield from rule(description, reporter)


def _there_is_a_model(description: Description, reporter: Reporter) -> Iterator[Finding]:
    if MODEL not in description.resources:
        advice = "start with <model:> :section <https://example.org/list> ."
        yield reporter.error(MODEL, "the model has no <model:>", advice)


def _terms_are_known(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource, predicate, value in description.unknown:
        term = str(predicate).removeprefix(terms.METAMODEL)
        meant = known_term(term)
        advice = f"did you mean {reporter.show_term(meant)}?" if meant else "see the reference for the known terms"
        yield reporter.error(resource, "the metamodel has no such term", advice, term=term, value=value)


def _names_are_absolute(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource in description.resources:
        if isinstance(resource, URIRef) and (wrong := _wrong_iri(resource, reporter)):
            yield reporter.error(resource, *wrong)
    for term in ("as", "class", "type", "address", *REFERENCES):
        for resource, value in description.with_term(term):
            described = value in description.resources
            if isinstance(value, URIRef) and not described and (wrong := _wrong_iri(value, reporter)):
                yield reporter.error(resource, *wrong, term=term, value=value)


def _wrong_iri(iri: URIRef, reporter: Reporter) -> tuple[str, str] | None:
    if iri.startswith(RELATIVE_BASE):
        name = iri.removeprefix(RELATIVE_BASE)
        return (
            f"{reporter.show(iri)} is a relative name",
            f"write an absolute IRI, such as <item://{name}>, or add @base",
        )
    if not _IRI.fullmatch(iri):
        return f"<{iri}> is not an IRI", 'leave out spaces and the characters < > " { } | \\ ^ `'
    return None


def _addresses_hold_no_secret(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Addresses are recorded and shown; so this message shows the rest of one only."""
    for section in description.values(MODEL, "section"):
        if (match := _USER.match(str(section))) is not None:
            plain = f"{match[1]}{str(section)[match.end() :]}"
            yield reporter.error(
                MODEL,
                f"the address of the section <{plain}> has a user or password in it",
                'leave it out; a header can hold it: :header "Authorization: env:RDFCRAWL_SECRET_SHOP"',
                term="section",
                value=section,
            )


def _xpaths_compile(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for term in (*_OBJECT_PATHS, *_PAGE_PATHS, *_BROWSER_PATHS):
        for resource, value in strings(description, term):
            for fault in _faults_of(term, description.kinds.get(resource), str(value)):
                yield reporter.error(resource, fault.message, fault.advice, term=term, value=value)


def _faults_of(term: str, kind: str | None, expression: str) -> tuple[xpath.XPathFault, ...]:
    if term in _BROWSER_PATHS or kind == "Fill":
        return xpath.faults(expression, (), in_browser=True)
    variables = xpath.OBJECT_VARIABLES if term in _OBJECT_PATHS else xpath.PAGE_VARIABLES
    is_value = term in ("total", "found") or (term == "path" and kind == "Property")
    is_address = term in ("id", "next") or kind in ("Page", "Link")
    return xpath.faults(expression, variables, nodes=not is_value, addresses=is_address)


def _patterns_compile(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for term in ("pattern", "old", "split", "skip", "matches"):
        for resource, value in strings(description, term):
            try:
                compile_pattern(str(value))
            except PatternError as error:
                yield reporter.error(resource, error.message, error.advice, term=term, value=value)


def _references_have_groups(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource, new in strings(description, "new"):
        old = description.values(resource, "old")
        if len(old) != 1 or not isinstance(old[0], Literal):
            continue
        try:
            expression = compile_pattern(str(old[0]))
        except PatternError:
            continue
        try:
            check_replacement(str(new), expression)
        except PatternError as error:
            yield reporter.error(resource, error.message, error.advice, term="new", value=new)


def _orders_differ(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Without different numbers the order of the replacements is undefined."""
    for resource in description.resources:
        replacements = description.values(resource, "replace")
        if len(replacements) < 2:
            continue
        seen: dict[str, Node] = {}
        for replacement in sorted(replacements, key=lambda node: _position(reporter, resource, node)):
            orders = description.values(replacement, "order")
            order = str(orders[0]) if orders else "no"
            if order not in seen:
                seen[order] = replacement
            elif orders:
                advice = "give each replacement of a property a different number"
                yield reporter.error(
                    replacement, f"the number {order} is used twice", advice, term="order", value=orders[0]
                )
            else:
                advice = "number the replacements of a property: :order 1, :order 2"
                yield reporter.error(replacement, "two replacements have no number", advice, term="order")


def _position(reporter: Reporter, resource: Node, replacement: Node) -> tuple[int, int]:
    statement = (resource, URIRef(terms.METAMODEL + "replace"), replacement)
    place = reporter.source.statements.get(statement)
    return (place.line, place.column) if place else (0, 0)


def _nesting_ends(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for circle in _circles(description):
        names = " → ".join(reporter.show(page) for page in (*circle, circle[0]))
        advice = "use :link for one of them, or nest it once"
        successor = circle[1] if len(circle) > 1 else circle[0]
        yield reporter.error(circle[0], f"the nesting is endless: {names}", advice, term="sub", value=successor)


def _nesting_is_small(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Each way through nested pages is read on its own; where pages share what they nest, ways multiply."""
    if any(True for _ in _circles(description)):
        return
    ways: dict[Node, int] = {}
    waiting = list(description.resources)
    while waiting:
        page = waiting[-1]
        subs = description.values(page, "sub")
        if page in ways or not (unknown := [sub for sub in subs if sub not in ways]):
            ways.setdefault(page, 1 + sum(ways[sub] for sub in subs))
            waiting.pop()
        else:
            waiting += unknown
    for page, count in ways.items():
        # Only the innermost of the pages that have too many: the others have them because of it.
        if count > _MOST_WAYS and all(ways[sub] <= _MOST_WAYS for sub in description.values(page, "sub")):
            message = f"the nested pages can be reached in {count:,} ways; {_MOST_WAYS:,} are the most"
            yield reporter.error(page, message, "nest each page in one other page", term="sub")


def _visits_have_an_address(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A nested page is a part of the page around it: it is not visited, so nothing can be done with it alone."""
    visited = {page for term in ("page", "target") for _, page in description.with_term(term)}
    outer = {sub: page for page, sub in reversed(list(description.with_term("sub"))) if sub not in visited}
    for term in (*_OF_LISTS, *_OF_VISITS):
        for page, value in description.with_term(term):
            if page in outer:
                message = f"this has no effect on a page that is only nested, in {reporter.show(outer[page])}"
                advice = (
                    "use a :link to the list at its own address, or remove it"
                    if term in _OF_LISTS
                    else "move it to the page that has the address, or remove it"
                )
                yield reporter.warning(page, message, advice, term=term, value=value)


def _sites_are_visited(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A site begins at an address: it cannot be a part of another page."""
    for page, sub in description.with_term("sub"):
        kind = description.page_kind(sub)
        if kind is not None and kind.is_survey:
            message = f"{reporter.show(sub)} is a site page, which cannot be nested"
            yield reporter.error(page, message, "use a :link that leads to it", term="sub", value=sub)


def _sites_nest_in_their_item(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """What is nested in the pages of a site, or linked from them, is looked for inside their item."""
    for term in ("sub", "link"):
        for page, value in description.with_term(term):
            kind = description.page_kind(page)
            if kind is not None and kind.is_survey and not description.values(page, "item"):
                message = f"a :{term} of a site page is looked for inside its :item, and there is none"
                yield reporter.error(
                    page, message, "describe what is read from every page: :item", term=term, value=value
                )


def _circles(description: Description) -> Iterator[tuple[Node, ...]]:
    """Each cycle of ``:sub`` once, starting with its first page."""
    done: set[Node] = set()
    for start in description.resources:
        trail: list[Node] = []
        open_pages = [(start, 0)]
        while open_pages:
            page, depth = open_pages.pop()
            del trail[depth:]
            if page in trail:
                yield tuple(trail[trail.index(page) :])
            elif page not in done:
                trail.append(page)
                done.add(page)
                open_pages.extend((sub, depth + 1) for sub in reversed(description.values(page, "sub")))


_RULES: Final[tuple[Rule, ...]] = (
    _there_is_a_model,
    _terms_are_known,
    _names_are_absolute,
    _addresses_hold_no_secret,
    _xpaths_compile,
    _patterns_compile,
    _references_have_groups,
    _orders_differ,
    _nesting_ends,
    _nesting_is_small,
    _visits_have_an_address,
    _sites_are_visited,
    _sites_nest_in_their_item,
    recognisers_are_there,
    recognisers_stand_alone,
)
