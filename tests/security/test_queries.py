"""What a query can do to others: nothing. It asks no other host, and has bounds of memory, disk and time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import cast

import pyoxigraph as ox
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.query import reading
from rdfcrawl.store.query.answer import AnswerTooLarge, QueryLimits, QueryMemory
from rdfcrawl.store.query.asking import ask
from rdfcrawl.store.query.prepare import QueryError, known_prefixes
from rdfcrawl.store.runs.record import ModelUsed, RunRecord, RunState, SectionRecord
from tests.commands import Command
from tests.sampling import sampled

confined = pytest.mark.usefixtures("cold_processes")
"""For what depends on how the process that answers begins, is limited and ends."""

PREFIXES = {"known": "http://known.example/", "service": "http://service.example/"}
OTHER = "http://127.0.0.1:{port}/"

SPELLINGS = [
    "SELECT * { SERVICE <OTHER> { ?a ?b ?c } }",
    "SELECT * { service silent <OTHER> { ?a ?b ?c } }",
    "SELECT * { SERVICESILENT<OTHER>{?a ?b ?c} }",
    "PREFIX : <OTHER> SELECT * { SERVICE:x{?a ?b ?c} }",
    "PREFIX ex: <OTHER> SELECT * { sErViCeex:x{?a ?b ?c} }",
    "SELECT * { ?s ?p trueSERVICE<OTHER>{?a ?b ?c} }",
    "SELECT * { ?s ?p 1SERVICE<OTHER>{?a ?b ?c} }",
    "SELECT * { ?s ?p 1.SERVICE<OTHER>{?a ?b ?c} }",
    "SELECT * { ?s ?p ?o ;SERVICE<OTHER>{?a ?b ?c} }",
    "PREFIX ex: <OTHER> SELECT * { ?x ?y ex:.SERVICE<OTHER>{?a ?b ?c} }",
    "SELECT * { ?s ?p 'x'@enSERVICE<OTHER>{?a ?b ?c} }",
    "SELECT * { FILTER(1<2)SERVICE<OTHER>{?a ?b ?c} }",
    "SELECT * { FILTER EXISTS { SERVICE <OTHER> { ?a ?b ?c } } }",
    "SELECT * { { SELECT * { OPTIONAL { SERVICE <OTHER> { ?a ?b ?c } } } } }",
    "SELECT * { VALUES ?where { <OTHER> } SERVICE ?where { ?a ?b ?c } }",
    "ASK { SERVICE <OTHER> { ?a ?b ?c } }",
    "CONSTRUCT { ?a ?b ?c } WHERE { SERVICE <OTHER> { ?a ?b ?c } }",
    # One parser ends a comment here, the other does not.
    "SELECT * { # a comment\rSERVICE <OTHER> { ?a ?b ?c }\n}",
    # One parser resolves escapes before it looks for the end of a string, the other does not.
    'SELECT * { ?s ?p "\\u005C" . SERVICE <OTHER> { ?a ?b "\\u005C" } }',
    'SELECT * { ?s ?p "\\u0022" . SERVICE <OTHER> { ?a ?b "\\u0022" } }',
    # A name that is declared with other capitals than it is used.
    "PREFIX sERVICEex: <a:> PREFIX ex: <OTHER> SELECT * { ?s ?p ?o ~ SERVICEex:x { ?a ?b ?c } }",
    "PREFIX SERVICEex: <a:> SELECT * { ?s SERVICEex:p ?o ; SERVICE<OTHER>{?a ?b ?c} }",
    # What only one of the parsers knows.
    "SELECT * { ?s ?p <<( <a:a> <a:b> <a:c> )>> . SERVICE <OTHER> { ?a ?b ?c } }",
]
"""Queries that Oxigraph would send to another host, or that one parser or the other takes for such."""

CLAUSES = [
    "SERVICE<OTHER>{?a ?b ?c}",
    "SERVICE SILENT <OTHER> {?a ?b ?c}",
    "SERVICESILENT<OTHER>{}",
    "serviceex:x{?a ?b ?c}",
    "SERVICEex:x {?a ?b ?c}",
    "SERVICE:x{}",
]
PIECES = [
    *("?s ?p ?o", "?s ?p ?o ", "?s ?p ?o .", "?s ?p ?o ;", "?s ?p ?o ~", "?s ?p 1", "?s ?p 1.", "?s ?p true"),
    *("?s ?p ex:", "?s ?p ex:.", "?s ?p 'x'", "?s ?p 'x'@en", "?s ?p 'x'^^ex:", "?s ?p []", "?s ?p ()", "?s ?p 1e5"),
    *("FILTER(1)", "BIND(1 AS ?z)", "OPTIONAL{}", "VALUES ?v {1}", "{}", "{", "}", "FILTER EXISTS {", "{} UNION"),
    *("# x\r", "# SERVICE\n", "#", "\n", " ", "'", "'SERVICE'", '"\\u005C"', '"\\u0022"', "\\u0053", "?service", "~"),
]

HARMLESS = [
    "SELECT * { ?service ?SERVICE 'SERVICE', \"it's SERVICE\", '''\nSERVICE <x:> {}\n''' }",
    "SELECT * { <x:SERVICE> service:service known:SERVICE } # SERVICE <x:> {}",
    "PREFIX SERVICE: <a:> SELECT * { SERVICE:a SERVICE:b _:service }",
    "SELECT * { ?s ?p ?o FILTER(CONTAINS(?o, 'service')) }",
]


@dataclass
class Listener:
    """Another host, which answers as a SPARQL endpoint does, and knows how often it was asked."""

    address: str
    asked: list[str] = field(default_factory=list)

    def named_in(self, query: str) -> str:
        """A query that names this host."""
        return query.replace("OTHER", self.address)


@contextmanager
def listening() -> Iterator[Listener]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            listener.asked.append(self.path)
            answer = b'{"head":{"vars":["a"]},"results":{"bindings":[{"a":{"type":"literal","value":"from afar"}}]}}'
            self.send_response(200)
            self.send_header("Content-Type", "application/sparql-results+json")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        listener = Listener(OTHER.format(port=server.server_port))
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield listener
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def other() -> Iterator[Listener]:
    """Another host."""
    with listening() as found:
        yield found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store with one run of one triple, whose model has a prefix that no query could declare."""
    folder = tmp_path_factory.mktemp("queries")
    made = open_store(folder / "store")
    (folder / "lines").write_text("<s:a> <p:name> <x:1> <run://1> .\n")
    record = RunRecord(
        id=1,
        state=RunState.COMPLETE,
        started=datetime.fromtimestamp(1, UTC),
        model=ModelUsed("digest", "model.ttl", {**PREFIXES, "broken": "http://a b/", "1x": "x:", "relative": "name"}),
        sections=(SectionRecord("s:a"),),
    )
    finish_run(made, record, folder / "lines", b'<record://1> <p:> "" <record://1> .\n', "# model")
    made.refresh()
    return made


@pytest.fixture(scope="module")
def index(store: Store) -> Path:
    """The folder of an index."""
    with store.read(store.data) as reader:  # type: ignore[arg-type]
        return reader.folder


def process(request: dict[str, object]) -> subprocess.CompletedProcess[bytes]:
    """The process that answers queries, with some of what protects others switched off."""
    whole = {
        "default": [],
        "named": [],
        "instead": False,
        "prefixes": {},
        "service": False,
        "network": False,
        "memory": None,
        "size": None,
        "seconds": 60,
        "processor": None,
        "niceness": 0,
        "rows": None,
        "list_undeclared": False,
        "formats": {"solutions": "json", "boolean": "json", "graph": "ttl"},
        **request,
    }
    command = [sys.executable, "-m", "rdfcrawl.store.query.process"]
    ended = subprocess.run(command, input=json.dumps(whole).encode(), capture_output=True, check=False)
    assert b"Traceback" not in ended.stderr, ended.stderr
    return ended


@pytest.mark.parametrize("query", SPELLINGS)
def test_the_parsers_alone_recognise_every_spelling(query: str) -> None:
    """Oxigraph cannot read the query, or one of the parsers finds a SERVICE in it, or one cannot tell."""
    text = query.replace("OTHER", "http://127.0.0.1/")
    assert reading.refusal(text, {}) is not None or reading.service_in(text, {}) is not False


AROUND = st.lists(st.sampled_from(PIECES), max_size=3).map("".join)


@given(before=AROUND, clause=st.sampled_from(CLAUSES), after=AROUND)
def test_what_makes_oxigraph_ask_another_host_is_recognised(
    other: Listener, before: str, clause: str, after: str
) -> None:
    """Whatever stands around a SERVICE, with or without spaces: where a request is made, Oxigraph had said so."""
    prologue = "PREFIX ex: <OTHER> PREFIX : <OTHER> PREFIX sERVICEex: <a:>"
    text = other.named_in(f"{prologue} SELECT * {{{before}{clause}{after}}}")
    if reading.refusal(text, {}) is not None:
        return
    other.asked.clear()
    sample = ox.Store()
    sample.add(ox.Quad(ox.NamedNode("a:"), ox.NamedNode("b:"), ox.Literal(1)))
    with suppress(OSError):
        list(cast(ox.QuerySolutions, sample.query(text)))
    assert reading.reads_keyword(text, {}, "SERVICE") or not other.asked


@confined
def test_a_query_is_refused_before_anything_of_it_is_carried_out(store: Store, other: Listener) -> None:
    """The message says what would allow it."""
    other.asked.clear()
    with pytest.raises(QueryError, match=r"SERVICE would send parts of the query to another host; .*--allow-service"):
        ask(store, other.named_in(SPELLINGS[2]))
    assert other.asked == []


def test_the_process_refuses_it_with_the_network_within_reach(index: Path, other: Listener) -> None:
    """What the parsers say is enough."""
    other.asked.clear()
    ended = process({"folder": str(index), "text": other.named_in(SPELLINGS[2]), "network": True})
    assert b"SERVICE would send" in ended.stderr
    assert other.asked == []


@pytest.mark.parametrize("query", sampled(SPELLINGS, SPELLINGS[::6]))
def test_the_process_alone_has_no_network(index: Path, other: Listener, query: str) -> None:
    """With SERVICE allowed in the query, nothing leaves the process all the same."""
    other.asked.clear()
    ended = process({"folder": str(index), "text": other.named_in(query), "service": True})
    assert b"from afar" not in ended.stdout
    assert other.asked == []


@pytest.mark.skipif(sys.platform != "linux", reason="there is nothing alike on other systems")
@pytest.mark.parametrize("way", ["refuse_connections", "enter_empty_network"])
def test_each_way_out_of_the_network_is_enough(other: Listener, way: str) -> None:
    """The filter and the namespace hold without each other, in threads that were there before as well."""
    other.asked.clear()
    program = f"""
import threading, urllib.request
from rdfcrawl.store.query import confinement

def ask():
    try:
        urllib.request.urlopen("{other.address}", data=b"x")
    except OSError as error:
        print(type(error.reason).__name__, error.reason.errno)

go = threading.Event()
earlier = threading.Thread(target=lambda: go.wait() and ask())
if "{way}" == "refuse_connections":
    earlier.start()
print(confinement.{way}())
ask()
go.set()
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    held, *said = ended.stdout.splitlines()
    if held == "False" and way == "enter_empty_network":
        pytest.skip("this system lets nobody make namespaces")
    assert held == "True"
    assert set(said) == ({"PermissionError 1"} if way == "refuse_connections" else {"OSError 101"})
    assert other.asked == []


@confined
def test_service_is_carried_out_where_it_is_allowed(store: Store, other: Listener) -> None:
    """Whoever asks can allow it for one query."""
    other.asked.clear()
    answer, _ = ask(store, other.named_in(SPELLINGS[0]), allow_service=True)
    with answer.content:
        assert b"from afar" in answer.content.read()
    assert len(other.asked) == 1


@pytest.mark.parametrize("query", HARMLESS)
def test_the_word_service_is_no_service(store: Store, query: str) -> None:
    """In names, strings, addresses and comments the word means nothing."""
    answer, _ = ask(store, query)
    answer.content.close()


def test_where_the_parsers_cannot_agree_the_query_is_refused(store: Store) -> None:
    """Only one of them knows triple terms; without the letters there is nothing to agree on."""
    query = "SELECT ?NAME { ?NAME ?p <<( <a:a> <a:b> <a:c> )>> }"
    with pytest.raises(QueryError, match=r"may have a SERVICE in it.*plain SPARQL 1\.1"):
        ask(store, query.replace("NAME", "service"))
    answer, _ = ask(store, query.replace("NAME", "other"))
    answer.content.close()


def test_prefixes_that_cannot_be_declared_are_left_out(store: Store) -> None:
    """A model cannot make every query of a store a mistake."""
    known = known_prefixes(store.runs.records())
    assert PREFIXES.items() <= known.items()
    assert not {"broken", "1x", "relative"} & known.keys()
    answer, _ = ask(store, "ASK { known:x service:y ?o }")
    answer.content.close()


NUMBERS = " ".join(map(str, range(60)))


def doubled(times: int) -> str:
    """A query that doubles a string of sixteen letters so many times."""
    steps = " ".join(f"BIND(CONCAT(?a{i}, ?a{i}) AS ?a{i + 1})" for i in range(times))
    return f'SELECT ?a{times} {{ BIND("xxxxxxxxxxxxxxxx" AS ?a0) {steps} }}'


@confined
@pytest.mark.parametrize(
    "query",
    [
        doubled(24),
        "SELECT * { "
        + " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(60)))} }}" for n in range(5))
        + "} ORDER BY ?v0",
    ],
)
def test_memory_has_a_bound(store: Store, query: str) -> None:
    """Running out of it is one sentence, whoever gets no more."""
    with pytest.raises(QueryMemory, match="the query needs more memory than the 100 MiB that it may have"):
        ask(store, query, limits=QueryLimits(memory=100 << 20))


@confined
@pytest.mark.parametrize(
    "query",
    ["SELECT * " + "{" * 200_000 + "}" * 200_000, "ASK { FILTER(" + "(" * 200_000],
    ids=["groups", "expressions"],
)
def test_nesting_without_end_ends_only_the_query(store: Store, query: str) -> None:
    """A parser that runs out of stack ends only its own process."""
    with pytest.raises(QueryError, match="nested too deeply"):
        ask(store, query)


@confined
def test_an_answer_has_a_bound(store: Store) -> None:
    """What is beyond it does not fill the disk; below it nothing is missing."""
    with pytest.raises(AnswerTooLarge, match="the answer has more than 1 MiB"):
        ask(store, doubled(17), limits=QueryLimits(size=1 << 20))
    answer, _ = ask(store, doubled(15), limits=QueryLimits(size=1 << 20))
    with answer.content:
        assert answer.content.read().count(b"x") == 16 << 15


@confined
def test_the_command_says_in_one_sentence_what_is_too_much(store: Store) -> None:
    """Exit code 2, and no traceback."""
    command = Command("query", doubled(24), "--memory", "100", "--store", str(store.folder))
    assert command.wait() == 2
    assert command.said == "rdfcrawl: the query needs more memory than the 100 MiB that it may have\n"
