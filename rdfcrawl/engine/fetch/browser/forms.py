"""Forms in the browser: fields are filled in as a person would, and the button is clicked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rdfcrawl.engine.fetch.browser.interactions import BrowserLimits, settle
from rdfcrawl.engine.fetch.browser.tab import Tab
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.expressions.selectors import xpath_of

EXPECTED_MS: Final = 1_000
"""How long a form may take to appear."""


async def send_form(tab: Tab, fills: Sequence[tuple[str, str]], submit: str, limits: BrowserLimits) -> None:
    """Fill in the fields and click the button; raises ``FetchFailed`` for what is not there."""
    for path, value in fills:
        fault = await tab.call("fill", xpath_of(path), value)
        if fault is not None:
            raise FetchFailed(ProblemKind.NO_FORM, f"the field {path} {fault}")
    before = await settle(tab, "", limits.wait_ms)
    if not await tab.call("submit", xpath_of(submit)):
        raise FetchFailed(ProblemKind.NO_FORM, f"the button {submit} is not on the page")
    await settle(tab, "", limits.wait_ms, before=before)


async def shows(tab: Tab, path: str, bound_ms: int) -> bool:
    """Whether what a path selects is there, or appears in time."""
    return await tab.call("present", xpath_of(path), bound_ms, seconds=bound_ms / 1000) is True
