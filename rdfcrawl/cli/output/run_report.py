"""The report of a run that has ended: as text for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from rich.text import Text

from rdfcrawl.alert.telling import sent_lines
from rdfcrawl.api import Finished
from rdfcrawl.cli.console import counted, pasteable
from rdfcrawl.cli.output.diff_text import renamed_text
from rdfcrawl.cli.output.problem_text import group_json, group_lines
from rdfcrawl.engine.run.run import RunReport
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.runs.record import SectionRecord
from rdfcrawl.versioning.recording import ChangeSummary
from rdfcrawl.versioning.suspicion.wording import ADVICE, cause, missing

if TYPE_CHECKING:
    from rdfcrawl.survey.figures import Figures

_MOST_ROWS: Final = 20
"""How many levels and hosts the end of a run names; ``report --all`` has the others."""


def report_lines(finished: Finished, figures: Figures | None, location: str) -> Iterator[Text]:
    """What a run has read, found and missed, with the figures of a survey, and what has changed."""
    record = finished.report.record
    prefixes = record.model.prefixes
    yield Text()
    ended = Text(f"Run {record.id} has ended", "bold")
    yield ended.append(f" after {record.seconds:.0f} s: {counted(record.counts.triples, 'triple')}.", "not bold")
    for section in record.sections:
        yield from _section_lines(section)
    yield Text()
    yield Text("Objects:" if record.counts.objects else "No objects were found.")
    for name, count in sorted(record.counts.objects.items()):
        yield Text(f"{count:>8,}  {shorten(name, prefixes)}")
    yield from _survey_lines(figures)
    yield Text()
    yield from _change_lines(finished.changes, len(record.sections), prefixes)
    for line in sent_lines(finished.alerts):
        yield Text(f"{line}.")
    yield Text()
    yield from _engine_lines(finished.report, prefixes)
    if groups := finished.report.problems:
        yield Text()
        yield Text(f"{counted(sum(group.count for group in groups), 'problem')}:", "yellow")
        yield from group_lines(groups, prefixes)
    yield Text()
    yield Text(f"The data is in {location}. Next:")
    if figures is not None:
        yield Text(f"  {pasteable('report', store=location)}")
    yield Text(f"  {pasteable('query', 'SELECT * WHERE { ?s ?p ?o } LIMIT 10', store=location)}")


def report_json(finished: Finished, figures: Figures | None) -> dict[str, object]:
    """The same for programs."""
    record, changes = finished.report.record, finished.changes
    noted = changes.changes.as_noted()
    return {
        "run": record.iri,
        "state": record.standing,
        "started": record.started.isoformat(),
        "ended": record.ended.isoformat() if record.ended else None,
        "model": {"source": record.model.source, "digest": record.model.digest},
        "sections": [
            {
                "address": section.address,
                "complete": section.complete,
                "objects": section.objects,
                "reasons": dict(section.reasons),
            }
            for section in record.sections
        ],
        "pages": {**record.counts.pages, "unchanged": finished.report.unchanged},
        "triples": record.counts.triples,
        "objects": dict(record.counts.objects),
        "survey": _survey_json(figures),
        "changes": {
            "first": changes.first,
            "compared": changes.compared,
            **noted,
            "site": dict(changes.site),
            "notes": list(changes.notes),
        },
        "alerts": [
            {"to": message.to, "state": outcome.fate.value, "said": outcome.said}
            for message, outcome in finished.alerts.outcomes
        ],
        "problems": {
            "count": sum(group.count for group in finished.report.problems),
            "groups": [group_json(group) for group in finished.report.problems],
        },
    }


def _survey_json(figures: Figures | None) -> dict[str, object]:
    if figures is None:
        return {"kinds": {}, "levels": {}}
    from rdfcrawl.survey.report import figure_sheets

    levels = {level: counts.total() for level, counts in sorted(figures.levels.items())}
    sheets = {sheet.key: sheet.to_json() for sheet in figure_sheets(figures)}
    return {**sheets, "kinds": dict(figures.kinds), "levels": levels}


def _section_lines(section: SectionRecord) -> Iterator[Text]:
    yield Text(f"  {section.address}")
    reasons = ", ".join(f"{count:,} × {reason}" for reason, count in sorted(section.reasons.items()))
    yield Text(
        f"    {counted(section.objects, 'object')}, {'complete' if section.complete else f'incomplete: {reasons}'}"
    )


def _survey_lines(figures: Figures | None) -> Iterator[Text]:
    """The table of a survey, as ``report`` prints it again."""
    if figures is None:
        return
    from rdfcrawl.cli.output.sheet_text import sheet_lines
    from rdfcrawl.survey.report import figure_sheets

    for sheet in figure_sheets(figures):
        yield Text()
        yield from sheet_lines(sheet, most=_MOST_ROWS)


def _change_lines(changes: ChangeSummary, sections: int, prefixes: Mapping[str, str]) -> Iterator[Text]:
    if changes.first:
        yield Text(f"This is the first run of {'this section' if sections == 1 else 'these sections'}: {changes}.")
    else:
        yield Text(f"Since the previous run: {changes}.")
    for item in changes.renamed:
        yield Text(f"Note: {renamed_text(item, prefixes)}")
    for note in changes.notes:
        yield Text(f"Note: {note}")
    yield from _suspicion_lines(changes, prefixes)


def _suspicion_lines(changes: ChangeSummary, prefixes: Mapping[str, str]) -> Iterator[Text]:
    if not changes.suspicions:
        return
    yield Text()
    yield Text("Suspected, not removed:", "magenta")
    for suspicion in changes.suspicions:
        yield Text(f"  ! {missing(suspicion, prefixes)}:")
        yield Text(f"    {cause(suspicion.selector, prefixes)}")
    yield Text(f"  {ADVICE}")


def _engine_lines(report: RunReport, prefixes: Mapping[str, str]) -> Iterator[Text]:
    pages = report.record.counts.pages
    in_browser = pages.get("browser", 0)
    line = f"{counted(pages.get('http', 0), 'page')} over HTTP"
    line += f", {in_browser:,} in the browser" if in_browser else ""
    line += f"; {report.unchanged:,} unchanged since last time" if report.unchanged else ""
    yield Text(f"{line}.")
    if in_browser:
        for page, reason in sorted(report.reasons.items()):
            yield Text(f"  {shorten(page, prefixes)} in the browser: {reason}")
