"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.report import RunOverview
from rdfcrawl.survey.sheets import SurveySheet, written

_TEMPLATES: Final = Path(__file__).parent / "templates"


def report_html(overview: RunOverview) -> str:
    """The page."""
    return page_of_sheets(_TEMPLATES / "report.html", overview.record, overview.sheets)


def page_of_sheets(template: Path, record: RunRecord, sheets: Sequence[SurveySheet], **values: object) -> str:
    """A page with tables about a run, by a template that extends ``sheets.html``."""
    templates = Environment(
        loader=FileSystemLoader([template.parent, _TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return templates.get_template(template.name).render(record=record, sheets=sheets, written=written, **values)
