"""Rules about criteria: each looks for one thing, in a part that it can look into, and its weight is a number."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rdflib import BNode, Literal, URIRef
from rdflib.term import Node

from rdfcrawl.metamodel.check.findings import Finding
from rdfcrawl.metamodel.check.reporting import Reporter
from rdfcrawl.metamodel.check.rule import Rule, strings
from rdfcrawl.metamodel.criteria import LEAD_PARTS, PAGE_PARTS, PARTS, CriterionKind
from rdfcrawl.metamodel.names import closest
from rdfcrawl.metamodel.statements.description import Description
from rdfcrawl.rdf import terms

_NUMBERS: Final = {"weight": "2", "threshold": "5", "leadThreshold": "1", "scored": "3"}
"""The terms whose values are numbers, with an example for each."""
_NESTING: Final = ("all", "any")
_SEARCHING: Final = ("contains", "matches", "near", *_NESTING)
_MOST_INSIDE: Final = 10_000
_DEEPEST: Final = 20
_OF_PAGES: Final = (CriterionKind.FOUND, CriterionKind.FILE_TYPE)
_OF_KINDS: Final = {
    "distance": ("near",),
    "caseSensitive": _SEARCHING,
    "across": (*_SEARCHING, "containsDate"),
    "in": (*_SEARCHING, "containsDate"),
}
"""The terms that have a meaning only beside some others."""


def _each_looks_for_one_thing(description: Description, reporter: Reporter) -> Iterator[Finding]:
    excused = {resource for resource, _, _ in description.unknown}
    excused |= {fault.resource for fault in description.sequences.faults}
    for criterion in description.of_kind("Criterion"):
        if criterion in excused:
            continue
        kinds = [kind.value for kind in CriterionKind if description.values(criterion, kind.value)]
        if not kinds:
            advice = "say what it looks for: :contains, :matches, :near, :containsDate, :fileType, :found, :all or :any"
            yield reporter.error(criterion, "the criterion looks for nothing", advice)
        elif len(kinds) > 1:
            said = " and ".join(reporter.show_term(kind) for kind in kinds)
            advice = "combine them: :all ( [ … ] [ … ] ), or write two criteria"
            value = description.values(criterion, kinds[-1])[0]
            yield reporter.error(criterion, f"the criterion has {said}", advice, term=kinds[-1], value=value)


def _amounts_are_numbers(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for term, example in _NUMBERS.items():
        for resource, value in description.with_term(term):
            if isinstance(value, Literal) and str(value.datatype) not in (terms.INTEGER, terms.DECIMAL):
                advice = f"write a number without quotes: {reporter.show_term(term)} {example}"
                yield reporter.error(
                    resource, f"{reporter.show(value)} is not a number", advice, term=term, value=value
                )


def _texts_are_not_empty(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for term in _SEARCHING:
        for resource, value in strings(description, term):
            if not str(value).strip():
                yield reporter.error(
                    resource, "the text is empty, and every page has that", "write a text", term=term, value=value
                )
    for criterion in description.of_kind("Criterion"):
        texts = description.values(criterion, "near")
        if texts and len(texts) != 2:
            message = f"{len(texts)} texts cannot be near each other" if len(texts) > 1 else "one text is near nothing"
            advice = 'write two different texts: :near ( "submission" "deadline" )'
            yield reporter.error(criterion, message, advice, term="near", value=texts[-1])


def _nested_criteria_are_described(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """``:all`` and ``:any`` are made of texts and of criteria."""
    criteria = list(description.of_kind("Criterion"))
    for term in _NESTING:
        for resource, value in description.with_term(term):
            if isinstance(value, Literal):
                if value.datatype is not None and str(value.datatype) != terms.STRING:
                    message = f"{reporter.show(value)} is neither a text nor a criterion"
                    yield reporter.error(resource, message, "put the text in quotes", term=term, value=value)
            elif value not in description.resources:
                meant = closest(reporter.show(value), map(reporter.show, criteria))
                advice = f"did you mean {meant}?" if meant else "describe the criterion, or write a text in quotes"
                yield reporter.error(
                    resource, f"{reporter.show(value)} is not described", advice, term=term, value=value
                )
            elif description.kinds.get(value) == "Criterion":
                yield from _weightless(description, reporter, value)


def _weightless(description: Description, reporter: Reporter, criterion: Node) -> Iterator[Finding]:
    """Only a criterion that is part of nothing else adds to a score; one with a name may be both."""
    if isinstance(criterion, BNode):
        for weight in description.values(criterion, "weight"):
            message = "the weight of a criterion inside another one has no effect"
            yield reporter.warning(criterion, message, "give the outer one a weight", term="weight", value=weight)


def _nesting_of_criteria_ends(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """Whoever evaluates a criterion goes through everything that it is made of, as often as it is."""
    sizes: dict[Node, int] = {}
    depths: dict[Node, int] = {}
    for start in description.of_kind("Criterion"):
        trail = [start]
        while trail:
            criterion = trail[-1]
            inner = _made_of(description, criterion)
            unknown = next((one for one in inner if one not in sizes), None)
            if criterion in sizes or unknown is None:
                sizes.setdefault(criterion, 1 + sum(sizes[one] for one in inner))
                depths.setdefault(criterion, 1 + max((depths[one] for one in inner), default=0))
                trail.pop()
            elif unknown in trail:
                message = f"{reporter.show(unknown)} is made of itself"
                yield reporter.error(unknown, message, "leave it out of its own :all or :any")
                sizes[unknown], depths[unknown] = 1, 1
            else:
                trail.append(unknown)
    for criterion, size in sizes.items():
        grown = size > _MOST_INSIDE or depths[criterion] > _DEEPEST
        # Only the innermost of those that are too large: the others are so because of it.
        if grown and all(
            sizes[one] <= _MOST_INSIDE and depths[one] <= _DEEPEST for one in _made_of(description, criterion)
        ):
            message = f"the criterion is made of {size - 1:,} others, {depths[criterion]:,} deep"
            advice = f"{_MOST_INSIDE:,} and {_DEEPEST} are the most; write several criteria"
            yield reporter.error(criterion, message, advice)


def _made_of(description: Description, criterion: Node) -> list[Node]:
    values = [value for term in _NESTING for value in description.values(criterion, term)]
    return [value for value in values if not isinstance(value, Literal)]


def _used(description: Description, term: str) -> set[Node]:
    """The criteria that a term names, and all that these are made of."""
    found: set[Node] = set()
    waiting = [value for _, value in description.with_term(term)]
    while waiting:
        criterion = waiting.pop()
        if criterion not in found:
            found.add(criterion)
            waiting += _made_of(description, criterion)
    return found


def _terms_fit_what_is_looked_for(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for term, kinds in _OF_KINDS.items():
        for resource, value in description.with_term(term):
            if description.kinds.get(resource) == "Criterion" and not any(
                description.values(resource, kind) for kind in kinds
            ):
                beside = ", ".join(reporter.show_term(kind) for kind in kinds)
                message, advice = "this has no effect here", f"it belongs beside {beside}"
                yield reporter.warning(resource, message, advice, term=term, value=value)


def _parts_are_there(description: Description, reporter: Reporter) -> Iterator[Finding]:
    """A page has other parts than a link that is not followed yet."""
    for use, parts, noun in (("criterion", PAGE_PARTS, "page"), ("lead", LEAD_PARTS, "lead")):
        for criterion in sorted(_used(description, use), key=str):
            for value in description.values(criterion, "in"):
                if str(value) in PARTS and str(value) not in parts:
                    listed = ", ".join(reporter.show(URIRef(part)) for part in parts)
                    message = f"a {noun} has no {reporter.show(value)}"
                    yield reporter.error(criterion, message, f"it has {listed}", term="in", value=value)
            yield from _kinds_that_do_not_fit(description, reporter, criterion, is_lead=use == "lead")


def _kinds_that_do_not_fit(
    description: Description, reporter: Reporter, criterion: Node, *, is_lead: bool
) -> Iterator[Finding]:
    for kind in _OF_PAGES if is_lead else (CriterionKind.SCORED,):
        for value in description.values(criterion, kind.value):
            if is_lead:
                message = "this is not known of a page before it is read"
                advice = 'look into its address: :matches "\\\\.pdf$" ; :in part:address'
            else:
                message, advice = "this is about the page on which a link stands", "use it in a :lead"
            yield reporter.error(criterion, message, advice, term=kind.value, value=value)


def _thresholds_have_criteria(description: Description, reporter: Reporter) -> Iterator[Finding]:
    misspelt = {resource for resource, _, _ in description.unknown}
    for page in description.of_kind("Page"):
        kind = description.page_kind(page)
        if page in misspelt or kind is None or not kind.is_survey:
            continue
        criteria = description.values(page, "criterion")
        if criteria and not description.values(page, "threshold"):
            advice, value = "say from which score on: :threshold 5", criteria[0]
            yield reporter.warning(page, "pages get a score, and none is a find", advice, term="criterion", value=value)
        for term, needed in (("threshold", "criterion"), ("leadThreshold", "lead")):
            for value in description.values(page, term):
                if not description.values(page, needed):
                    shown = reporter.show_term(needed)
                    message, advice = f"without {shown} every score is 0", f"add a {shown}, or remove this"
                    yield reporter.warning(page, message, advice, term=term, value=value)


def _finds_are_read_as_objects(description: Description, reporter: Reporter) -> Iterator[Finding]:
    for page, target in description.with_term("target"):
        kind = description.page_kind(page)
        if kind is None or not kind.is_survey:
            continue
        read_as = description.page_kind(target)
        if read_as is not None and (read_as.is_list or read_as.is_survey):
            message = f"{reporter.show(target)} is not an object page"
            advice = "a find is read as one object: give the page the :type type:object"
            yield reporter.error(page, message, advice, term="target", value=target)
        if not description.values(page, "threshold"):
            advice = "say what makes a find of a page: :criterion and :threshold"
            yield reporter.error(page, "only finds are read as an object", advice, term="target", value=target)


RULES: Final[tuple[Rule, ...]] = (
    _each_looks_for_one_thing,
    _amounts_are_numbers,
    _texts_are_not_empty,
    _nested_criteria_are_described,
    _nesting_of_criteria_ends,
    _terms_fit_what_is_looked_for,
    _parts_are_there,
    _thresholds_have_criteria,
    _finds_are_read_as_objects,
)
