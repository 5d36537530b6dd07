"""Puts what breaks the shipped SHACL shapes into words; every mistake becomes one finding."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from rdflib import BNode, Literal, URIRef
from rdflib.term import Node

from rdfcrawl.metamodel.alerts.alert import EVENTS
from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.shapes.validation import Breach, breaches
from rdfcrawl.metamodel.criteria import PARTS
from rdfcrawl.metamodel.kinds.site_page import SCOPES
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.names import closest
from rdfcrawl.metamodel.statements.description import REFERENCES, Description
from rdfcrawl.metamodel.vocabulary import kind_label, known_term, known_terms
from rdfcrawl.rdf import terms

_GRAVITY: Final = ("Closed", "MinCount", "NodeKind", "Datatype", "Class", "In", "Pattern", "MinInclusive", "MaxCount")
"""One value can violate several constraints for the same reason; the first of these describes it best."""

_LISTED: Final = {"scope": ("a scope", SCOPES), "in": ("a part", PARTS), "on": ("an event", EVENTS)}
"""The terms whose values are names of the metamodel, with what these are."""


def nonconformities(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """The findings of the shapes, one for each mistake."""
    gravest: dict[tuple[Node, str | None, Node | None], Breach] = {}
    misspelt = _misspelt(description)
    for breach in breaches(description):
        if breach.constraint == "MinCount" and (breach.resource, breach.term) in misspelt:
            continue
        key = (breach.resource, breach.term, breach.value)
        if key not in gravest or _GRAVITY.index(breach.constraint) < _GRAVITY.index(gravest[key].constraint):
            gravest[key] = breach
    for breach in gravest.values():
        yield _finding(breach, description, reporter)


def _misspelt(description: Description) -> set[tuple[Node, str | None]]:
    """The terms that are not missing but misspelt, which is reported already."""
    return {(resource, known_term(str(predicate))) for resource, predicate, _ in description.unknown}


def _finding(breach: Breach, description: Description, reporter: Reporter) -> Finding:
    wrong, right = _EXPLANATIONS[breach.constraint](breach, description, reporter)
    value = breach.value
    if breach.constraint == "MaxCount" and breach.term is not None:
        value = _last_written(breach, description, reporter)
    report = reporter.warning if breach.warning else reporter.error
    return report(breach.resource, wrong, right, term=breach.term, value=value)


def _last_written(breach: Breach, description: Description, reporter: Reporter) -> Node:
    """The value that is one too many: the last one in the text."""
    term = breach.term or ""
    predicate = URIRef(terms.METAMODEL + term)

    def position(value: Node) -> tuple[int, int]:
        place = reporter.source.statements.get((breach.resource, predicate, value))
        return (place.line, place.column) if place else (0, 0)

    return max(description.values(breach.resource, term), key=position)


def _missing(breach: Breach, _: Description, __: Reporter) -> tuple[str, str]:
    return "this is missing", breach.rule


def _too_many(breach: Breach, description: Description, _: Reporter) -> tuple[str, str]:
    count = len(description.values(breach.resource, breach.term or ""))
    return f"this is given {'twice' if count == 2 else f'{count} times'}", breach.rule


def _wrong_node_kind(breach: Breach, _: Description, reporter: Reporter) -> tuple[str, str]:
    shown = reporter.show(breach.value) if breach.value is not None else ""
    if isinstance(breach.value, BNode):
        return "a blank node has no name", f"give it an IRI; {breach.rule}"
    noun = "a string" if shown.startswith('"') else "a value"
    unquoted = "remove the quotes; " if ":" in shown else ""
    return f"{shown} is {noun}, not a name", f"{unquoted}{breach.rule}"


def _wrong_datatype(breach: Breach, _: Description, reporter: Reporter) -> tuple[str, str]:
    value = breach.value
    if isinstance(value, Literal) and value.language:
        return f'"{value}"@{value.language} has a language tag', breach.rule
    shown = reporter.show(value) if value is not None else ""
    if not isinstance(value, Literal):
        return f"{shown} is the name of a resource, not a value", breach.rule
    if value.datatype is None or str(value.datatype) == terms.STRING:
        return f"{shown} is a string", breach.rule
    return f"{shown} has the datatype {reporter.show(value.datatype)}", breach.rule


def _wrong_class(breach: Breach, description: Description, reporter: Reporter) -> tuple[str, str]:
    value = breach.value
    assert value is not None
    wanted = REFERENCES[breach.term or ""]
    if (kind := description.kinds.get(value)) is not None:
        return f"{reporter.show(value)} is {_a(kind_label(kind))}, not {_a(kind_label(wanted))}", breach.rule
    candidates = [resource for resource in description.resources if description.kinds.get(resource) in (wanted, None)]
    meant = closest(reporter.show(value), map(reporter.show, candidates))
    return f"{reporter.show(value)} is not described", f"did you mean {meant}?" if meant else breach.rule


def _not_in_list(breach: Breach, description: Description, reporter: Reporter) -> tuple[str, str]:
    value = breach.value
    assert value is not None
    shown = reporter.show(value)
    if breach.term == "type":
        is_page = description.kinds.get(breach.resource) == "Page"
        known = KINDS if is_page else terms.DATATYPES
        meant = closest(shown, [reporter.show(URIRef(iri)) for iri in known])
        noun = "page type" if is_page else "datatype"
        return f"{shown} is not a {noun} of the metamodel", f"did you mean {meant}?" if meant else breach.rule
    if breach.term in _LISTED:
        noun, listed = _LISTED[breach.term]
        meant = closest(shown, [reporter.show(URIRef(iri)) for iri in listed])
        return f"{shown} is not {noun} of the metamodel", f"did you mean {meant}?" if meant else breach.rule
    return f"{shown} is not known", breach.rule


def _not_matching(breach: Breach, _: Description, reporter: Reporter) -> tuple[str, str]:
    shown = reporter.show(breach.value) if breach.value is not None else ""
    if breach.term is None:
        return f"<{breach.value}> is not an http or https address", breach.rule
    return f"{shown} is not valid", breach.rule


def _negative(breach: Breach, _: Description, reporter: Reporter) -> tuple[str, str]:
    return f"{reporter.show(breach.value) if breach.value is not None else ''} is negative", breach.rule


def _misplaced(breach: Breach, description: Description, _: Reporter) -> tuple[str, str]:
    kind = description.kinds[breach.resource]
    page_kind = description.page_kind(breach.resource)
    label = kind_label(page_kind.__name__ if page_kind else kind)
    owners = known_terms()[terms.METAMODEL + (breach.term or "")]
    return f"this does not belong on {_a(label)}", f"it belongs on {_listed([_a(owner) for owner in owners])}"


_EXPLANATIONS: Final[dict[str, Callable[[Breach, Description, Reporter], tuple[str, str]]]] = {
    "Closed": _misplaced,
    "MinCount": _missing,
    "MaxCount": _too_many,
    "NodeKind": _wrong_node_kind,
    "Datatype": _wrong_datatype,
    "Class": _wrong_class,
    "In": _not_in_list,
    "Pattern": _not_matching,
    "MinInclusive": _negative,
}


def _a(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
