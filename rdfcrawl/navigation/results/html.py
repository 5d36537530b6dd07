"""The navigation of a survey as one HTML page that needs nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from rdfcrawl.navigation.results.nested import nested_list
from rdfcrawl.navigation.results.report import NavigationReport
from rdfcrawl.survey.html import page_of_sheets

_TEMPLATE: Final = Path(__file__).parent / "templates" / "navigation.html"


def navigation_html(report: NavigationReport) -> str:
    """The page."""
    tree = nested_list(report.findings, _web_address)
    return page_of_sheets(_TEMPLATE, report.record, report.sheets, tree=tree)


def _web_address(address: str) -> str | None:
    return address if address.startswith(("http://", "https://")) else None
