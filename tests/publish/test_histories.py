"""The history on the web is the one that ``rdfcrawl history`` tells."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.publish.data.histories import life
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.rdf.ntriples import iri
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.versioning.history import history
from rdfcrawl.versioning.observations import observations
from tests.publish.conftest import GONE, RECIPE, AddRun, thing

THING = "http://data.example.org/things/a"


def told_twice(store: Store, address: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
    """The events of an object, from the index and from the run files."""
    snapshots = Snapshots(store)
    with snapshots.using() as snapshot:
        on_the_web = [(str(event.kind), event.record.id) for event in life(snapshot, address).events]
    snapshots.close()
    return on_the_web, [
        (str(event.kind), event.run) for event in history(iri(address), observations(store.runs, address))
    ]


@pytest.mark.parametrize("address", [RECIPE, GONE])
def test_a_recipe_has_one_history(published: Store, address: str) -> None:
    """Whoever tells it."""
    on_the_web, on_the_command_line = told_twice(published, address)
    assert on_the_web == on_the_command_line != []


def test_an_object_that_comes_and_goes_has_one_history(tmp_path: Path, add_run: AddRun) -> None:
    """First seen, changed, removed, added again."""
    store = open_store(tmp_path / "store")
    lines = [thing("a", "A"), thing("a", "B"), thing("b", "other"), thing("a", "B")]
    for run, triples in enumerate(lines, start=1):
        add_run(store, run, triples)
    on_the_web, on_the_command_line = told_twice(store, THING)
    assert on_the_web == on_the_command_line == [("first seen", 1), ("changed", 2), ("removed", 3), ("added again", 4)]
