"""What a run's queue and journal say at its end: the edges between objects, how many there are, what was not read."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from rdfcrawl.engine.extract.plan import ModelPlan
from rdfcrawl.engine.frontier.sqlite import Frontier
from rdfcrawl.engine.journal import Journal
from rdfcrawl.metamodel.model import ObjectPage, Section
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.record import SectionRecord
from rdfcrawl.store.unread import Unread


@dataclass(frozen=True, slots=True)
class Summary:
    """What a run comes to: objects by the predicate that leads to them, sections, and what was not read."""

    objects: dict[str, int]
    sections: tuple[SectionRecord, ...]
    unread: Unread


def summarise(plan: ModelPlan, sections: Sequence[Section], frontier: Frontier, journal: Journal) -> Summary:
    """Complete the journal with the edges between pages, and count."""
    starts = {section.address for section in sections}
    at_section: Counter[str] = Counter()

    def edges() -> Iterable[str]:
        for parent, predicate, target in frontier.edges():
            if parent in starts:
                at_section[parent] += 1
            yield f"{iri(parent)} {predicate} {target}"

    journal.write(edges(), ())
    journal.sync()
    journal.close()
    reasons: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for address, reason, count in frontier.failures_by_section():
        reasons[address][reason] = count
    return Summary(
        objects=count_objects(journal.triples_path, [item.predicate for item in plan.model.items()]),
        sections=tuple(
            SectionRecord(
                section.address,
                complete=not reasons[section.address],
                objects=at_section[section.address],
                reasons=reasons[section.address],
            )
            for section in sections
        ),
        unread=unread(plan, frontier),
    )


def count_objects(lines: Path, predicates: Iterable[str]) -> dict[str, int]:
    """How many different objects each of the predicates leads to."""
    # Hashes instead of the IRIs themselves: a run of a million objects is counted in little memory.
    found: dict[bytes, set[int]] = {iri(predicate).encode(): set() for predicate in predicates}
    with lines.open("rb") as file:
        for line in file:
            _, predicate, rest = line.split(b" ", 2)
            if (objects := found.get(predicate)) is not None:
                objects.add(hash(rest.split(b" ", 1)[0]))
    return {predicate.decode()[1:-1]: len(objects) for predicate, objects in found.items() if objects}


def unread(plan: ModelPlan, frontier: Frontier) -> Unread:
    """The objects and lists whose absence says nothing, because their pages could not be read."""
    objects: set[str] = set()
    lists: set[tuple[str, str]] = set()
    for page, key, parent in frontier.unread_entries():
        if key and isinstance(plan.model.page(page), ObjectPage):
            objects.add(key)
        else:
            lists.update((parent, predicate) for predicate in plan.predicates_of(page))
    return Unread(tuple(sorted(objects)), tuple(sorted(lists)))
