"""Which engine reads a page: plain HTTP where that is enough, a browser where it is not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from rdfcrawl.metamodel.model import Page

_ENOUGH_TRIES: Final = 3


class Engine(StrEnum):
    """How pages are read."""

    AUTO = "auto"
    HTTP = "http"
    BROWSER = "browser"


@dataclass(slots=True)
class Choice:
    """What is known about each kind of page: why it needs the browser, or how often the browser brought no more."""

    engine: Engine
    reasons: dict[str, str] = field(default_factory=dict)
    vain_tries: Counter[str] = field(default_factory=Counter)

    def engine_for(self, page: Page) -> Engine:
        """The engine to begin with."""
        if self.engine is not Engine.AUTO:
            return self.engine
        if page.render is False:
            return Engine.HTTP
        if page.iri not in self.reasons and (demand := demand_of(page)):
            self.reasons[page.iri] = demand
        return Engine.BROWSER if page.iri in self.reasons else Engine.HTTP

    def may_try_browser(self, page: Page) -> bool:
        """Whether a page that plain HTTP brought without its content should be tried in the browser."""
        return self.engine is Engine.AUTO and page.render is not False and self.vain_tries[page.iri] < _ENOUGH_TRIES

    def browser_helped(self, page: Page, reason: str) -> None:
        """From now on pages of this kind go to the browser at once."""
        self.reasons[page.iri] = reason

    def browser_did_not_help(self, page: Page) -> None:
        """The page is bare in the browser as well."""
        self.vain_tries[page.iri] += 1

    def to_json(self) -> dict[str, Any]:
        """What a later start of the run must know."""
        return {"reasons": self.reasons, "vain_tries": dict(self.vain_tries)}

    @classmethod
    def from_json(cls, engine: Engine, values: dict[str, Any]) -> Choice:
        """The choice as an earlier start left it."""
        return cls(engine, dict(values.get("reasons", {})), Counter(values.get("vain_tries", {})))


def demand_of(page: Page) -> str | None:
    """The term by which the model itself demands a browser."""
    demands = {
        ":render true": page.render,
        ":scroll": page.scroll,
        ":wait": page.wait,
        ":waitFor": page.wait_for,
        ":click": page.clicks,
        ":more": page.more,
    }
    return next((f"the model says {term}" for term, value in demands.items() if value or value == 0), None)
