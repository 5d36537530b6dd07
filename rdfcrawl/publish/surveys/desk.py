"""Findings of surveys are computed beside the requests, one survey at a time, and kept for the next readers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar, cast

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError
from rdfcrawl.navigation.results.reading import content_links
from rdfcrawl.navigation.results.report import NavigationReport, report_of
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.centrality import LinkPicture, picture_of
from rdfcrawl.survey.findings import Findings, LinkedPage, findings_of, linked_most

T = TypeVar("T")

_KEPT: Final = 8
"""How many surveys are kept ready; each is small, whatever the size of the site."""
_MOST_FOUND: Final = 2_000
"""How many broken links and the like a page can show."""


@dataclass(frozen=True, slots=True)
class SurveyView:
    """What the page of a survey shows; without igraph there is no picture, and ``unpictured`` says why."""

    findings: Findings
    picture: LinkPicture | None
    unpictured: str = ""
    broken_count: int = 0


@dataclass(frozen=True, slots=True)
class ContentView:
    """The links of a survey without its navigation: the pages that most of them lead to, and their picture."""

    most_linked: Sequence[LinkedPage]
    picture: LinkPicture | None


class SurveyDesk:
    """The surveys that somebody has asked for."""

    def __init__(self) -> None:
        self._work = ThreadPoolExecutor(1, thread_name_prefix="survey")
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[str, ...], Future[Any]] = OrderedDict()

    def view(self, files: RunFiles, record: RunRecord, seconds: float) -> SurveyView | None:
        """The survey of a run if it is ready in so many seconds; otherwise it will be later."""
        return self._asked("survey", _view, files, record, seconds)

    def content(self, files: RunFiles, record: RunRecord, seconds: float) -> ContentView | None:
        """The same without navigation, which must have been recognised."""
        return self._asked("content", _content, files, record, seconds)

    def navigation(self, files: RunFiles, record: RunRecord, seconds: float) -> NavigationReport | None:
        """The navigation of a run, which must have been recognised."""
        return self._asked("navigation", report_of, files, record, seconds)

    def close(self) -> None:
        """Begin nothing more."""
        self._work.shutdown(wait=False, cancel_futures=True)

    def _asked(
        self,
        what: str,
        made: Callable[[RunFiles, RunRecord], T],
        files: RunFiles,
        record: RunRecord,
        seconds: float,
    ) -> T | None:
        # A run that was damaged and restored, or replaced, is another one; so is navigation by another rule.
        of_navigation = fingerprint(files.navigation(record.id)) if what != "survey" else ""
        key = what, str(record.id), str(sorted(record.checksums.items())), of_navigation
        with self._lock:
            waiting = self._views.get(key)
            if waiting is None or (waiting.done() and waiting.exception() is not None):
                waiting = self._views[key] = self._work.submit(made, files, record)
            self._views.move_to_end(key)
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)[1].cancel()
        try:
            return cast(T, waiting.result(seconds))
        except TimeoutError:
            return None


def _view(files: RunFiles, record: RunRecord) -> SurveyView:
    findings = findings_of(files, record)
    count = len(findings.broken)
    kept = findings.shortened(_MOST_FOUND)
    try:
        return SurveyView(kept, picture_of(files, record, findings.most_linked), broken_count=count)
    except UsageError as error:
        return SurveyView(kept, None, str(error), count)


def _content(files: RunFiles, record: RunRecord) -> ContentView:
    pages = linked_most(files, record, content_links(files, record))
    try:
        return ContentView(pages, picture_of(files, record, pages, content_links(files, record)))
    except UsageError:
        return ContentView(pages, None)
