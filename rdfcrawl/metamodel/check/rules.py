"""The rules that SHACL cannot express: expressions that must compile, formats, relations between resources."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from babel import Locale, UnknownLocaleError
from rdflib import Literal, URIRef
from rdflib.term import Node

from rdfcrawl.metamodel import formats
from rdfcrawl.metamodel.check import xpath
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.patterns import PatternError, check_replacement, compile_pattern
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.names import closest
from rdfcrawl.metamodel.statements.description import MODEL, REFERENCES, Description
from rdfcrawl.metamodel.statements.notation import RELATIVE_BASE
from rdfcrawl.metamodel.vocabulary import known_term
from rdfcrawl.rdf import terms

_OBJECT_PATHS: Final = ("path", "id")
"""XPaths that are evaluated for an object, so that ``$outer`` and ``$root`` are defined."""
_PAGE_PATHS: Final = ("next", "total", "waitFor", "click", "more")
_OF_LISTS: Final = ("next", "total")
_OF_VISITS: Final = ("wait", "scroll", "waitFor", "click", "more", "render", "load")

_MOST_WAYS: Final = 10_000

_IRI: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]*""")
_USER: Final = re.compile(r"(https?://)[^/?#\\]*@", re.IGNORECASE)
_LANGUAGE_TAG: Final = re.compile(
    r"""(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})
        (?:-[a-z]{4})?
        (?:-(?:[a-z]{2}|\d{3}))?
        (?:-(?:[a-z0-9]{5,8}|\d[a-z0-9]{3}))*
        (?:-[a-wyz0-9](?:-[a-z0-9]{2,8})+)*
        (?:-x(?:-[a-z0-9]{1,8})+)?
      | x(?:-[a-z0-9]{1,8})+""",
    re.VERBOSE | re.IGNORECASE,
)

Rule = Callable[[Description, Reporter], Iterator[Finding]]


def broken_rules(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """All findings of the rules in this module."""
    for rule in _RULES:
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
    for term in ("as", "class", *REFERENCES):
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
    for term in (*_OBJECT_PATHS, *_PAGE_PATHS):
        variables = xpath.OBJECT_VARIABLES if term in _OBJECT_PATHS else ()
        for resource, value in _strings(description, term):
            is_value = term == "total" or (term == "path" and description.kinds.get(resource) == "Property")
            for fault in xpath.faults(str(value), variables, nodes=not is_value):
                yield reporter.error(resource, fault.message, fault.advice, term=term, value=value)


def _patterns_compile(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for term in ("pattern", "old"):
        for resource, value in _strings(description, term):
            try:
                compile_pattern(str(value))
            except PatternError as error:
                yield reporter.error(resource, error.message, error.advice, term=term, value=value)


def _references_have_groups(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource, new in _strings(description, "new"):
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


def _formats_fit(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for prop in description.of_kind("Property"):
        datatype = _datatype(description, prop)
        given = description.values(prop, "format")
        dated = datatype in terms.FORMATTED_DATATYPES
        if dated and not given:
            shown = reporter.show(URIRef(datatype))
            advice = f'say how the value is written: :format "{_example(datatype)}"'
            yield reporter.error(prop, f"a property of type {shown} needs a format", advice, term="format")
        for value in given:
            if not isinstance(value, Literal):
                continue
            if not dated and datatype in terms.DATATYPES:
                message = f"a format cannot be used with the type {reporter.show(URIRef(datatype))}"
                advice = "give the property the :type xsd:date, xsd:dateTime or xsd:time, or remove :format"
                yield reporter.error(prop, message, advice, term="format", value=value)
            for message, advice in _format_faults(str(value), datatype):
                yield reporter.error(prop, message, advice, term="format", value=value)


def _format_faults(text: str, datatype: str) -> Iterator[tuple[str, str]]:
    try:
        letters = formats.letters_of(formats.parse_format(text))
    except formats.FormatError as error:
        if error.letter is None:
            yield f"in the format {text} {error}", "close the quote, or write '' for a literal quote"
        else:
            quoted = "put literal letters between quotes"
            yield f"in the format {text} {error}", f"use {' '.join(formats.LETTERS)}; {quoted}: 'T'"
        return
    has_day = letters & formats.YEAR and (
        letters & formats.DAY_OF_YEAR or (letters & formats.MONTH and letters & formats.DAY)
    )
    if datatype in (terms.DATE, terms.DATE_TIME) and not has_day:
        yield f"the format {text} is not a full date", f"name year, month and day: {_example(datatype)}"
    elif datatype in (terms.TIME, terms.DATE_TIME) and not letters & formats.HOUR:
        yield f"the format {text} has no hour", f"name the hour: {_example(datatype)}"


def _half_days_are_told(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for prop, value in _strings(description, "format"):
        try:
            letters = formats.letters_of(formats.parse_format(str(value)))
        except formats.FormatError:
            continue
        if letters & formats.HALF_DAY_HOUR and "a" not in letters:
            message = f"the format {value} has hours up to 12 without am or pm"
            advice = "use H for hours from 0 to 23, or add a"
            yield reporter.warning(prop, message, advice, term="format", value=value)


def _example(datatype: str) -> str:
    return {terms.DATE: "dd.MM.yyyy", terms.TIME: "HH:mm"}.get(datatype, "yyyy-MM-dd'T'HH:mm:ss")


def _locales_are_known(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource, value in _strings(description, "locale"):
        try:
            Locale.parse(str(value).replace("-", "_"))
        except (UnknownLocaleError, ValueError, TypeError):
            advice = 'write a language, with a country if needed: "de" or "en-GB"'
            yield reporter.error(resource, f'the locale "{value}" is not known', advice, term="locale", value=value)
        if not description.values(resource, "format"):
            message = "a locale has no effect without a format"
            yield reporter.warning(resource, message, "remove it or add :format", term="locale", value=value)


def _languages_fit(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource, value in _strings(description, "language"):
        if not _LANGUAGE_TAG.fullmatch(str(value)):
            advice = 'write a BCP 47 tag: "de" or "pt-BR"'
            yield reporter.error(resource, f'"{value}" is not a language tag', advice, term="language", value=value)
        datatype = _datatype(description, resource)
        if datatype != terms.STRING and datatype in terms.DATATYPES:
            message = f"a language cannot be used with the type {reporter.show(URIRef(datatype))}"
            advice = "remove it, or make the property an xsd:string"
            yield reporter.error(resource, message, advice, term="language", value=value)


def _keys_are_properties(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for item, key in description.with_term("key"):
        properties = description.values(item, "property")
        if not isinstance(key, URIRef) or key in properties:
            continue
        meant = closest(reporter.show(key), [reporter.show(prop) for prop in properties])
        advice = f"did you mean {meant}?" if meant else "name one of the item's own properties"
        message = f"{reporter.show(key)} is not a property of this item"
        yield reporter.error(item, message, advice, term="key", value=key)


def _keys_are_always_there(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """An object cannot be named by a key without values. One value is enough, so the others may be optional."""
    for item in description.of_kind("Item"):
        keys = description.values(item, "key")
        if not keys or description.values(item, "id") or not all(_is_optional(description, key) for key in keys):
            continue
        names = ", ".join(reporter.show(key) for key in keys)
        message = (
            f"all properties of the key are optional ({names}), so the key cannot name an object without them"
            if len(keys) > 1
            else f"{names} is optional, so the key cannot name an object without it"
        )
        advice = "add a property that every object has, or remove :optional from one"
        yield reporter.warning(item, message, advice, term="key", value=keys[0])


def _is_optional(description: Description, prop: Node) -> bool:
    return any(
        isinstance(value, Literal) and value.toPython() is True for value in description.values(prop, "optional")
    )


def _ids_are_on_objects_pages(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for item, value in description.with_term("id"):
        kinds = {description.page_kind(page) for page, its_item in description.with_term("item") if its_item == item}
        if kinds and all(kind is not None and kind.address_names_object for kind in kinds):
            message = "this item is only used on an object page, whose address is the object's IRI"
            yield reporter.error(
                item, message, "remove it, or use the item on a page of type:objects", term="id", value=value
            )


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


def _strings(description: Description, term: str) -> Iterator[tuple[Node, Literal]]:
    for resource, value in description.with_term(term):
        if isinstance(value, Literal) and (value.datatype is None or str(value.datatype) == terms.STRING):
            yield resource, value


def _datatype(description: Description, prop: Node) -> str:
    types = description.values(prop, "type")
    return str(types[0]) if types else terms.STRING


_RULES: Final[tuple[Rule, ...]] = (
    _there_is_a_model,
    _terms_are_known,
    _names_are_absolute,
    _addresses_hold_no_secret,
    _xpaths_compile,
    _patterns_compile,
    _references_have_groups,
    _orders_differ,
    _formats_fit,
    _half_days_are_told,
    _locales_are_known,
    _languages_fit,
    _keys_are_properties,
    _keys_are_always_there,
    _ids_are_on_objects_pages,
    _nesting_ends,
    _nesting_is_small,
    _visits_have_an_address,
)
