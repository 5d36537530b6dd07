"""The navigation of a survey as one HTML page that needs nothing else."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from rdfcrawl.navigation.results.nested import nested_list
from rdfcrawl.navigation.results.report import NavigationReport
from rdfcrawl.survey.sheets import written


def navigation_html(report: NavigationReport) -> str:
    """The page."""
    tree = nested_list(report.findings, _web_address)
    return _templates().get_template("navigation.html").render(report=report, tree=tree, written=written)


def _web_address(address: str) -> str | None:
    return address if address.startswith(("http://", "https://")) else None


@cache
def _templates() -> Environment:
    folder = FileSystemLoader(Path(__file__).parent / "templates")
    return Environment(loader=folder, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
