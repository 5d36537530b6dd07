"""Runs made by hand: their lines are given, the rest of them is the least that a run has."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.index import Index, Reader
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunRecord, RunState, SectionRecord

Triples = Iterable[tuple[str, str, str]]
AddRun = Callable[..., RunRecord]


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return open_store(tmp_path / "store")


@pytest.fixture(scope="session")
def add_run() -> AddRun:
    """A function that brings a run of given sections and triples (of short names) into a store."""

    def add(
        store: Store,
        run: int,
        sections: Iterable[str],
        triples: Triples,
        predicates: Iterable[str] = (),
        state: RunState = RunState.COMPLETE,
    ) -> RunRecord:
        lines = store.folder.parent / f"{run}.lines"
        lines.write_text("".join(f"{line(*triple)} <run://{run}> .\n" for triple in triples))
        record = RunRecord(
            id=run,
            state=state,
            started=datetime.fromtimestamp(run, UTC),
            model=ModelUsed("digest", "model.ttl", predicates=Predicates(properties=tuple(predicates))),
            sections=tuple(SectionRecord(section) for section in sections),
        )
        about = f'<run://{run}> <p:state> "complete" <record://{run}> .\n'.encode()
        finished = finish_run(store, record, lines, about, "# model")
        store.refresh()
        return finished

    return add


def line(subject: str, predicate: str, value: str) -> str:
    """A statement without its graph; a value with a colon is an IRI, any other a string."""
    return f"<{subject}> <{predicate}> " + (f"<{value}>" if ":" in value else f'"{value}"')


@pytest.fixture
def triples_of() -> Callable[[Reader, Iterable[str]], set[tuple[str, str, str]]]:
    """A function that returns the triples of some graphs, by their short names."""

    def triples(reader: Reader, graphs: Iterable[str]) -> set[tuple[str, str, str]]:
        found: set[tuple[str, str, str]] = set()
        for graph in graphs:
            for quad in reader.store.quads_for_pattern(None, None, None, ox.NamedNode(graph)):
                found.add((quad.subject.value, quad.predicate.value, quad.object.value))  # type: ignore[union-attr]
        return found

    return triples


@pytest.fixture
def current(triples_of: Callable[..., set[tuple[str, str, str]]]) -> Callable[[Store], set[tuple[str, str, str]]]:
    """A function that returns the current triples of a store."""

    def triples(store: Store) -> set[tuple[str, str, str]]:
        assert isinstance(store.data, Index)
        with store.read(store.data) as reader:
            return triples_of(reader, reader.held.default)

    return triples
