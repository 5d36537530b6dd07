"""Run files in other triple stores: what QLever wants, and a run in a real Virtuoso."""

from __future__ import annotations

import gzip
from configparser import ConfigParser, ExtendedInterpolation
from pathlib import Path

import pytest
from SPARQLWrapper import JSON, SPARQLWrapper

from rdfcrawl.store.export.qlever_folder import QLEVERFILE, QUADS
from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.store.virtuoso_server import virtuoso_server

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with one run of donations."""
    place = tmp_path_factory.mktemp("donations") / "store"
    model, sites = ROOT / "models" / "bundestag.ttl", ROOT / "examples" / "sites"
    command = Command("run", str(model), "--replay", str(sites), "--store", str(place), "--no-record")
    assert command.wait() == 0, command.said
    return place


def test_what_qlever_reads(store: Path, tmp_path: Path) -> None:
    """Its quads are those of the run, and its Qleverfile can be read as it reads it; the same twice."""
    folder = tmp_path / "qlever"
    for _ in range(2):
        command = Command("export", "--format", "qlever", "-o", str(folder), "--run", "latest", "--store", str(store))
        assert command.wait() == 0, command.said
    runs = open_store(str(store)).runs
    assert gzip.decompress((folder / QUADS).read_bytes()) == gzip.decompress(
        runs.graph(runs.resolve("latest").id).read_bytes()
    )
    said = ConfigParser(interpolation=ExtendedInterpolation())
    said.optionxform = str  # type: ignore[assignment,method-assign]
    said.read(folder / QLEVERFILE)
    assert said["index"]["CAT_INPUT_FILES"] == f"zcat {QUADS}"
    assert said["data"]["FORMAT"] == "nq"


def test_qlever_needs_a_folder(store: Path) -> None:
    """The message says so."""
    command = Command("export", "--format", "qlever", "--store", str(store))
    assert command.wait() == 2
    assert "name a folder for them with -o" in command.said


@pytest.mark.exhaustive
def test_a_run_in_virtuoso(store: Path, tmp_path: Path) -> None:
    """Its bulk loader reads the run file as it is, and every triple is in the graph of the run."""
    runs = open_store(str(store)).runs
    record = runs.resolve("latest")
    folder = tmp_path / "virtuoso"
    folder.mkdir()
    content = gzip.decompress(runs.graph(record.id).read_bytes())
    (folder / f"{record.id}.nq.gz").write_bytes(runs.graph(record.id).read_bytes())
    with virtuoso_server(folder) as server:
        server.execute(f"ld_dir('{folder}', '*.nq.gz', 'urn:none')", "rdf_loader_run()", "checkpoint")
        asked = SPARQLWrapper(server.endpoint)
        asked.setReturnFormat(JSON)
        asked.setQuery(f"SELECT (count(*) AS ?many) WHERE {{ GRAPH <{record.iri}> {{ ?s ?p ?o }} }}")
        found = asked.queryAndConvert()
    assert int(found["results"]["bindings"][0]["many"]["value"]) == content.count(b"\n")  # type: ignore[call-overload,index]
