"""What a run's queue and journal say at its end: the edges between objects, how many there are, what was not read."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.engine.run.journal import Journal
from rdfcrawl.metamodel.edges import predicates_below
from rdfcrawl.metamodel.model import Model, Section
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.runs.record import SectionRecord
from rdfcrawl.store.runs.unread import Unread


@dataclass(frozen=True, slots=True)
class Summary:
    """What goes into the record: objects by the predicate that leads to them, sections, and what was not read.

    ``edges`` is how many edges between pages were added to the journal.
    """

    objects: dict[str, int]
    sections: tuple[SectionRecord, ...]
    unread: Unread
    edges: int


@dataclass(frozen=True, slots=True)
class Edges:
    """How many edges there are between pages, and how many of them begin at each section."""

    count: int
    at_section: Counter[str]


async def summarise(
    model: Model, sections: Sequence[Section], frontier: Frontier, journal: Journal, edges: Edges
) -> Summary:
    """Count what is in the journal, which has the edges between pages and is closed."""
    reasons: defaultdict[str, dict[str, int]] = defaultdict(dict)
    async for rows in frontier.failures_by_section():
        for address, reason, count in rows:
            reasons[address][reason] = count
    predicates = [item.predicate for item in model.items()]
    return Summary(
        objects=await asyncio.to_thread(count_objects, journal.triples_path, predicates),
        sections=tuple(
            SectionRecord(
                section.address,
                complete=not reasons[section.address],
                objects=edges.at_section[section.address],
                reasons=reasons[section.address],
            )
            for section in sections
        ),
        unread=await unread(model, frontier),
        edges=edges.count,
    )


async def write_edges(frontier: Frontier, journal: Journal, sections: Sequence[Section]) -> Edges:
    """Complete the journal with the edges between pages, and close it."""
    starts = {section.address for section in sections}
    edges = 0
    at_start: Counter[str] = Counter()
    async for rows in frontier.edges():
        edges += len(rows)
        at_start.update(parent for parent, *_ in rows if parent in starts)
        triples = [f"{iri(parent)} {predicate} {target}" for parent, predicate, target in rows]
        await asyncio.to_thread(journal.write, triples, ())
    await asyncio.to_thread(journal.sync)
    journal.close()
    return Edges(edges, at_start)


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


async def unread(model: Model, frontier: Frontier) -> Unread:
    """The objects and lists whose absence means nothing, because their pages could not be read."""
    objects: set[str] = set()
    lists: set[tuple[str, str]] = set()
    async for rows in frontier.unread_entries():
        for page, key, parent in rows:
            described = model.page(page)
            if key and described.address_names_object:
                objects.add(key)
            # An address of a site that was not read may have led to others.
            if not key or not described.address_names_object or described.is_survey:
                lists.update((parent, predicate) for predicate in predicates_below(model, page))
    return Unread(tuple(sorted(objects)), tuple(sorted(lists)))
