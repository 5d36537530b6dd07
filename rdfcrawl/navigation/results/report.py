"""The navigation of a survey as sheets: what people read as text or HTML and programs as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.navigation.judging import LinkClass, NavigationRule
from rdfcrawl.navigation.results.ranks import RankedPage, ranks_of
from rdfcrawl.navigation.results.reading import MapEntry, NavigationFindings, read_navigation
from rdfcrawl.navigation.systems import NavigationSystem
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.sheets import Cell, SurveySheet, address, number, text

_SHOWN_ENTRIES: Final = 8


@dataclass(frozen=True, slots=True)
class NavigationReport:
    """What there is to say about the navigation of a survey; ``unranked`` says why there are no ranks."""

    record: RunRecord
    findings: NavigationFindings
    ranks: Sequence[RankedPage] = ()
    unranked: str = ""

    @property
    def sheets(self) -> tuple[SurveySheet, ...]:
        """All tables."""
        findings = self.findings
        return (
            *count_sheets(findings),
            systems_sheet(findings.systems),
            entries_sheet(findings.systems),
            content_sheet(findings),
            ranks_sheet(self.ranks, self.unranked),
        )

    def to_json(self) -> dict[str, object]:
        """The same for programs, with the site map as a list of pages."""
        return {
            "run": self.record.iri,
            "rule": self.findings.rule.value,
            **{sheet.key: sheet.to_json() for sheet in self.sheets},
            "site_map": [
                {
                    "address": entry.address,
                    "label": entry.label,
                    "parent": entry.parent,
                    "depth": depth,
                    "by_navigation": entry.by_navigation,
                }
                for depth, entry in walked(self.findings)
            ],
        }


def report_of(runs: RunFiles, record: RunRecord) -> NavigationReport:
    """Read what is kept, and rank the pages."""
    findings = read_navigation(runs, record)
    try:
        return NavigationReport(record, findings, ranks_of(runs, record))
    except UsageError as error:
        return NavigationReport(record, findings, unranked=str(error))


def walked(findings: NavigationFindings) -> Iterator[tuple[int, MapEntry]]:
    """The pages of the site map in the order of a person who reads it, each with its depth."""
    waiting = [(0, entry) for entry in reversed(findings.children.get(None, ()))]
    while waiting:
        depth, entry = waiting.pop()
        yield depth, entry
        waiting += [(depth + 1, child) for child in reversed(findings.children.get(entry.address, ()))]


def count_sheets(findings: NavigationFindings) -> Iterator[SurveySheet]:
    """How many links of each class there are, and where the rules differ if both were asked."""
    counts = findings.counts
    rows: list[tuple[Cell, ...]] = [
        ("pages", counts.documents),
        ("links", counts.links.total()),
        *((f"{one.value} links", counts.links[one]) for one in LinkClass),
        ("links in no group", counts.ungrouped),
        ("groups", counts.groups),
        ("menus", len(findings.systems)),
    ]
    if findings.rule is NavigationRule.EXACT:
        rows.append(("groups whose search was given up", counts.bounded))
    yield SurveySheet("counts", f"Links, by the {findings.rule} rule", (text("what"), number("count")), rows)
    if findings.rule is NavigationRule.EXACT:
        compared = [(one.value, *(counts.agreement[one, two] for two in LinkClass)) for one in LinkClass]
        columns = (text("tolerant rule"), *(number(f"exact {two.value}") for two in LinkClass))
        yield SurveySheet("agreement", "What the two rules call the same links", columns, compared)


def systems_sheet(systems: Sequence[NavigationSystem]) -> SurveySheet:
    """The menus, one row each."""
    return SurveySheet(
        "menus",
        "Menus",
        (number("menu"), number("entries"), number("on its own pages"), number("on others"), text("beginning with")),
        [
            (place, len(one.entries), one.navigations, one.outsiders, _beginning(one))
            for place, one in enumerate(systems, 1)
        ],
        "No links were recognised as a menu.",
    )


def entries_sheet(systems: Sequence[NavigationSystem]) -> SurveySheet:
    """The entries of all menus."""
    rows = [(place, entry.label, entry.target) for place, one in enumerate(systems, 1) for entry in one.entries]
    columns = (number("menu"), text("text"), address("address"))
    return SurveySheet("entries", "Entries of the menus", columns, rows, "There are none.")


def content_sheet(findings: NavigationFindings) -> SurveySheet:
    """What the content of pages leads to."""
    rows = [(page.address, page.linked_from, page.links, page.title) for page in findings.by_content]
    columns = (address("address"), number("linked from"), number("links"), text("title"))
    return SurveySheet("content", "Most linked by content", columns, rows, "No content links to a page of the site.")


def ranks_sheet(ranks: Sequence[RankedPage], why_not: str = "") -> SurveySheet:
    """PageRank and HITS with and without navigation links, side by side."""
    names = ("PageRank", "hub", "authority")
    columns = [address("address")]
    for name in names:
        columns += [number(name), number(f"content {name}")]
    rows: list[tuple[Cell, ...]] = []
    for page in ranks:
        pairs = zip(page.with_navigation, page.without_navigation, strict=True)
        rows.append((page.address, *chain.from_iterable(pairs)))
    return SurveySheet(
        "ranks", "Ranks by all links, and by content links only", tuple(columns), rows, why_not or "There are no pages."
    )


def _beginning(system: NavigationSystem) -> str:
    labels = [entry.label for entry in system.entries if entry.label]
    more = " …" if len(labels) > _SHOWN_ENTRIES else ""
    return " · ".join(labels[:_SHOWN_ENTRIES]) + more
