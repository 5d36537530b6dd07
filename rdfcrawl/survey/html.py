"""A report as one HTML page that needs nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rdfcrawl.survey.report import RunOverview
from rdfcrawl.survey.sheets import written


def report_html(overview: RunOverview) -> str:
    """The page."""
    return _templates().get_template("report.html").render(overview=overview, record=overview.record, written=written)


@cache
def _templates() -> Environment:
    folder = FileSystemLoader(Path(__file__).parent / "templates")
    return Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
