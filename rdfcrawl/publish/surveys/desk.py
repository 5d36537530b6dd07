"""Findings of surveys are computed beside the requests, one survey at a time, and kept for the next readers."""

from __future__ import annotations

import threading
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Final

from rdfcrawl.errors import UsageError
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.centrality import LinkPicture, picture_of
from rdfcrawl.survey.findings import Findings, findings_of

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


class SurveyDesk:
    """The surveys that somebody has asked for."""

    def __init__(self) -> None:
        self._work = ThreadPoolExecutor(1, thread_name_prefix="survey")
        self._lock = threading.Lock()
        self._views: OrderedDict[tuple[int, str], Future[SurveyView]] = OrderedDict()

    def view(self, files: RunFiles, record: RunRecord, seconds: float) -> SurveyView | None:
        """The survey of a run if it is ready in so many seconds; otherwise it will be later."""
        # A run that was damaged and restored, or replaced, is another one.
        key = record.id, str(sorted(record.checksums.items()))
        with self._lock:
            waiting = self._views.get(key)
            if waiting is None or (waiting.done() and waiting.exception() is not None):
                waiting = self._views[key] = self._work.submit(_view, files, record)
            self._views.move_to_end(key)
            while len(self._views) > _KEPT:
                self._views.popitem(last=False)[1].cancel()
        try:
            return waiting.result(seconds)
        except TimeoutError:
            return None

    def close(self) -> None:
        """Begin nothing more."""
        self._work.shutdown(wait=False, cancel_futures=True)


def _view(files: RunFiles, record: RunRecord) -> SurveyView:
    findings = findings_of(files, record)
    count = len(findings.broken)
    kept = findings.shortened(_MOST_FOUND)
    try:
        return SurveyView(kept, picture_of(files, record, findings.most_linked), broken_count=count)
    except UsageError as error:
        return SurveyView(kept, None, str(error), count)
