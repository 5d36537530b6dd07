"""From an extraction to the outcome of a queue entry: the rules about lists, retries and pages that failed."""

from __future__ import annotations

import asyncio
import random
import time
from typing import Final

from rdfcrawl.engine.extract.extraction import Extraction, Follow
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.frontier.entries import Entry, Outcome, PageResult
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.limits import list_ends
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.metamodel.model import Page
from rdfcrawl.rdf.characters import writable

RETRIES: Final = 3
_FIRST_PAUSE: Final = 1.0
_LONGEST_PAUSE: Final = 300.0

_CUT_SHORT: Final = frozenset(
    {ProblemKind.EMPTY_LIST, ProblemKind.LOOP, ProblemKind.INCOMPLETE, ProblemKind.NEEDS_BROWSER, ProblemKind.LIMIT}
    | {ProblemKind.UNREADABLE}
)
"""Problems that leave open what else a list would have shown."""


async def page_result(
    frontier: Frontier, entry: Entry, page: Page, extraction: Extraction, engine: str, list_pages: int
) -> PageResult:
    """The outcome of a page that was read; a list has no more than so many pages."""
    outcome = Outcome(entry, follows=extraction.follows, tops=extraction.tops, unread=extraction.unread)
    problems = extraction.problems
    if page.is_list:
        problems = problems + await _settle_list(frontier, entry, page, extraction, outcome, list_pages)
        outcome.incomplete = any(problem.kind in _CUT_SHORT for problem in problems)
    else:
        outcome.incomplete = not extraction.tops
        outcome.moved_to = _moved_to(entry, extraction)
    return PageResult(outcome, engine, extraction.triples + extraction.mentions, problems)


def _moved_to(entry: Entry, extraction: Extraction) -> str | None:
    """The IRI of an object whose page has moved, to recognise the object when the page cannot be read."""
    found = [name[1:-1] for _, name in extraction.tops]
    return found[0] if found and found[0] != entry.key else None


def failed_result(entry: Entry, kind: ProblemKind, reason: str, engine: str) -> PageResult:
    """The outcome of a page that could not be fetched; only a page that is certainly gone counts as seen."""
    outcome = Outcome(entry, failure=kind.value, incomplete=kind is not ProblemKind.GONE)
    return PageResult(outcome, engine, problems=[Problem(kind, entry.address, entry.page, writable(reason))])


def postponed_result(entry: Entry, until: float, engine: str) -> PageResult:
    """The outcome of a page that was not tried, because its host is left alone until a moment."""
    return PageResult(Outcome(entry, retry_at=until, tried=False), engine)


def retry_result(entry: Entry, failure: FetchFailed, engine: str, not_before: float = 0.0) -> PageResult | None:
    """The outcome of a page that is worth another try later; ``None`` when it has used up its tries."""
    if not failure.transient or entry.attempts + 1 >= RETRIES:
        return None
    pause = failure.retry_after
    if pause is None:
        pause = _FIRST_PAUSE * 2**entry.attempts * random.uniform(0.75, 1.25)
    if pause > _LONGEST_PAUSE:
        # Coming back earlier than asked would be rude, and a run must not wait a day for one page.
        return None
    return PageResult(Outcome(entry, retry_at=max(time.time() + pause, not_before)), engine)


async def _settle_list(
    frontier: Frontier, entry: Entry, page: Page, extraction: Extraction, outcome: Outcome, list_pages: int
) -> list[Problem]:
    """Where a list continues, and what is wrong with it; a list never loops."""

    def problem(kind: ProblemKind, reason: str, path: str | None = None) -> Problem:
        return Problem(kind, entry.address, entry.page, reason, path=path)

    entries = list(dict.fromkeys(extraction.entries))
    if not extraction.found and await frontier.is_start(entry):
        return [problem(ProblemKind.EMPTY_LIST, "the start list has no entries", page.list_path)]
    if page.next is None and page.total is None:
        return []
    outcome.entries = entries
    following = extraction.next_address
    key = clean_address(following, page.params) if following is not None else entry.key
    # Until both are known, the list does not go on.
    known, is_known = await asyncio.gather(frontier.list_has(entry, entries), frontier.in_list(entry, key))
    if entry.part and known == len(entries):
        return [problem(ProblemKind.LOOP, "this part of the list has nothing new; the list ends here")]
    if following is not None:
        if key == entry.key or is_known:
            reason = f"the next button leads back to {key}, which is already part of the list; the list ends here"
            return [problem(ProblemKind.LOOP, reason, page.next)]
        if entry.part + 1 >= list_pages:
            return [problem(ProblemKind.LIMIT, list_ends(list_pages))]
        outcome.next_part = Follow(entry.page, following, key)
        outcome.list_address = extraction.list_address
        return []
    if extraction.next_clicks:
        reason = "the next button has no address; only a browser can click it"
        return [problem(ProblemKind.NEEDS_BROWSER, reason, page.next)]
    length = await frontier.list_length(entry) + len(entries) - known
    if extraction.stated_total is not None and length < extraction.stated_total:
        reason = f"the page states {extraction.stated_total} results, {length} were found"
        return [problem(ProblemKind.INCOMPLETE, reason, page.total)]
    return []
