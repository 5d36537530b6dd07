"""The links of a survey are a file of the run: checked, restored, indexed, exported and pruned with it."""

from __future__ import annotations

import asyncio
import gzip
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.errors import DamagedFile
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.store.export.graphs import exported_lines
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.index import Index
from rdfcrawl.store.runs.integrity import ensure_whole
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.versioning.pruning import files_of

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> .
<model:> :section <http://site.example/> .
<http://site.example/> :page <page://site> .
<page://site> :type type:site .
"""
LINK = "<http://site.example/> <predicate://site/link> <http://site.example/a> <links://{run}> ."


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with one survey of two pages, which is only read."""
    folder = tmp_path_factory.mktemp("surveyed")
    pages = folder / "pages" / "site.example"
    pages.mkdir(parents=True)
    (pages / "index.html").write_text("<a href=/a>A</a>")
    (pages / "a.html").write_text("<a href=/>Start</a>")
    options = RunOptions(replay=str(folder / "pages"), engine=Engine.HTTP)
    asyncio.run(api.run(model_of_text(MODEL, "site.ttl"), store=folder / "store", options=options))
    return open_store(folder / "store")


def record_of(store: Store) -> RunRecord:
    return store.runs.resolve("latest")


def lines(path: Path) -> list[str]:
    return gzip.decompress(path.read_bytes()).decode().splitlines()


def test_the_record_has_the_checksum_of_the_links(surveyed: Store) -> None:
    """As of every file that holds RDF."""
    record = record_of(surveyed)
    assert RunFile.LINKS in record.checksums
    assert LINK.format(run=record.id) in lines(surveyed.runs.links(record.id))


def test_links_are_asked_for_in_a_graph_of_their_own(surveyed: Store) -> None:
    """They are no part of the current state."""
    assert isinstance(surveyed.data, Index)
    with surveyed.read(surveyed.data) as reader:
        graph = f"links://{record_of(surveyed).id}"
        query = "ASK {{ GRAPH <{}> {{ ?s <predicate://site/link> ?o }} }}".format
        assert reader.store.query(query(graph))
        assert not reader.store.query(query(record_of(surveyed).iri))
        assert graph not in reader.held.default


def test_a_damaged_file_of_links_is_restored_from_the_index(surveyed: Store, tmp_path: Path) -> None:
    """Where there is one; else it is reported."""
    store = open_store(shutil.copytree(surveyed.folder, tmp_path / "store"))
    record = record_of(store)
    path = store.runs.links(record.id)
    before = path.read_bytes()
    path.write_bytes(before[:-4])
    ensure_whole(store.runs, record, (RunFile.LINKS,))
    assert lines(path) == gzip.decompress(before).decode().splitlines()
    path.write_bytes(before[:-4])
    for folder in ("data", "archive"):
        (store.folder / folder).rename(store.folder / f"no-{folder}")
    with pytest.raises(DamagedFile, match="only a backup"):
        ensure_whole(store.runs, record, (RunFile.LINKS,))


@pytest.mark.parametrize(("run", "found"), [("latest", True), ("all", True), ("current", False)])
def test_links_are_exported_with_their_run(surveyed: Store, run: str, found: bool) -> None:
    """Not with the current state, and not into tables."""

    def exported(with_links: bool) -> Iterator[bytes]:
        with exported_lines(surveyed.runs, run, with_links=with_links) as made:
            yield from made()

    link = LINK.format(run=record_of(surveyed).id).encode()
    assert (link in list(exported(with_links=True))) is found
    assert link not in list(exported(with_links=False))


def test_links_are_pruned_with_their_run(surveyed: Store) -> None:
    """They are the larger part of it."""
    run = record_of(surveyed).id
    assert surveyed.runs.links(run) in list(files_of(surveyed, run))
