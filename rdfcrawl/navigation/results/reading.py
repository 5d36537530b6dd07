"""The navigation of a survey, read from the file where it is kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile
from rdfcrawl.navigation.analysis import NavigationCounts
from rdfcrawl.navigation.judging import LinkClass, NavigationRule
from rdfcrawl.navigation.results.terms import LINK_TERMS, MENU_TEXT, PARENT, PLACE, REVISION, agreement_term
from rdfcrawl.navigation.systems import MenuEntry, NavigationSystem
from rdfcrawl.rdf.graphs import navigation_iri
from rdfcrawl.store.files.lines import lines_about, read_lines
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.findings import LinkedPage, most_linked
from rdfcrawl.survey.reading import HTML, PageLinks, read_pages, subjects_in

Values = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class MapEntry:
    """A page in the site map: what it is called there, below which page it is, and whether navigation leads to it."""

    address: str
    label: str
    parent: str | None
    place: int
    by_navigation: bool


@dataclass(frozen=True, slots=True)
class NavigationFindings:
    """What was found out about the navigation of a survey; ``children`` are the site map, ``None`` has its roots."""

    rule: NavigationRule
    counts: NavigationCounts
    systems: Sequence[NavigationSystem]
    children: Mapping[str | None, Sequence[MapEntry]]
    by_content: Sequence[LinkedPage] = field(default=())
    """The pages that most content links lead to."""


def kept_rule(runs: RunFiles, record: RunRecord) -> NavigationRule | None:
    """The rule by which the navigation of a survey was recognised; ``None`` if it was not, or must be once more."""
    path, subject = runs.navigation(record.id), f"<{navigation_iri(record.id)}>".encode()
    if not path.exists():
        return None
    try:
        about = next((values for _, values in subjects_in(lines_about(path, subject))), {})
    except DamagedFile:
        return None
    if about.get("revision") != [str(REVISION)]:
        return None
    return NavigationRule(about["rule"][0])


def read_navigation(runs: RunFiles, record: RunRecord) -> NavigationFindings:
    """Read all of it; raises ``DamagedFile``."""
    graph = navigation_iri(record.id)
    titles = {page.address: page.title or "" for page in read_pages(runs, record) if page.kind == HTML}
    about: dict[str, Values] = {}
    children: dict[str | None, list[MapEntry]] = {}
    incoming: Counter[str] = Counter()
    outgoing: dict[str, int] = {}
    for name, values in _subjects(runs, record):
        if name.startswith(graph):
            about[name] = values
            continue
        if links := values.get(LINK_TERMS[LinkClass.CONTENT]):
            incoming.update(links)
            outgoing[name] = len(links)
        if PLACE in values:
            entry = _entry(name, values, titles)
            children.setdefault(entry.parent, []).append(entry)
    for entries in children.values():
        entries.sort(key=lambda one: one.place)
    rule = NavigationRule(about[graph]["rule"][0])
    by_content = most_linked(incoming, outgoing, titles)
    return NavigationFindings(rule, _counts(about[graph], rule), _systems(about, graph), children, by_content)


def content_links(runs: RunFiles, record: RunRecord) -> Iterator[PageLinks]:
    """The links of every page that are content only, in the order of the addresses; raises ``DamagedFile``."""
    for name, values in _subjects(runs, record):
        menus = {*values.get(LINK_TERMS[LinkClass.NAVIGATION], ()), *values.get(LINK_TERMS[LinkClass.OUTSIDER], ())}
        found = values.get(LINK_TERMS[LinkClass.CONTENT], ())
        if links := tuple(target for target in found if target not in menus):
            yield PageLinks(name, links, (), "")


def _subjects(runs: RunFiles, record: RunRecord) -> Iterator[tuple[str, dict[str, list[str]]]]:
    return subjects_in(read_lines(runs.navigation(record.id)))


def _entry(address: str, values: Values, titles: Mapping[str, str]) -> MapEntry:
    text = next(iter(values.get(MENU_TEXT, ())), "")
    parent = next(iter(values.get(PARENT, ())), None)
    return MapEntry(address, text or titles.get(address, ""), parent, int(values[PLACE][0]), bool(text))


def _counts(values: Values, rule: NavigationRule) -> NavigationCounts:
    def number(name: str) -> int:
        return int(values[name][0])

    counts = NavigationCounts(number("documents"), number("groups"), number("ungrouped"), number("bounded"))
    counts.links.update({one: number(f"{LINK_TERMS[one]}s") for one in LinkClass})
    if rule is NavigationRule.EXACT:
        pairs = [(one, two) for one in LinkClass for two in LinkClass]
        counts.agreement.update({pair: number(agreement_term(*pair)) for pair in pairs})
    return counts


def _systems(about: Mapping[str, Values], graph: str) -> list[NavigationSystem]:
    found: dict[int, NavigationSystem] = {}
    for name, values in about.items():
        if "navigations" not in values:
            continue
        entries = sorted((about[entry] for entry in values["entry"]), key=lambda one: int(one[PLACE][0]))
        menu = tuple(MenuEntry(one["target"][0], next(iter(one.get(MENU_TEXT, ())), "")) for one in entries)
        number = int(name.removeprefix(f"{graph}/system/"))
        found[number] = NavigationSystem(menu, int(values["navigations"][0]), int(values["outsiders"][0]))
    return [found[number] for number in sorted(found)]
