"""A SPARQL server as a store: a real Oxigraph server, and servers that refuse or stumble."""

from __future__ import annotations

import base64
import json
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.store.asking import ask
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.query import QueryForm, ResultFormat
from rdfcrawl.store.remote import RemoteStore
from rdfcrawl.store.remote_access import Access, Credentials, Endpoints, Refused, credentials_for, endpoints_of
from tests.sparql_server import SparqlServer, sparql_server

AddRun = Callable[..., object]


@pytest.fixture(scope="module")
def server() -> Iterator[SparqlServer]:
    """An Oxigraph server; each test uses runs of its own numbers."""
    with sparql_server() as running:
        yield running


@pytest.fixture
def remote(server: SparqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    """A store whose data is at the server."""
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
    return open_store(server.query)


def answer(store: Store, query: str, run: str = "current") -> list[str]:
    result, _ = ask(store, query, run, formats=dict.fromkeys(QueryForm, ResultFormat.CSV))
    with result.content:
        return result.content.read().decode().split()[1:]


def test_runs_are_copied_to_the_server_and_asked_there(remote: Store, add_run: AddRun) -> None:
    """The current state is the default graph there too, and runs are named graphs."""
    add_run(remote, 11, ["s:r1"], [("s:r1", "i:", "x:"), ("x:", "p:name", "old")])
    add_run(remote, 12, ["s:r1"], [("s:r1", "i:", "x:"), ("x:", "p:name", "new")])
    query = "SELECT ?n { <x:> <p:name> ?n }"
    assert answer(remote, query) == ["new"]
    assert answer(remote, query, "11") == ["old"]
    assert answer(remote, "SELECT ?g { GRAPH ?g { <x:> <p:name> 'old' } }") == ["run://11"]
    assert remote.data.held().graphs.keys() == {"run://11", "record://11", "run://12", "record://12"}
    assert remote.runs.ids() == [11, 12]


def test_a_graph_is_copied_without_a_graph_store_too(
    server: SparqlServer, tmp_path: Path, store: Store, add_run: AddRun
) -> None:
    """Where the server has no graph store, updates bring the batches."""
    endpoints = Endpoints(server.query, server.update, f"{server.address}/nothing-here")
    data = RemoteStore(endpoints, Credentials(), "without/data", tmp_path / "lock")
    add_run(Store(store.folder, data, store.changes), 21, ["s:"], [("s:", "i:", f"y:{n}") for n in range(50)])
    assert data.held().graphs.keys() == {"run://21", "record://21"}


def test_a_store_drops_and_replaces_only_its_own_graphs(
    server: SparqlServer, remote: Store, add_run: AddRun, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second store at the same server leaves the first one's runs alone, and what others have put there."""
    server.add("<a:> <b:> <c:> .", graph="g:foreign")
    add_run(remote, 31, ["s:r3"], [("s:r3", "i:", "x:")])
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "other"))
    other = open_store(server.query)
    add_run(other, 32, ["s:r4"], [("s:r4", "i:", "x:")])
    shutil.rmtree(other.runs.folder)
    other.refresh()
    assert other.data.held().graphs == {}
    assert answer(other, "SELECT ?s { ?s <i:> <x:> VALUES ?s { <s:r3> <s:r4> } }") == ["s:r3"]
    assert answer(other, "SELECT ?o FROM <g:foreign> { <a:> <b:> ?o }") == ["c:"]


def test_a_lost_copy_is_made_again(remote: Store, add_run: AddRun, server: SparqlServer) -> None:
    """Making the store anew brings back what someone has dropped at the server."""
    add_run(remote, 41, ["s:r5"], [("s:r5", "i:", "x:")])
    Access(Credentials()).send("POST", server.update, b"DROP GRAPH <run://41>", "application/sparql-update")
    assert answer(remote, "SELECT ?o { <s:r5> <i:> ?o }") == []
    remote.refresh(anew=True)
    assert answer(remote, "SELECT ?o { <s:r5> <i:> ?o }") == ["x:"]


def test_known_prefixes_and_a_servers_own_error_message(remote: Store) -> None:
    """Prefixes are declared for the server; what it says about a wrong query is passed on."""
    assert answer(remote, "SELECT (xsd:integer('7') AS ?n) {}") == ["7"]
    with pytest.raises(StoreError, match=r"refuses: .*expected"):
        answer(remote, "SELECT * { ?s ?p }")


def test_data_and_changes_need_two_places(server: SparqlServer) -> None:
    """Both name their graphs by the run."""
    with pytest.raises(StoreError, match="can hold only one of them"):
        open_store(server.query, changes=server.query)


@contextmanager
def answering(*statuses: int, body: bytes = b"") -> Iterator[tuple[str, list[dict[str, str]]]]:
    """A server that answers with these statuses, the last one for good; gives its address and the headers it got."""
    seen: list[dict[str, str]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            seen.append(dict(self.headers))
            self.send_response(statuses[min(len(seen), len(statuses)) - 1])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as listening:
        thread = threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.server_address[1]}/update", seen
        finally:
            listening.shutdown()
            thread.join()


def test_a_server_out_of_order_is_asked_again_after_growing_pauses() -> None:
    """Two failures and then a success are a success."""
    pauses: list[float] = []
    with answering(503, 500, 204) as (address, seen):
        Access(Credentials(), sleep=pauses.append).send("POST", address, b"x")
    assert len(seen) == 3
    assert pauses == [0.5, 1.0]


def test_a_refusal_is_final_and_says_why() -> None:
    """Status and first line of the answer are in the message, and how to say who asks."""
    with (
        answering(401, body=b"\nwho are you?\nmore") as (address, seen),
        pytest.raises(Refused, match=r"refuses POST: 401 Unauthorized: who are you\? \(RDFCRAWL_SPARQL_USER"),
    ):
        Access(Credentials()).send("POST", address, b"x")
    assert len(seen) == 1


def test_a_server_that_never_recovers_is_given_up() -> None:
    """After all attempts the last answer is the message."""
    with answering(503, body=b"down") as (address, seen), pytest.raises(Refused, match="503 Service Unavailable: down"):
        Access(Credentials(), attempts=3, sleep=lambda _: None).send("POST", address, b"x")
    assert len(seen) == 3


def test_nobody_there_is_said() -> None:
    """A refused connection names the address."""
    with pytest.raises(StoreError, match=r"http://127\.0\.0\.1:9/update does not answer: .*refused"):
        Access(Credentials(), attempts=2, sleep=lambda _: None).send("POST", "http://127.0.0.1:9/update", b"x")


@pytest.mark.parametrize(
    ("credentials", "header"),
    [
        (Credentials("ada", "secret"), "Basic " + base64.b64encode(b"ada:secret").decode()),
        (Credentials(token="t0ken"), "Bearer t0ken"),
    ],
)
def test_credentials_go_with_every_request(credentials: Credentials, header: str) -> None:
    """User and password, or a token."""
    with answering(204) as (address, seen):
        Access(credentials).send("POST", address, b"x")
    assert seen[0]["Authorization"] == header


def test_credentials_come_from_the_environment_or_the_netrc_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The environment comes first; without any entry nobody asks."""
    (tmp_path / "netrc").write_text("machine db.example login grace password hopper\n")
    monkeypatch.setenv("NETRC", str(tmp_path / "netrc"))
    assert credentials_for("https://db.example/query") == Credentials("grace", "hopper")
    assert credentials_for("https://other.example/query") == Credentials()
    monkeypatch.setenv("RDFCRAWL_SPARQL_USER", "ada")
    monkeypatch.setenv("RDFCRAWL_SPARQL_PASSWORD", "secret")
    assert credentials_for("https://db.example/query") == Credentials("ada", "secret")
    monkeypatch.setenv("RDFCRAWL_SPARQL_TOKEN", "t0ken")
    assert credentials_for("https://db.example/query") == Credentials(token="t0ken")


@pytest.mark.parametrize(
    ("address", "update", "graphs"),
    [
        ("http://h:7878", "http://h:7878/update", "http://h:7878/store"),
        ("http://h:7878/query", "http://h:7878/update", "http://h:7878/store"),
        ("http://h/ds/query", "http://h/ds/update", "http://h/ds/data"),
        ("http://h/ds/sparql", "http://h/ds/update", "http://h/ds/data"),
        ("http://h/repositories/x", "http://h/repositories/x/statements", "http://h/repositories/x/rdf-graphs/service"),
        ("http://h:8890/sparql", "http://h:8890/sparql", "http://h:8890/sparql-graph-crud-auth"),
    ],
)
def test_the_endpoints_of_usual_servers_are_known(address: str, update: str, graphs: str) -> None:
    """Oxigraph, Fuseki, GraphDB and Virtuoso."""
    query = address if address != "http://h:7878" else "http://h:7878/query"
    assert endpoints_of(address) == Endpoints(query, update, graphs)


def test_the_environment_names_other_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said counts more than what is usual."""
    monkeypatch.setenv("RDFCRAWL_UPDATE_URL", "http://h/u")
    monkeypatch.setenv("RDFCRAWL_GRAPH_STORE_URL", "http://h/g")
    assert endpoints_of("http://h/query") == Endpoints("http://h/query", "http://h/u", "http://h/g")


def test_a_store_keeps_its_name(tmp_path: Path) -> None:
    """What a store has copied is found again by its name, which is made once."""
    marker = open_store(tmp_path / "store").folder / "rdfcrawl-store.json"
    name = json.loads(marker.read_bytes())["id"]
    open_store(tmp_path / "store")
    assert json.loads(marker.read_bytes())["id"] == name
