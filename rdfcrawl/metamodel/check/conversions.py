"""Rules about how texts become values: datatypes, formats, locales and languages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from babel import Locale, UnknownLocaleError
from rdflib import Literal, URIRef
from rdflib.term import Node

from rdfcrawl.metamodel import formats
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rule import Rule, strings
from rdfcrawl.metamodel.names import closest
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.rdf import terms

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


def _datatypes_are_known(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Any IRI can be a datatype, but XSD has only those that it has."""
    for prop in description.of_kind("Property"):
        for value in description.values(prop, "type"):
            if not isinstance(value, URIRef) or _is_usable(str(value)):
                continue
            shown = reporter.show(value)
            if str(value) == terms.LANGUAGE_STRING:
                advice = 'say which language: :language "de"'
            else:
                meant = closest(shown, [reporter.show(URIRef(iri)) for iri in terms.XSD_DATATYPES])
                common = ", ".join(iri.removeprefix(terms.XSD) for iri in terms.DATATYPES[1:-1])
                advice = f"did you mean {meant}?" if meant else f"use xsd:string, {common} or gYear"
            yield reporter.error(prop, f"{shown} is not a datatype of the metamodel", advice, term="type", value=value)


def _is_usable(datatype: str) -> bool:
    return datatype in terms.XSD_DATATYPES or not datatype.startswith((terms.XSD, terms.TYPE, terms.LANGUAGE_STRING))


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
            if not dated and _is_usable(datatype):
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


def _formats_have_an_order(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Of several formats that fit a text the first one counts, so it must be said which one that is."""
    for prop in description.of_kind("Property"):
        given = description.values(prop, "format")
        if len(given) > 1 and (prop, "format") not in description.sequences.values:
            advice = 'write them as a list in the order in which they are tried: :format ( "…" "…" )'
            yield reporter.error(prop, f"{len(given)} formats have no order", advice, term="format", value=given[-1])


def _half_days_are_told(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for prop, value in strings(description, "format"):
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
    for resource, value in strings(description, "locale"):
        try:
            Locale.parse(str(value).replace("-", "_"))
        except (UnknownLocaleError, ValueError, TypeError):
            advice = 'write a language, with a country if needed: "de" or "en-GB"'
            yield reporter.error(resource, f'the locale "{value}" is not known', advice, term="locale", value=value)
        if not description.values(resource, "format"):
            message = "a locale has no effect without a format"
            yield reporter.warning(resource, message, "remove it or add :format", term="locale", value=value)


def _languages_fit(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for resource, value in strings(description, "language"):
        if str(value) != terms.STATED_LANGUAGE and not _LANGUAGE_TAG.fullmatch(str(value)):
            advice = 'write a BCP 47 tag, "de" or "pt-BR", or "@lang" for the language that the page states'
            yield reporter.error(resource, f'"{value}" is not a language tag', advice, term="language", value=value)
        datatype = _datatype(description, resource)
        if datatype != terms.STRING and _is_usable(datatype):
            message = f"a language cannot be used with the type {reporter.show(URIRef(datatype))}"
            advice = "remove it, or make the property an xsd:string"
            yield reporter.error(resource, message, advice, term="language", value=value)


def _datatype(description: Description, prop: Node) -> str:
    types = description.values(prop, "type")
    return str(types[0]) if types else terms.STRING


RULES: Final[tuple[Rule, ...]] = (
    _datatypes_are_known,
    _formats_fit,
    _formats_have_an_order,
    _half_days_are_told,
    _locales_are_known,
    _languages_fit,
)
