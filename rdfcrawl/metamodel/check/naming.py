"""Rules about what names an object: ``:key``, ``:id`` and ``:iri``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rdflib import URIRef
from rdflib.term import Node

from rdfcrawl.expressions.templates import Template, TemplateError, filled, parse_template, placeholders
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rule import Rule, is_true, strings
from rdfcrawl.metamodel.names import closest
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.rdf.names import expand

_IRI: Final = re.compile(r"""[A-Za-z][A-Za-z0-9+.-]*:[^\s<>"{}|\\^`]+""")
_EXAMPLE: Final = "https://data.example.org/book/{book:isbn}"


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
        if not keys or description.values(item, "id") or not all(is_true(description, key, "optional") for key in keys):
            continue
        names = ", ".join(reporter.show(key) for key in keys)
        message = (
            f"all properties of the key are optional ({names}), so the key cannot name an object without them"
            if len(keys) > 1
            else f"{names} is optional, so the key cannot name an object without it"
        )
        advice = "add a property that every object has, or remove :optional from one"
        yield reporter.warning(item, message, advice, term="key", value=keys[0])


def _ids_are_on_objects_pages(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for item, value in description.with_term("id"):
        kinds = {description.page_kind(page) for page, its_item in description.with_term("item") if its_item == item}
        if kinds and all(kind is not None and kind.address_names_object for kind in kinds):
            message = "this item is only used on an object page, whose address is the object's IRI"
            yield reporter.error(
                item, message, "remove it, or use the item on a page of type:objects", term="id", value=value
            )


def _templates_name_objects(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for item, value in strings(description, "iri"):
        try:
            template = parse_template(str(value))
        except TemplateError as error:
            advice = f"put each property into a pair of braces: {_EXAMPLE}"
            yield reporter.error(item, str(error), advice, term="iri", value=value)
            continue
        for message, advice in (*_faults(template), *_placeholder_faults(description, reporter, item, template)):
            yield reporter.error(item, message, advice, term="iri", value=value)
        for message, advice in _doubts(description, reporter, item, template):
            yield reporter.warning(item, message, advice, term="iri", value=value)


def _faults(template: Template) -> Iterator[tuple[str, str]]:
    if not placeholders(template):
        yield "the template has no property, so all objects would have the same IRI", f"add one in braces: {_EXAMPLE}"
    elif not isinstance(template[0], str) or not _IRI.fullmatch(filled(template, lambda name: "x")):
        yield "what the template makes is not an absolute IRI", f"begin with a scheme and leave out spaces: {_EXAMPLE}"


def _placeholder_faults(
    description: Description, reporter: Reporter, item: Node, template: Template
) -> Iterator[tuple[str, str]]:
    properties = description.values(item, "property")
    for name in placeholders(template):
        prefix, _, rest = name.partition(":")
        if not rest.startswith("//") and prefix not in reporter.source.prefixes:
            yield f"the prefix {prefix}: in {{{name}}} is not declared", "declare it, or write the IRI of the property"
        elif URIRef(expand(name, reporter.source.prefixes)) not in properties:
            meant = closest(name, [reporter.show(prop) for prop in properties])
            advice = f"did you mean {meant}?" if meant else "name one of the item's own properties"
            yield f"{name} is not a property of this item", advice


def _doubts(description: Description, reporter: Reporter, item: Node, template: Template) -> Iterator[tuple[str, str]]:
    for name in placeholders(template):
        prop = URIRef(expand(name, reporter.source.prefixes))
        if is_true(description, prop, "optional"):
            yield (
                f"{name} is optional, so the template cannot name an object without it",
                "use a property that every object has, or remove :optional",
            )
        elif is_true(description, prop, "multiple") or description.values(prop, "split"):
            yield f"{name} can have several values; only the first one counts here", "use a property with one value"


def _names_do_not_compete(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for item, value in strings(description, "iri"):
        for other in ("id", "key"):
            if description.values(item, other):
                message = f"the item is named by :iri and by {reporter.show_term(other)}"
                yield reporter.error(item, message, "keep one of them", term="iri", value=value)


RULES: Final[tuple[Rule, ...]] = (
    _keys_are_properties,
    _keys_are_always_there,
    _ids_are_on_objects_pages,
    _templates_name_objects,
    _names_do_not_compete,
)
