"""The navigation of a site as lines of N-Quads."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rdfcrawl.dataclass import dataclass
from rdfcrawl.navigation.analysis import JudgedDocument, NavigationCounts
from rdfcrawl.navigation.judging import LinkClass, NavigationRule
from rdfcrawl.navigation.results.terms import (
    LINK_TERMS,
    MENU_TEXT,
    PARENT,
    PLACE,
    REVISION,
    SYSTEM,
    agreement_term,
    entry_iri,
    system_iri,
)
from rdfcrawl.navigation.site import LinkedSite
from rdfcrawl.navigation.sitemap import Placed
from rdfcrawl.navigation.systems import NavigationSystem
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import navigation_iri
from rdfcrawl.rdf.ntriples import RDF_TYPE, iri, literal
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.reading import PageLinks


@dataclass(frozen=True, slots=True)
class SiteResult:
    """Everything that was found out about the navigation of a site."""

    site: LinkedSite
    rule: NavigationRule
    counts: NavigationCounts
    documents: Mapping[int, JudgedDocument]
    systems: Sequence[NavigationSystem]
    tree: Mapping[int, Placed]


def result_lines(record: RunRecord, result: SiteResult, links: Iterable[PageLinks]) -> Iterator[str]:
    """The lines, in no particular order; every link that the survey has found is in one class at least."""
    graph = navigation_iri(record.id)
    ending = f" {iri(graph)} ."
    for part in (_counts(graph, result), _systems(graph, result.systems), _tree(result), _links(result, links)):
        for triple in part:
            yield triple + ending


def _counts(graph: str, result: SiteResult) -> Iterator[str]:
    counts = result.counts
    numbers = {
        "revision": REVISION,
        "documents": counts.documents,
        "groups": counts.groups,
        "ungrouped": counts.ungrouped,
        "bounded": counts.bounded,
        **{f"{LINK_TERMS[one]}s": counts.links[one] for one in LinkClass},
    }
    if result.rule is NavigationRule.EXACT:
        numbers |= {agreement_term(one, two): counts.agreement[one, two] for one in LinkClass for two in LinkClass}
    yield f"{iri(graph)} {_term('rule')} {literal(result.rule.value)}"
    for name, count in numbers.items():
        yield f"{iri(graph)} {_term(name)} {_number(count)}"


def _systems(graph: str, systems: Sequence[NavigationSystem]) -> Iterator[str]:
    for number, system in enumerate(systems, 1):
        name = iri(system_iri(graph, number))
        yield f"{name} {RDF_TYPE} {iri(SYSTEM)}"
        yield f"{name} {_term('navigations')} {_number(system.navigations)}"
        yield f"{name} {_term('outsiders')} {_number(system.outsiders)}"
        for place, entry in enumerate(system.entries, 1):
            one = iri(entry_iri(graph, number, place))
            yield f"{name} {_term('entry')} {one}"
            yield f"{one} {_term(PLACE)} {_number(place)}"
            yield f"{one} {_term('target')} {iri(entry.target)}"
            if entry.label:
                yield f"{one} {_term(MENU_TEXT)} {literal(entry.label)}"


def _tree(result: SiteResult) -> Iterator[str]:
    """Where each page is in the site map; its text in the menu, where navigation leads to it."""
    identities = result.site.identities
    children: dict[int | None, int] = {}
    for number, placed in result.tree.items():
        address = iri(identities.address(number))
        place = children[placed.parent] = children.get(placed.parent, 0) + 1
        yield f"{address} {_term(PLACE)} {_number(place)}"
        if placed.parent is None:
            continue
        yield f"{address} {_term(PARENT)} {iri(identities.address(placed.parent))}"
        if placed.by_navigation and (text := _menu_text(result, placed.parent, number)):
            yield f"{address} {_term(MENU_TEXT)} {literal(text)}"


def _menu_text(result: SiteResult, source: int, target: int) -> str:
    """The text of the link from a page to another one, in its menus before elsewhere."""
    found = result.documents[source]
    labels = (label for _, navigation in found.navigations for label in navigation)
    for label in (*labels, *found.document.ungrouped.labels):
        reference, text = result.site.identities.entry(label)
        if reference == target and text:
            return text
    return ""


def _links(result: SiteResult, links: Iterable[PageLinks]) -> Iterator[str]:
    predicates = {one: _term(LINK_TERMS[one]) for one in LinkClass}
    for page in links:
        judged = result.documents.get(result.site.number_of(page.address))
        classes: dict[int, list[LinkClass]] = {}
        for one, references in judged.references.items() if judged else ():
            for reference in references:
                classes.setdefault(reference, []).append(one)
        subject = iri(page.address)
        for target in page.links:
            # What is no link on the archived page, a script has made.
            for one in classes.get(result.site.number_of(target), (LinkClass.CONTENT,)):
                yield f"{subject} {predicates[one]} {iri(target)}"


def _term(name: str) -> str:
    return f"<{terms.SITE}{name}>"


def _number(count: int) -> str:
    return literal(str(count), terms.INTEGER)
