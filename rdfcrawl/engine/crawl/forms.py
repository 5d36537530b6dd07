"""Forms over plain HTTP: the page with the form is fetched, the form is filled in and sent, its answer is the page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.document.errors import FormError
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request, Submission
from rdfcrawl.engine.fetch.submitting import submission
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.forms import Fill
from rdfcrawl.metamodel.model import Page

FOR_A_BROWSER: Final = (ProblemKind.NEEDS_BROWSER, ProblemKind.NO_FORM)
"""What keeps a form from being sent over plain HTTP; scripts may make it or send it."""


def fills_of(page: Page, values: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    """The paths and values of the fields that a page fills in; ``values`` are those of environment variables."""
    return tuple((fill.path, values.get(fill.value, fill.value)) for fill in page.fills)


async def with_form_sent(pool: WorkerPool, request: Request, page: Fetched, values: Mapping[str, str]) -> Request:
    """The request that sends the form of a page which was fetched; raises ``FetchFailed``."""
    sent = await filled_form(
        pool, request.page.iri, page, request.page.fills, values, frozenset({request.home or origin_of(page.address)})
    )
    return replace(request, submission=sent, known=None)


async def filled_form(
    pool: WorkerPool,
    page_iri: str,
    page: Fetched,
    fills: tuple[Fill, ...],
    values: Mapping[str, str],
    origins: frozenset[str],
    section: str | None = None,
) -> Submission:
    """The form of a page, or of the login of a section, with its values; raises ``FetchFailed``."""
    answer = await pool.form(page_iri, page, section)
    if answer.form is None:
        kind = ProblemKind.NO_FORM if answer.is_missing else ProblemKind.NEEDS_BROWSER
        raise FetchFailed(kind, answer.fault or "the page has no form")
    try:
        return submission(answer.form, fills, values, origins)
    except FormError as error:
        raise FetchFailed(ProblemKind.NO_FORM, str(error)) from None
