"""The report of a run: its counts, and for a survey its figures and findings, as sheets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.runs.record import RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles, no_graph
from rdfcrawl.survey.figures import Figures
from rdfcrawl.survey.findings import Findings, findings_of
from rdfcrawl.survey.reading import KINDS, has_survey
from rdfcrawl.survey.sheets import Cell, SheetColumn, SurveySheet, address, number, text


@dataclass(frozen=True, slots=True)
class RunOverview:
    """A run that has ended, and what is to be said about it."""

    record: RunRecord
    sheets: tuple[SurveySheet, ...]

    def to_json(self) -> dict[str, object]:
        """The same for programs."""
        record = self.record
        return {
            "run": record.iri,
            "state": record.standing,
            "started": record.started.isoformat(),
            "ended": record.ended.isoformat() if record.ended else None,
            "model": record.model.name or None,
            **{sheet.key: sheet.to_json() for sheet in self.sheets},
        }


def overview_of(runs: RunFiles, record: RunRecord, sources: int | None = None) -> RunOverview:
    """What there is to say about a run; of the pages with the same broken link at most so many ``sources``."""
    if record.state is not RunState.COMPLETE:
        raise UsageError(f"run {record.id} is {record.state}; there is a report when it has ended")
    sheets = list(count_sheets(record))
    if has_survey(record):
        if not runs.has_graph(record):
            raise UsageError(no_graph(record))
        findings = findings_of(runs, record)
        sheets = [*figure_sheets(findings.figures), *finding_sheets(findings, sources), *sheets]
    return RunOverview(record, tuple(sheets))


def count_sheets(record: RunRecord) -> Iterator[SurveySheet]:
    """What every run counts."""
    prefixes, counts = record.model.prefixes, record.counts
    read: list[tuple[Cell, ...]] = [
        *((f"pages over {'HTTP' if engine == 'http' else engine}", count) for engine, count in counts.pages.items()),
        ("triples", counts.triples),
        ("problems", sum(counts.problems.values())),
    ]
    yield SurveySheet("counts", "Run", (text("what"), number("count")), read)
    sections = [
        (one.address, "yes" if one.complete else "no", one.objects, _reasons(one.reasons)) for one in record.sections
    ]
    columns = (address("section"), text("complete"), number("objects"), text("reasons"))
    yield SurveySheet("sections", "Sections", columns, sections)
    objects = [(shorten(name, prefixes), count) for name, count in sorted(counts.objects.items())]
    yield SurveySheet("objects", "Objects", (text("class"), number("count")), objects, "No objects were found.")
    problems = sorted(counts.problems.items(), key=lambda one: (-one[1], one[0]))
    yield SurveySheet("problems", "Problems", (text("kind"), number("count")), problems, "There were no problems.")
    changes = [(part, kind, count) for part, kinds in counts.changes.items() for kind, count in kinds.items()]
    yield SurveySheet(
        "changes", "Changes", (text("of"), text("kind"), number("count")), changes, "Nothing has changed."
    )


def figure_sheets(figures: Figures) -> Iterator[SurveySheet]:
    """The table of a survey, the levels and the hosts."""
    columns: tuple[SheetColumn, ...] = (text("what"), number("at the start"), number("all"))
    yield SurveySheet("figures", "Site", columns, list(figures.rows()))
    kinds = [kind for kind in KINDS if figures.kinds[kind]]
    levels = [
        (level, counts.total(), *(counts[kind] for kind in kinds)) for level, counts in sorted(figures.levels.items())
    ]
    columns = (number("level"), number("addresses"), *map(number, kinds))
    yield SurveySheet("levels", "Levels (links from the start)", columns, levels)
    hosts = sorted(figures.hosts.items(), key=lambda one: (-one[1].addresses, one[0]))
    yield SurveySheet(
        "hosts",
        "Hosts",
        (text("host"), *map(number, ("addresses", "html", "files", "images", "broken", "unread", "bytes"))),
        [
            (
                name,
                one.addresses,
                one.kinds["html"],
                one.kinds["binary"],
                one.images,
                one.broken,
                one.kinds["unread"],
                one.bytes,
            )
            for name, one in hosts
        ],
    )


def finding_sheets(findings: Findings, sources: int | None = None) -> Iterator[SurveySheet]:
    """What was looked for and found, then what those who look after the site want to know."""
    if findings.finds is not None:
        yield SurveySheet(
            "finds",
            "Finds",
            (address("address"), number("score"), text("title"), text("meets")),
            [(one.address, one.score, one.title, "; ".join(one.meets)) for one in findings.finds],
            "No page meets the criteria well enough.",
        )
    yield SurveySheet(
        "broken_links",
        "Broken links",
        (address("address"), text("found"), address("linked from"), text("text"), address("by way of")),
        list(_broken(findings, sources)),
        "No link of the site leads nowhere.",
    )
    yield SurveySheet(
        "redirect_chains",
        "Redirect chains",
        (address("address"), number("redirects"), text("way"), text("found")),
        [
            (one.addresses[0], len(one.addresses) - 1, " → ".join(one.addresses[1:]), one.finding)
            for one in findings.chains
        ],
        "No redirect leads to another one.",
    )
    yield SurveySheet(
        "without_title",
        "Pages without title",
        (address("address"), number("level")),
        [(page.address, page.depth) for page in findings.untitled],
        "Every page has a title.",
    )
    yield SurveySheet(
        "duplicates",
        "Duplicates",
        (address("address"), address("same as")),
        [(copy, original) for original, copies in sorted(findings.duplicates.items()) for copy in copies],
        "No two pages have the same content.",
    )
    yield from _extremes(findings)


def _broken(findings: Findings, sources: int | None) -> Iterator[tuple[Cell, ...]]:
    """The broken links; a link that stands on every page would hide the others."""
    for target, group in groupby(findings.broken, key=lambda link: link.target):
        links = list(group)
        for one in links[:sources]:
            yield target, one.finding, one.source, one.text, one.via
        if left := len(links[:0] if sources is None else links[sources:]):
            yield target, links[0].finding, f"… and {left:,} more", "", None


def _extremes(findings: Findings) -> Iterator[SurveySheet]:
    seconds: list[tuple[Cell, ...]] = [(name, took) for name, took in findings.slowest]
    yield SurveySheet(
        "slowest", "Slowest addresses", (address("address"), number("seconds")), seconds, "No times are known."
    )
    yield SurveySheet(
        "largest",
        "Largest pages",
        (address("address"), number("bytes"), text("title")),
        [(page.address, page.bytes, page.title) for page in findings.largest],
        "There are no pages.",
    )
    columns = (address("address"), number("linked from"), number("links"), text("title"))
    yield SurveySheet(
        "most_linked",
        "Most linked pages",
        columns,
        [(one.address, one.linked_from, one.links, one.title) for one in findings.most_linked],
        "No page of the site is linked.",
    )


def _reasons(reasons: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} × {reason}" for reason, count in sorted(reasons.items()))
