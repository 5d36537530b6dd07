"""Commands with the model, the data and the changes at three SPARQL servers."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rdfcrawl.cli import app
from rdfcrawl.errors import StoreError
from tests.sparql_server import SparqlServer, free_port, sparql_server

MODEL = Path("models/bundestag.ttl")


@pytest.fixture(scope="module")
def servers() -> Iterator[tuple[SparqlServer, SparqlServer, SparqlServer]]:
    """Where the model, the data and the changes are."""
    with sparql_server() as model, sparql_server() as data, sparql_server() as changes:
        model.add(MODEL.read_text(), graph="urn:models:bundestag")
        yield model, data, changes


def call(*arguments: str) -> Result:
    """Call a command; what stops it is its result's exception."""
    return CliRunner().invoke(app, list(arguments))


def run(model: SparqlServer, pages: Path) -> Result:
    return call("run", model.query, "--graph", "urn:models:bundestag", "--replay", str(pages), "--no-record")


def before(folder: Path) -> Path:
    """The site as it was before the change that the examples tell of."""
    pages = folder / "before"
    for source in (Path("examples/sites"), Path("examples/sites-before")):
        for page in (source / "www.bundestag.de").rglob("*"):
            if page.is_file():
                target = pages / page.relative_to(source)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(page.read_bytes())
    return pages


def test_model_data_and_changes_are_in_three_places(
    servers: tuple[SparqlServer, SparqlServer, SparqlServer], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two runs are copied to their servers, and every command finds what it needs."""
    model, data, changes = servers
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
    monkeypatch.setenv("RDFCRAWL_STORE", data.query)
    monkeypatch.setenv("RDFCRAWL_CHANGES", changes.query)
    for pages in (before(tmp_path), Path("examples/sites")):
        done = run(model, pages)
        assert done.exit_code == 0, done.output
    assert not (tmp_path / "folder" / "data").exists()
    assert not (tmp_path / "folder" / "changes").exists()

    old, new = (record["id"] for record in json.loads(call("runs", "--format", "json").stdout))
    count = "SELECT (COUNT(DISTINCT ?d) AS ?n) { ?section <item://donation> ?d }"
    assert call("query", count, "--format", "csv").stdout.split() == ["n", "39"]
    assert call("query", count, "--format", "csv", "--run", "previous").stdout.split()[1] != "39"
    found = call("query", "--changes", "SELECT ?o { ?s :removed ?o }", "--run", str(new), "--format", "csv")
    removed = found.stdout.split()[1:]
    compared = json.loads(call("diff", "--format", "json").stdout)
    assert (compared["old"], compared["new"]) == ([f"run://{old}"], f"run://{new}")
    assert compared["counts"]["removed"] == len(removed) > 0
    assert f"run://{new}  removed" in call("history", removed[0]).stdout


def test_what_is_suspected_and_accepted_is_brought_to_the_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model without a file is named by the copy that the run keeps."""
    emptied = tmp_path / "emptied"
    shutil.copytree("examples/sites/www.bundestag.de", emptied / "www.bundestag.de")
    for page in emptied.rglob("*.html"):
        page.write_text(re.sub("<tbody>.*?</tbody>", "<tbody></tbody>", page.read_text("utf-8"), flags=re.S), "utf-8")
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
    count = ("query", "SELECT (COUNT(*) AS ?n) { ?section <item://donation> ?d }", "--format", "csv")
    removed = ("query", "--changes", "SELECT (COUNT(*) AS ?n) { ?s :removed ?o }", "--format", "csv")
    with sparql_server() as model, sparql_server() as data, sparql_server() as changes:
        model.add(MODEL.read_text(), graph="urn:models:bundestag")
        monkeypatch.setenv("RDFCRAWL_STORE", data.query)
        monkeypatch.setenv("RDFCRAWL_CHANGES", changes.query)
        assert run(model, Path("examples/sites")).exit_code == 0
        suspecting = run(model, emptied)
        assert suspecting.exit_code == 1
        assert re.search(r"item://donation :path .* \(\S+/runs/\d+\.model\.ttl:\d+\)", suspecting.output)
        assert [call(*asked).stdout.split()[1] for asked in (count, removed)] == ["39", "0"]
        assert call("accept").exit_code == 0
        assert [call(*asked).stdout.split()[1] for asked in (count, removed)] == ["0", "39"]


def test_a_server_that_refuses_loses_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The message says why, the exit code is 2, and the same command brings the same run to the server later."""
    port, place = free_port(), tmp_path / "server"
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
    command = ["run", str(MODEL), "--replay", "examples/sites", "--no-record", "--store"]
    with sparql_server(port, place) as server:
        pass
    with sparql_server(port, place, read_only=True):
        refused = call(*command, server.query)
    assert isinstance(refused.exception, StoreError)
    assert refused.exception.exit_code == 2
    assert re.search(r"refuses POST: 403 Forbidden: The server is read-only.*\nNothing is lost", str(refused.exception))
    with sparql_server(port, place):
        done = call(*command, server.query)
        assert done.exit_code == 0, done.output
        (record,) = json.loads(call("runs", "--format", "json", "--store", server.query).stdout)
        graphs = call(
            "query", "SELECT DISTINCT ?g { GRAPH ?g { ?s ?p ?o } }", "--format", "csv", "--store", server.query
        )
        named = {f"{kind}://{record['id']}" for kind in ("run", "record", "changes")}
        assert set(graphs.stdout.split()) == {"g"} | named
