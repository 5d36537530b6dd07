"""``/run/ID/survey``: a survey as people like to look at it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, cast

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.snapshot import Snapshot, changed_at
from rdfcrawl.publish.surveys.desk import SurveyDesk
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import not_found, render, site_of
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.survey.centrality import LinkPicture
from rdfcrawl.survey.drawing import picture_svg
from rdfcrawl.survey.figures import Figures
from rdfcrawl.survey.findings import BrokenLink
from rdfcrawl.survey.reading import KINDS, has_survey
from rdfcrawl.survey.report import figure_sheets, finding_sheets
from rdfcrawl.survey.sheets import written

PATIENCE: Final = 2.0
"""How long a reader waits for a survey that nobody has looked at yet, before the page says so."""
_MOST_BROKEN: Final = 100
_MOST_SOURCES: Final = 5
_MOST_ROWS: Final = 20


@dataclass(frozen=True, slots=True)
class ChartBar:
    """A bar of a chart: its name, how much it is, and how long it is in percent."""

    name: str
    count: int
    percent: float


@dataclass(frozen=True, slots=True)
class BrokenTarget:
    """A broken address with some of the links to it, and how many there are."""

    address: str
    finding: str
    links: Sequence[BrokenLink]
    count: int


def survey_page(request: Request) -> Response:
    """Kinds and levels as charts, hosts, most linked pages, broken links, and the picture of the links."""
    site = site_of(request)
    desk = cast(SurveyDesk, request.app.state.surveys)
    with site.snapshots.using() as snapshot:
        record = survey_asked(request, snapshot)
        has_navigation = snapshot.files.navigation(record.id).exists()
        only_content = has_navigation and request.query_params.get("links") == "content"
        view = desk.view(snapshot.files, record, PATIENCE)
        content = desk.content(snapshot.files, record, PATIENCE) if only_content else None
        if view is None or (only_content and content is None):
            return later(request, snapshot, record)
        picture = content.picture if content is not None else view.picture
        figures = view.findings.figures
        sheets = [*figure_sheets(figures), *finding_sheets(view.findings)]
        context = {
            "record": record,
            "view": view,
            "kinds": bars([(kind, figures.kinds[kind]) for kind in KINDS if figures.kinds[kind]]),
            "levels": bars(_levels(figures)),
            "sheets": {sheet.key: sheet for sheet in sheets},
            "finds": view.findings.finds,
            "broken": broken_targets(view.findings.broken)[:_MOST_BROKEN],
            "has_navigation": has_navigation,
            "only_content": only_content,
            "drawn": picture,
            "picture": _drawn(picture, site.addresses.page),
            "ranks": {page.address: page for page in picture.pages} if picture else {},
            "most_linked": content.most_linked if content is not None else view.findings.most_linked,
            "most": _MOST_ROWS,
            "written": written,
        }
        return render(request, "survey.html", snapshot, context, modified=changed_at(record))


def survey_asked(request: Request, snapshot: Snapshot) -> RunRecord:
    """The survey that a request names; there is none for other runs."""
    record = run_asked(request, snapshot)
    if not has_survey(record) or record not in snapshot.complete:
        raise not_found("this run is no survey of a site")
    return record


def later(request: Request, snapshot: Snapshot, record: RunRecord) -> Response:
    """What is said while a survey is being read."""
    headers = {"Retry-After": "3", "Refresh": "3"}
    return render(request, "survey_later.html", snapshot, {"record": record}, status=503, headers=headers)


def bars(counts: Sequence[tuple[str, int]]) -> list[ChartBar]:
    """The bars of a chart, the longest of which has its whole width."""
    most = max((count for _, count in counts), default=1)
    return [ChartBar(name, count, round(100 * count / most, 2)) for name, count in counts]


def broken_targets(links: Sequence[BrokenLink]) -> list[BrokenTarget]:
    """The broken links by their targets, those with the most links first."""
    targets = []
    for (address, finding), group in groupby(links, key=lambda link: (link.target, link.finding)):
        found = [link for link in group if link.source is not None]
        targets.append(BrokenTarget(address, finding, found[:_MOST_SOURCES], len(found)))
    return sorted(targets, key=lambda target: (-target.count, target.address))


def _levels(figures: Figures) -> list[tuple[str, int]]:
    return [(str(level), counts.total()) for level, counts in sorted(figures.levels.items())]


def _drawn(picture: LinkPicture | None, href: Callable[[str], str]) -> Markup | None:
    if picture is None or not picture.pages:
        return None
    # Everything that comes from pages is escaped where the picture is drawn.
    return Markup(picture_svg(picture, href, standalone=False))
