"""Pages that a model is tried on: what each edit of it finds again of what was known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.repair.edits import Edit, edited
from rdfcrawl.drafting.repair.facts import Tally, found_by
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.extraction import Trace
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.metamodel.model import Model

_UNKNOWN_COST: Final = 0.3
"""What is found and was not known may be new; too much of it means that the wrong elements are read."""
_FIRST_PAGES: Final = 2
_FINALISTS: Final = 8


@dataclass(frozen=True, slots=True)
class Sheet:
    """A page to be read, whom its objects hang from, and what was known of them."""

    document: Document
    owner: str
    expected: Tally


@dataclass(frozen=True, slots=True)
class Standing:
    """How well a model reads the pages: what it finds of what was known, and how much else."""

    hits: Tally
    others: int

    @property
    def score(self) -> float:
        """Higher is better."""
        return self.hits.total() - _UNKNOWN_COST * self.others

    def hits_of(self, predicates: frozenset[str]) -> int:
        """How much was found again by these predicates."""
        return sum(count for (_, predicate, _), count in self.hits.items() if predicate in predicates)


class Bench:
    """The pages of one kind, and the trials on them."""

    def __init__(self, model: Model, page: str, sheets: Sequence[Sheet]) -> None:
        self.model = model
        self.page = page
        self.sheets = sheets
        # Those of which most is known tell most.
        self._first = sorted(sheets, key=lambda sheet: -sheet.expected.total())[:_FIRST_PAGES]

    @property
    def expected(self) -> Tally:
        """Everything that was known of the pages."""
        return sum((sheet.expected for sheet in self.sheets), Counter())

    def standing(self, edits: Sequence[Edit], sheets: Sequence[Sheet] | None = None) -> Standing | None:
        """How the edited model reads the pages; nothing if it cannot be evaluated on them."""
        try:
            plan = build_plan(edited(self.model, edits)).pages[self.page]
            hits: Tally = Counter()
            others = 0
            for sheet in self.sheets if sheets is None else sheets:
                found = found_by(extract(plan, sheet.document), sheet.owner)
                known = found & sheet.expected
                hits += known
                others += found.total() - known.total()
        except (DocumentError, ValueError, AssertionError):
            return None
        return Standing(hits, others)

    def traces(self, edits: Sequence[Edit]) -> list[tuple[Sheet, list[Trace]]]:
        """What became of every property on every page."""
        plan = build_plan(edited(self.model, edits)).pages[self.page]
        result = []
        for sheet in self.sheets:
            traces: list[Trace] = []
            extract(plan, sheet.document, traces)
            result.append((sheet, traces))
        return result

    def best(
        self, before: Sequence[Edit], choices: Sequence[Sequence[Edit]], current: Standing
    ) -> tuple[Sequence[Edit], Standing] | None:
        """The choice that reads the pages best and better than before; of equals, the one that is named first."""
        first = self.standing(before, self._first)
        assert first is not None
        tried = ((choice, self.standing([*before, *choice], self._first)) for choice in choices)
        better = [(choice, found.score) for choice, found in tried if found and found.score > first.score]
        better.sort(key=lambda one: -one[1])
        best: tuple[Sequence[Edit], Standing] | None = None
        for choice, _ in better[:_FINALISTS]:
            found = self.standing([*before, *choice])
            if found is not None and found.score > (best[1] if best else current).score:
                best = choice, found
        return best
