"""Servers that are not made for many triples: rdflib-endpoint as it is, and one that never answers large updates."""

from __future__ import annotations

import logging
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.rdf.endpoint import ServerAccess
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryForm, ResultFormat
from rdfcrawl.store.remote.batches import LEAST, MOST, BatchSize
from rdfcrawl.store.remote.endpoints import Endpoints
from rdfcrawl.store.remote.server import RemoteStore
from tests.sampling import sampled
from tests.sparql_server import SparqlServer, free_port, sparql_server

AddRun = Callable[..., object]
UNION, NONE, DEAF = "all", "none", "deaf"
SERVER = """
import sys
import uvicorn
from fastapi import FastAPI
from rdflib import Dataset
from rdflib_endpoint import SparqlEndpoint
class Deaf(Dataset):
    def query(self, query, **options):
        if not isinstance(query, str):
            query.algebra.pop("datasetClause", None)
        return Dataset.query(self, query, **options)

app = FastAPI()
for place, graph in (
    ("/all", Dataset(default_union=True)), ("/none", Dataset(default_union=False)), ("/deaf", Deaf(default_union=True))
):
    app.mount(place, SparqlEndpoint(graph=graph, enable_update=True))
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="info", access_log=True)
"""


@pytest.fixture(scope="module")
def rdflib_endpoints() -> Iterator[str]:
    """Real rdflib-endpoints, whose default graph has all graphs or none, or which do not even heed FROM.

    One process has all three: it needs two seconds to start.
    """
    port = free_port()
    command = (sys.executable, "-c", SERVER, str(port))
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        # It says on standard error when it is ready; what it says later has room in the pipe.
        assert any("Uvicorn running" in said for said in process.stderr)
        yield f"http://127.0.0.1:{port}/"
        process.terminate()


@pytest.fixture(params=sampled([UNION, NONE], [UNION]))
def rdflib_store(rdflib_endpoints: str, request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A store whose data is at an rdflib-endpoint, which takes everything at one address."""
    address = f"{rdflib_endpoints}{request.param}/"
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
        environment.setenv("RDFCRAWL_SPARQL_QUERY_URL", address)
        environment.setenv("RDFCRAWL_SPARQL_UPDATE_URL", address)
        yield open_store(address)


def answer(store: Store, query: str) -> list[str]:
    result, _ = ask(store, query, formats=dict.fromkeys(QueryForm, ResultFormat.CSV))
    with result.content:
        return result.content.read().decode().split()[1:]


def test_a_server_that_ignores_the_default_graph_finds_it_in_the_query(
    rdflib_store: Store, add_run: AddRun, caplog: pytest.LogCaptureFixture
) -> None:
    """Queries of every form are asked of the current state; what is wrong with one is said of it as it was written."""
    say_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        add_run(rdflib_store, 11, ["s:"], [("s:", "i:", "x:"), ("x:", "p:name", "old")])
        add_run(rdflib_store, 12, ["s:"], [("s:", "i:", "x:"), ("x:", "p:name", "new")])
        another = open_store(rdflib_store.data.location)
        assert answer(another, "SELECT ?n { <x:> <p:name> ?n }") == ["new"]
        assert answer(another, "SELECT (COUNT(*) AS ?n) WHERE { ?s ?p ?o }") == ["2"]
        both = "SELECT ?n ?old { <x:> <p:name> ?n GRAPH <run://11> { <x:> <p:name> ?old } }"
        assert answer(another, both) == ["new,old"]
        forms = {**dict.fromkeys(QueryForm, ResultFormat.JSON), QueryForm.GRAPH: ResultFormat.N_TRIPLES}
        for query in ("CONSTRUCT { ?s <p:> ?n } WHERE { ?s <p:name> ?n }", "CONSTRUCT WHERE { ?s <p:name> ?n }"):
            result, _ = ask(another, query, formats=forms)
            assert b"new" in (content := result.content.read())
            assert b"old" not in content
        for name, truth in (("old", b"false"), ("new", b"true")):
            result, _ = ask(another, f'ASK {{ <x:> <p:name> "{name}" }}', formats=forms)
            assert truth in result.content.read()
        # rdflib would fetch a graph that it does not have: it refuses, and the query is asked as it is.
        with pytest.raises(StoreError, match="nowhere"):
            answer(another, "SELECT ?n FROM <nowhere:> { <x:> <p:name> ?n }")
    assert "default-graph-uri" not in caplog.text


@pytest.mark.parametrize("rdflib_store", [DEAF], indirect=True)
def test_a_server_that_ignores_all_names_of_graphs_gets_a_warning(
    rdflib_store: Store, add_run: AddRun, caplog: pytest.LogCaptureFixture
) -> None:
    """When a run is copied and when a query is asked; a query that names its graph has the right answer.

    The second run is larger, and still copied in requests of about a second.
    """
    say_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        add_run(rdflib_store, 11, ["s:"], [("s:", "i:", "x:"), ("x:", "p:name", "old")])
        assert "ignores default-graph-uri" in caplog.text
        things = [("s:", "i:", f"x:{number}") for number in range(300)]
        add_run(rdflib_store, 12, ["s:"], [*things, ("x:", "p:name", "new")])
        assert rdflib_store.data.held().graphs.keys() == {"run://11", "record://11", "run://12", "record://12"}
        caplog.clear()
        say_once.cache_clear()
        another = open_store(rdflib_store.data.location)
        assert answer(another, "SELECT ?n { <x:> <p:name> ?n }") != ["new"]
        assert "name one, as in GRAPH <run://12> { … }" in caplog.text
    assert answer(another, "SELECT ?n { GRAPH <run://12> { <x:> <p:name> ?n } }") == ["new"]


def test_a_server_that_knows_the_default_graph_gets_none(
    tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also for a store that has copied nothing there itself, and where the current run is empty."""
    say_once.cache_clear()
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
    with sparql_server() as server, caplog.at_level(logging.WARNING):
        add_run(open_store(server.query), 11, ["s:"], [("s:", "i:", "x:")])
        monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "other"))
        assert answer(open_store(server.query), "SELECT ?o { <s:> <i:> ?o }") == ["x:"]
        add_run(open_store(server.query), 12, ["s:2"], [])
    assert "default-graph-uri" not in caplog.text


class Overtaxed:
    """A server that passes small updates on to another, and lets larger ones wait for as long as it is there."""

    def __init__(self, behind: SparqlServer, most_lines: int) -> None:
        self.behind = behind
        self.most_lines = most_lines
        self.ends = threading.Event()
        self.waiting: list[int] = []

    @contextmanager
    def listening(self) -> Iterator[str]:
        """Where it listens."""
        overtaxed = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if body.count(b"\n") > overtaxed.most_lines:
                    overtaxed.waiting.append(body.count(b"\n"))
                    overtaxed.ends.wait()
                    return
                kind = {"Content-Type": self.headers["Content-Type"]}
                urllib.request.urlopen(urllib.request.Request(overtaxed.behind.update, body, kind)).close()
                with suppress(OSError):
                    self.send_response(204)
                    self.end_headers()

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
            thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
            thread.start()
            try:
                yield f"http://127.0.0.1:{listening.server_address[1]}/update"
            finally:
                self.ends.set()
                listening.shutdown()
                thread.join()


@pytest.mark.parametrize("most_lines", [60, 10])
def test_a_server_that_is_not_in_time_gets_less_at_once_and_is_given_up_in_the_end(
    tmp_path: Path, store: Store, add_run: AddRun, most_lines: int
) -> None:
    """Nothing is sent a second time as it was: the server may still be at work on it."""
    triples = [("s:", "i:", f"x:{number:03}") for number in range(300)]
    with sparql_server() as behind:
        overtaxed = Overtaxed(behind, most_lines)
        with overtaxed.listening() as update:
            access = ServerAccess(timeout=0.5)
            data = RemoteStore(Endpoints(behind.query, update), "late/data", tmp_path / "lock", access)
            if most_lines == 60:
                add_run(Store(store.folder, data, store.changes), 81, ["s:"], triples)
                assert data.held().graphs.keys() == {"run://81", "record://81"}
            else:
                with pytest.raises(StoreError, match="does not answer: timed out"):
                    add_run(Store(store.folder, data, store.changes), 81, ["s:"], triples)
                assert len(overtaxed.waiting) == 2
            assert len(set(overtaxed.waiting)) == len(overtaxed.waiting)


def test_batches_are_what_a_server_takes_in_a_second() -> None:
    """They double at most, shrink to an eighth at most, and stay within bounds; a rest says less than a whole one."""
    size = BatchSize(400)
    assert size.after(400, 0.01).lines == 800
    assert size.after(400, 2.0).lines == 200
    assert size.after(400, 100.0).lines == 50
    assert size.after(4, 0.01).lines == 400
    assert BatchSize().after(MOST, 0.0).lines == MOST
    assert BatchSize(LEAST).after(LEAST, 60.0).lines == LEAST


def test_what_was_too_much_once_is_not_sent_again() -> None:
    """However fast the server takes less."""
    size = BatchSize(400).after_none(400)
    assert size.lines == 50
    for _ in range(9):
        size = size.after(size.lines, 0.0)
    assert size.lines == 200
