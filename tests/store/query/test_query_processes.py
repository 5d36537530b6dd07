"""Queries are answered by processes that are forked from one that is kept."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.store.query.answer import QueryLimits, QueryMemory, QueryTimeout, run_query
from rdfcrawl.store.query.prepare import Query, QueryError
from rdfcrawl.store.query.processes import Ended, Template, run_anew

pytestmark = pytest.mark.usefixtures("cold_processes")

ONE = Query("SELECT ?c { ?a ?b ?c }", ("g:",))
ENDLESS = Query("SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }", ("many:",))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one statement, and a graph with many."""
    path = tmp_path_factory.mktemp("index")
    store = ox.Store(str(path))
    store.add(ox.Quad(ox.NamedNode("a:"), ox.NamedNode("b:"), ox.Literal("c"), ox.NamedNode("g:")))
    many = [ox.Quad(ox.NamedNode("a:"), ox.NamedNode("b:"), ox.Literal(i), ox.NamedNode("many:")) for i in range(2000)]
    store.extend(many)
    store.flush()
    return path


@pytest.fixture
def template() -> Iterator[Template]:
    """A process to fork."""
    made = Template()
    yield made
    made.close()


def values(folder: Path, template: Template) -> list[str]:
    """What a small question is answered with."""
    with run_query(folder, ONE, run=template.run).content as content:
        return [row["c"]["value"] for row in json.load(content)["results"]["bindings"]]


def process_of(template: Template) -> int:
    """The number of the kept process."""
    assert template._process is not None
    return template._process.pid


def forked_by(number: int) -> list[int]:
    """The processes that a process has forked and not yet reported."""
    return [int(child) for child in Path(f"/proc/{number}/task/{number}/children").read_text().split()]


def test_many_queries_are_answered_by_forks_of_one_process(folder: Path, template: Template) -> None:
    """Several at once, too; each has its own answer, and none is left when it has ended."""
    with ThreadPoolExecutor(4) as threads:
        answers = list(threads.map(lambda _: values(folder, template), range(12)))
    assert answers == [["c"]] * 12
    assert forked_by(process_of(template)) == []


def test_what_goes_wrong_is_told_as_ever(folder: Path, template: Template) -> None:
    """Mistakes, memory and time of the processor: limits hold for forked processes, and the next query is answered."""
    with pytest.raises(QueryError, match="this is no SPARQL"):
        run_query(folder, Query("SELECT nothing"), run=template.run)
    with pytest.raises(QueryTimeout):
        run_query(folder, ENDLESS, limits=QueryLimits(processor=0.05), run=template.run)
    large = Query(f'SELECT ?z {{ BIND("{"x" * 1000}" AS ?a0) ' + " ".join(
        f"BIND(CONCAT(?a{i}, ?a{i}) AS ?a{i + 1})" for i in range(16)) + " BIND(STRLEN(?a16) AS ?z) }")  # fmt: skip
    with pytest.raises(QueryMemory):
        run_query(folder, large, limits=QueryLimits(memory=16 << 20), run=template.run)
    assert values(folder, template) == ["c"]


def test_a_process_that_ends_without_a_word_had_no_memory_to_say_why(folder: Path) -> None:
    """Whichever library has ended it: it is the query's trouble, and no fault of the store."""
    with pytest.raises(QueryMemory):
        run_query(folder, ONE, run=lambda *_: Ended(255, b""))
    with pytest.raises(StoreError, match="could not be carried out: ValueError: what"):
        run_query(folder, ONE, run=lambda *_: Ended(1, b"\nValueError: what"))


def test_a_query_whose_time_is_up_is_ended(folder: Path, template: Template) -> None:
    """Who no longer waits for an answer leaves no process behind."""
    with pytest.raises(QueryTimeout):
        run_query(folder, ENDLESS, limits=QueryLimits(seconds=0.2), run=template.run)
    # The kept process serves one after the other: with the next answer the end of the first has been dealt with.
    for _ in range(100):
        assert values(folder, template) == ["c"]
        if not forked_by(process_of(template)):
            break
    assert forked_by(process_of(template)) == []


def test_a_kept_process_that_is_lost_is_replaced(folder: Path, template: Template) -> None:
    """Whatever has ended it: the next query is answered by a new one, and so is the one that was under way."""
    assert values(folder, template) == ["c"]
    first = process_of(template)
    os.kill(first, signal.SIGKILL)
    assert values(folder, template) == ["c"]
    assert process_of(template) != first


def test_forked_processes_end_with_the_one_they_come_from(folder: Path, template: Template) -> None:
    """A server that is closed leaves no query running."""
    with ThreadPoolExecutor(1) as threads:
        asked = threads.submit(run_query, folder, ENDLESS, limits=QueryLimits(processor=60.0), run=template.run)
        assert values(folder, template) == ["c"]
        forks = forked_by(process_of(template))
        template.close()
        with pytest.raises(StoreError, match="no queries are answered any more"):
            asked.result()
    assert forks
    assert not any(Path(f"/proc/{number}").exists() for number in forks)


def test_files_of_the_working_folder_are_no_modules(
    folder: Path, template: Template, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A ``json.py`` of one's own is imported neither by a process of its own nor by one that is forked."""
    (tmp_path / "json.py").write_text("raise SystemExit('imported')")
    monkeypatch.chdir(tmp_path)
    for run in (run_anew, template.run):
        with run_query(folder, ONE, run=run).content as content:
            assert b'"c"' in content.read()


def test_all_columns_come_in_the_order_of_the_query(folder: Path) -> None:
    """Oxigraph sorts the columns of ``*`` by name."""
    everything = Query("SELECT * { ?z ?b ?a }", ("g:",))
    with run_query(folder, everything).content as content:
        assert json.load(content)["head"]["vars"] == ["z", "b", "a"]
