"""What a run counts; kept with the queue, it survives a restart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Choice, Engine
from rdfcrawl.engine.frontier.entries import Counted, PageResult


@dataclass(slots=True)
class Tally:
    """What the run has counted so far, and how much of it the frontier knows already."""

    choice: Choice
    pages: Counter[str] = field(default_factory=Counter)
    problems: Counter[str] = field(default_factory=Counter)
    triples: int = 0
    seconds: float = 0.0
    unchanged: int = 0
    _told: Counted = field(default_factory=Counted)

    @classmethod
    def resumed(cls, engine: Engine, counted: Counted) -> Tally:
        """The tally as the frontier has it."""
        by_name: dict[str, Counter[str]] = {}
        for (name, kind), amount in counted.amounts.items():
            if name != "seconds":
                by_name.setdefault(name, Counter())[kind] = int(amount)

        def of(name: str) -> Counter[str]:
            return by_name.get(name, Counter())

        return cls(
            Choice(engine, dict(counted.reasons), of("plain"), of("helped"), of("in_vain")),
            of("pages"),
            of("problems"),
            of("triples").total(),
            counted.amounts.get(("seconds", ""), 0.0),
            of("unchanged").total(),
            counted,
        )

    def count(self, result: PageResult) -> None:
        """Count a page that was read, or that could not be."""
        self.pages[result.engine] += result.is_visit
        self.unchanged += result.unchanged
        self.triples += len(result.triples)
        self.problems.update(problem.kind.value for problem in result.problems)

    def news(self) -> Counted:
        """What was counted since the last call, to be committed."""
        now = self._counted()
        before, self._told = self._told, now
        return Counted(
            {name: new for name, amount in now.amounts.items() if (new := amount - before.amounts.get(name, 0))},
            {page: reason for page, reason in now.reasons.items() if before.reasons.get(page) != reason},
        )

    def _counted(self) -> Counted:
        kinds: Mapping[str, Mapping[str, float]] = {
            "pages": self.pages,
            "problems": self.problems,
            "plain": self.choice.plain,
            "helped": self.choice.helped,
            "in_vain": self.choice.in_vain,
            "triples": {"": self.triples},
            "seconds": {"": self.seconds},
            "unchanged": {"": self.unchanged},
        }
        amounts = {(name, kind): amount for name, counts in kinds.items() for kind, amount in counts.items()}
        return Counted(amounts, dict(self.choice.reasons))
