"""What the web tells of an object is what ``rdfcrawl history`` and ``rdfcrawl diff`` tell."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.publish.data.histories import life
from rdfcrawl.publish.data.objects import label
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.rdf.ntriples import iri, term_text
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.versioning.compare import compare_with_previous
from rdfcrawl.versioning.history import history
from rdfcrawl.versioning.observations import observations
from rdfcrawl.versioning.report import make_report
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


@pytest.mark.parametrize(("labels", "called"), [(("Z", "A"), "A"), ((" ", "Z"), "Z"), ((), None)])
def test_an_object_has_one_label(tmp_path: Path, add_run: AddRun, labels: tuple[str, ...], called: str | None) -> None:
    """Of several values the same one is chosen from the index and from the run files."""
    store = open_store(tmp_path / "store")
    lines = [f"<http://data.example.org/things> <item://thing> <{THING}> .", f'<{THING}> <property://thing/home> "x" .']
    lines += [f'<{THING}> <property://thing/label> "{text}" .' for text in labels]
    record = add_run(store, 1, "\n".join(lines))
    (entry,) = make_report(compare_with_previous(store.runs, record)).entries
    assert (entry.label and term_text(entry.label)) == called
    snapshots = Snapshots(store)
    with snapshots.using() as snapshot:
        assert label(snapshot, THING) == called
    snapshots.close()
