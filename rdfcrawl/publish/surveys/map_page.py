"""``/run/ID/sitemap``: the site map of a survey, with its menus and the ranks of its pages."""

from __future__ import annotations

from typing import Final, cast

from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.navigation.results.nested import nested_list
from rdfcrawl.publish.data.snapshot import changed_at
from rdfcrawl.publish.surveys.desk import SurveyDesk
from rdfcrawl.publish.surveys.page import PATIENCE, later, survey_asked
from rdfcrawl.publish.web.site import not_found, render, site_of
from rdfcrawl.survey.sheets import written

_MOST_PAGES: Final = 3_000
_MOST_BELOW: Final = 100
_MOST_ROWS: Final = 20


def map_page(request: Request) -> Response:
    """The tree of pages, the menus, and the ranks with and without navigation."""
    site = site_of(request)
    desk = cast(SurveyDesk, request.app.state.surveys)
    with site.snapshots.using() as snapshot:
        record = survey_asked(request, snapshot)
        if not snapshot.files.navigation(record.id).exists():
            raise not_found(
                f"the navigation of this survey is not known yet; `rdfcrawl navigation {record.id}` finds it"
            )
        report = desk.navigation(snapshot.files, record, PATIENCE)
        if report is None:
            return later(request, snapshot, record)
        context = {
            "record": record,
            "report": report,
            "tree": nested_list(report.findings, site.addresses.page, _MOST_PAGES, _MOST_BELOW),
            "most_pages": _MOST_PAGES,
            "pages": sum(map(len, report.findings.children.values())),
            "sheets": {sheet.key: sheet for sheet in report.sheets},
            "most": _MOST_ROWS,
            "written": written,
        }
        return render(request, "sitemap.html", snapshot, context, modified=changed_at(record))
