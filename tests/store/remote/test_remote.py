"""A SPARQL server as a store: copies of the runs at a real Oxigraph server."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.rdf.endpoint import ServerAccess
from rdfcrawl.rdf.sparql import SparqlEndpoint
from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryForm, ResultFormat
from rdfcrawl.store.remote.endpoints import CHANGES, Endpoints, credentials_at, endpoints_of
from rdfcrawl.store.remote.server import RemoteStore, count_values
from rdfcrawl.store.runs.record import ModelUsed, RunRecord, RunState, SectionRecord
from tests.sparql_server import SparqlServer, free_port, sparql_server

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
    data = RemoteStore(endpoints, "without/data", tmp_path / "lock", ServerAccess())
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
    """Rebuilding the store restores what someone dropped at the server."""
    add_run(remote, 41, ["s:r5"], [("s:r5", "i:", "x:")])
    SparqlEndpoint(server.update, ServerAccess()).update("DROP GRAPH <run://41>")
    assert answer(remote, "SELECT ?o { <s:r5> <i:> ?o }") == []
    remote.refresh_one(remote.data, anew=True)
    assert answer(remote, "SELECT ?o { <s:r5> <i:> ?o }") == ["x:"]


def test_a_server_that_is_away_for_a_while_gets_its_copy_when_it_is_back(
    tmp_path: Path, store: Store, add_run: AddRun
) -> None:
    """Each request is tried again; the server has lost everything meanwhile, and gets everything."""
    port = free_port()
    pauses: list[float] = []
    with ExitStack() as running:

        def pause(seconds: float) -> None:
            pauses.append(seconds)
            if len(pauses) == 3:
                running.enter_context(sparql_server(port))

        address = f"http://127.0.0.1:{port}/query"
        data = RemoteStore(endpoints_of(address), "away/data", tmp_path / "lock", ServerAccess(sleep=pause))
        with sparql_server(port):
            add_run(Store(store.folder, data, store.changes), 71, ["s:r7"], [("s:r7", "i:", "x:")])
        add_run(Store(store.folder, data, store.changes), 72, ["s:r8"], [("s:r8", "i:", "x:")])
        assert pauses == [0.5, 1.0, 2.0]
        assert data.held().graphs.keys() == {"run://71", "record://71", "run://72", "record://72"}


def test_known_prefixes_and_a_servers_own_error_message(remote: Store) -> None:
    """Prefixes are declared for the server; what it says about a wrong query is passed on."""
    assert answer(remote, "SELECT (xsd:integer('7') AS ?n) {}") == ["7"]
    with pytest.raises(StoreError, match=r"refuses POST: 400 .*error at 1:19: expected"):
        answer(remote, "SELECT * { ?s ?p }")


def test_data_and_changes_need_two_places(server: SparqlServer) -> None:
    """Both name their graphs by the run."""
    for changes in (server.query, f"{server.query}/", server.query.removesuffix("/query")):
        with pytest.raises(StoreError, match="can hold only one of them"):
            open_store(server.query, changes=changes)


def test_data_and_changes_do_not_replace_each_other_at_one_server(
    server: SparqlServer, tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two names of one machine look like two servers; the server itself knows what it has."""
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "one-server"))
    store = open_store(server.query, changes=server.query.replace("127.0.0.1", "localhost"))
    with pytest.raises(StoreError, match="has the data of this store"):
        add_run(store, 51, ["s:r6"], [("s:r6", "i:", "x:")])
    assert answer(open_store(server.query), "SELECT ?o { <s:r6> <i:> ?o }") == ["x:"]


@pytest.mark.parametrize(
    ("address", "update", "graphs"),
    [
        ("http://h:7878", "http://h:7878/update", "http://h:7878/store"),
        ("http://h:7878/query", "http://h:7878/update", "http://h:7878/store"),
        ("http://h/ds/query", "http://h/ds/update", "http://h/ds/data"),
        ("http://h/ds/sparql", "http://h/ds/update", "http://h/ds/data"),
        ("http://h/repositories/x", "http://h/repositories/x/statements", "http://h/repositories/x/rdf-graphs/service"),
        ("http://h:8890/sparql", "http://h:8890/sparql-auth", "http://h:8890/sparql-graph-crud-auth"),
    ],
)
def test_the_endpoints_of_usual_servers_are_known(address: str, update: str, graphs: str) -> None:
    """Oxigraph, Fuseki, GraphDB and Virtuoso."""
    query = address if address != "http://h:7878" else "http://h:7878/query"
    assert endpoints_of(address) == Endpoints(query, update, graphs)


def test_the_environment_names_other_endpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said counts more than what is usual, for data and changes each on its own."""
    monkeypatch.setenv("RDFCRAWL_SPARQL_UPDATE_URL", "http://h/u")
    monkeypatch.setenv("RDFCRAWL_SPARQL_GRAPH_STORE_URL", "http://h/g")
    monkeypatch.setenv("RDFCRAWL_CHANGES_UPDATE_URL", "http://c/u")
    assert endpoints_of("http://h/query") == Endpoints("http://h/query", "http://h/u", "http://h/g")
    assert endpoints_of("http://c/query", CHANGES) == Endpoints("http://c/query", "http://c/u", "http://c/store")


def test_credentials_of_the_data_are_for_its_server_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes at the same server are asked for alike; at another one nobody asks who was not named for it."""
    monkeypatch.setenv("RDFCRAWL_SPARQL_TOKEN", "t0ken")
    assert credentials_at("http://h/b/query", CHANGES, data="http://h/a/query").token == "t0ken"
    assert credentials_at("http://elsewhere/query", CHANGES, data="http://h/a/query").header is None
    monkeypatch.setenv("RDFCRAWL_CHANGES_TOKEN", "0ther")
    assert credentials_at("http://h/b/query", CHANGES, data="http://h/a/query").token == "0ther"


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    """Addresses are recorded and shown; the message says where a password belongs."""
    with pytest.raises(UsageError, match=r"http://h/query: user and password .* RDFCRAWL_SPARQL_USER") as caught:
        open_store("http://ann:secret@h/query")
    assert "secret" not in str(caught.value)


def test_equal_values_that_a_server_keeps_once_are_no_alarm(remote: Store, tmp_path: Path) -> None:
    """1 and 1.0 are two lines of a run file and one value at the server."""
    assert count_values([b"<s:> <p:> <x:> .", b"<s:> <p:> <y:> .", b'<s:> <p:> "a" .', b'<s:> <p:> "b" .']) == (4, 4)
    decimals = [f'"{text}"^^<http://www.w3.org/2001/XMLSchema#decimal>' for text in ("1", "1.0", "2")]
    lines = tmp_path / "lines"
    lines.write_text("".join(f"<s:r6> <p:n> {value} <run://61> .\n" for value in decimals))
    begun = datetime.fromtimestamp(61, UTC)
    record = RunRecord(61, RunState.COMPLETE, begun, ModelUsed("", ""), (SectionRecord("s:r6"),))
    assert finish_run(remote, record, lines, b"", "").counts.triples == 3
    assert sorted(answer(remote, "SELECT ?n { <s:r6> <p:n> ?n }")) == ["1", "2"]


def test_a_store_keeps_its_name(tmp_path: Path) -> None:
    """What a store has copied is found again by its name, which is made once."""
    marker = open_store(tmp_path / "store").folder / "rdfcrawl-store.json"
    name = json.loads(marker.read_bytes())["id"]
    open_store(tmp_path / "store")
    assert json.loads(marker.read_bytes())["id"] == name
