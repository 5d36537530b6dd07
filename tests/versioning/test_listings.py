"""The changes of the five published examples, made as they were made there: by editing the stored first run."""

from __future__ import annotations

from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.ntriples import iri, split
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.written_runs import WrittenRuns

_ROOT = Path(__file__).parents[2]
_LISTINGS = _ROOT / "tests/examples/listings"
_MODELS = {"A": "bundestag", "B": "campus-tum", "C": "chefkoch", "D": "imdb", "E": "muenchen"}

each_example = pytest.mark.parametrize("letter", _MODELS)


def _listing(name: str) -> set[str]:
    content = (_LISTINGS / f"{name}.ttl").read_bytes()
    return {f"{quad.triple} ." for quad in ox.parse(content, format=ox.RdfFormat.TURTLE)}


def _model(letter: str) -> str:
    return (_ROOT / f"models/{_MODELS[letter]}.ttl").read_text(encoding="utf-8")


def _edited(letter: str, graph: set[str]) -> set[str]:
    """The first run with the edits of listing 9: its values replace those that the run has found itself."""
    model = load_model(_ROOT / f"models/{_MODELS[letter]}.ttl")
    properties = {iri(prop.predicate) for item in model.items() for prop in item.properties}
    edits = _listing(f"{letter}9")
    overwritten = {split(line)[:2] for line in edits if split(line)[1] in properties}
    return {line for line in graph if split(line)[:2] not in overwritten} | edits


@each_example
def test_the_first_run_reports_the_topmost_objects_only(letter: str, runs: WrittenRuns) -> None:
    """Listings 6 and 8 are the changes; nothing of listing 7 is among them."""
    runs.add(1, _model(letter), _listing(f"{letter}4"))
    record_changes(runs.files, 1)
    changes = set(runs.recorded(1))
    assert changes == _listing(f"{letter}6") == _listing(f"{letter}8")
    assert not changes & _listing(f"{letter}7")


@each_example
def test_the_second_run_reports_what_was_changed_and_removed(letter: str, runs: WrittenRuns) -> None:
    """Listings 10 and 12 are the changes; nothing of listing 11 is among them."""
    graph = _listing(f"{letter}4")
    runs.add(1, _model(letter), _edited(letter, graph))
    runs.add(2, _model(letter), graph)
    record_changes(runs.files, 2)
    changes = set(runs.recorded(2))
    assert changes == _listing(f"{letter}10") == _listing(f"{letter}12")
    assert not changes & _listing(f"{letter}11")
