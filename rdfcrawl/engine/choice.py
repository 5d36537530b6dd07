"""Which engine reads a page: plain HTTP where that is enough, a browser where it is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import field
from enum import StrEnum
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.model import Page

_FIRST_TRIES: Final = 3


class Engine(StrEnum):
    """How pages are read."""

    AUTO = "auto"
    HTTP = "http"
    BROWSER = "browser"


@dataclass(slots=True)
class Choice:
    """Remembers for each kind of page how often plain HTTP was enough, and how often the browser helped.

    A kind goes to the browser at once when the model demands it, or when most of its pages have needed it. A kind of
    which only some pages need it is tried over HTTP first, page by page: that costs little.
    """

    engine: Engine
    reasons: dict[str, str] = field(default_factory=dict)
    plain: Counter[str] = field(default_factory=Counter)
    helped: Counter[str] = field(default_factory=Counter)
    in_vain: Counter[str] = field(default_factory=Counter)

    def engine_for(self, page: Page) -> Engine:
        """The engine to try first."""
        if self.engine is not Engine.AUTO:
            return self.engine
        if page.render is False:
            return Engine.HTTP
        if demand := demand_of(page):
            self.reasons[page.iri] = demand
            return Engine.BROWSER
        mostly = self.helped[page.iri] >= max(_FIRST_TRIES, self.plain[page.iri])
        return Engine.BROWSER if mostly else Engine.HTTP

    def may_try_browser(self, page: Page) -> bool:
        """Whether a page that plain HTTP returned without its content should be tried in the browser."""
        tries = _FIRST_TRIES * (1 + self.helped[page.iri])
        return self.engine is Engine.AUTO and page.render is not False and self.in_vain[page.iri] < tries

    def plain_was_enough(self, page: Page) -> None:
        """Plain HTTP returned what the page must have."""
        self.plain[page.iri] += 1

    def browser_helped(self, page: Page, reason: str) -> None:
        """The browser returned what plain HTTP did not."""
        self.reasons[page.iri] = reason
        self.helped[page.iri] += 1

    def browser_did_not_help(self, page: Page) -> None:
        """The page is bare in the browser as well."""
        self.in_vain[page.iri] += 1


def demand_of(page: Page) -> str | None:
    """The term by which the model itself demands a browser."""
    demands = {
        ":render true": page.render is True,
        ":scroll": page.scroll is not None,
        ":wait": page.wait is not None,
        ":waitFor": page.wait_for is not None,
        ":click": bool(page.clicks),
        ":more": page.more is not None,
    }
    return next((f"the model says {term}" for term, demanded in demands.items() if demanded), None)
