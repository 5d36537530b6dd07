"""The end of a survey: what is only known when everything is read becomes part of the run."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import field
from heapq import nlargest
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.frontier.entries import SurveyedAddress
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.journal import Journal
from rdfcrawl.engine.site.facts import SiteKind, settled_facts, term
from rdfcrawl.engine.site.leads import TRAP
from rdfcrawl.engine.site.traps import TRAPS
from rdfcrawl.metamodel.edges import predicates_inside
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.ntriples import RDF_TYPE, iri
from rdfcrawl.store.files.lines import Keeps

_OF_ORIGINALS: Final = ("linkCount", "imageCount", "score", "find", "meets")
"""The facts that a duplicate has not of its own."""
_SLOWEST: Final = 1_000
"""How many of the slowest addresses the record of a run names."""


@dataclass(slots=True)
class SurveySummary:
    """What a survey came to: addresses by kind and by depth, which are duplicates, and the slowest ones."""

    kinds: Counter[str] = field(default_factory=Counter)
    levels: Counter[int] = field(default_factory=Counter)
    duplicates: set[bytes] = field(default_factory=set)
    slowest: list[tuple[float, str]] = field(default_factory=list)
    _trapped: dict[tuple[str, str, str], tuple[int, str]] = field(default_factory=dict)

    def add(self, found: Sequence[SurveyedAddress]) -> None:
        """Count some addresses."""
        self.kinds.update(one.kind for one in found)
        self.levels.update(one.depth for one in found)
        self.duplicates.update(iri(one.address).encode() for one in found if one.kind == SiteKind.DUPLICATE)
        timed = [(one.seconds, one.address) for one in found if one.seconds is not None]
        self.slowest = nlargest(_SLOWEST, (*self.slowest, *timed))
        for one in found:
            if one.reason is not None and one.reason.startswith(TRAP):
                place = (one.page, one.reason.removeprefix(TRAP), host_of(one.address))
                count, example = self._trapped.get(place, (0, one.address))
                self._trapped[place] = count + 1, min(example, one.address)

    def problems(self) -> Iterator[Problem]:
        """One problem for each kind of trap at each host."""
        for (page, trap, host), (count, example) in self._trapped.items():
            common = TRAPS.get(trap, "lead to ever new ones")
            said = f"{trap}: {count:,} addresses of {host} {common} and were not read"
            yield Problem(ProblemKind.TRAP, example, page, said)


async def settle_surveys(model: Model, frontier: Frontier, journal: Journal) -> SurveySummary:
    """Write what is known of every address of the sites of a model, now that everything is read."""
    summary = SurveySummary()
    pages = [page.iri for page in model.pages.values() if page.is_survey]
    if not pages:
        return summary
    await frontier.settle_surveys(pages)
    async for found in frontier.surveyed():
        summary.add(found)
        triples = [
            triple
            for one in found
            for triple in settled_facts(one.address, one.kind, one.depth, one.reason, one.original)
        ]
        await asyncio.to_thread(journal.write, triples, ())
    return summary


def keeps_triples(model: Model, duplicates: set[bytes]) -> Keeps | None:
    """The rule that leaves out what only the page that a duplicate repeats is to say."""
    if not duplicates:
        return None
    dropped = {term(name).encode() for name in _OF_ORIGINALS} | {RDF_TYPE.encode()}
    read_as = {page.read_as for page in model.pages.values() if page.read_as is not None}
    for page in model.pages.values():
        if page.item is not None and (page.is_survey or page.iri in read_as):
            dropped |= {iri(prop.predicate).encode() for prop in page.item.properties}
            dropped |= {iri(predicate).encode() for predicate in predicates_inside(model, page)}

    def keeps(line: bytes) -> bool:
        subject, predicate, _ = line.split(b" ", 2)
        if subject in duplicates:
            return predicate not in dropped
        # What is nested in the object of a page is named after it.
        return b"#" not in subject or subject.partition(b"#")[0] + b">" not in duplicates

    return keeps


def keeps_links(duplicates: set[bytes]) -> Keeps | None:
    """The rule that leaves out the links of duplicates."""
    return (lambda line: line[: line.index(b" ")] not in duplicates) if duplicates else None
