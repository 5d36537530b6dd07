"""What strangers can do to a server of a store: ask, and nothing else."""

from __future__ import annotations

import logging
import select
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from urllib.parse import quote, urlsplit

import pytest
from starlette.types import Receive, Scope, Send

from rdfcrawl.errors import StoreBusy
from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.keeping import catalogue_of
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.server.boundary import Boundary
from rdfcrawl.publish.server.connections import Patience
from rdfcrawl.publish.web.app import DEFAULT_LIMITS
from rdfcrawl.store.folder import Store, open_store
from tests.publish.conftest import Server, add_things, asked, serving, thing

THING = "http://data.example.org/things/a"
HALF_A_REQUEST = b"GET / HTTP/1.1\r\nHost: x\r\nX-A: "
LONG = "long " * 1_000_000


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A few things, one of them with a long name."""
    folder = tmp_path_factory.mktemp("server")
    made = open_store(folder / "store")
    lines = thing("a", "a thing") + thing("b", "b thing") + thing("long", LONG)
    add_things(made, 1, lines, folder)
    return made


@pytest.fixture(scope="module")
def server(store: Store) -> Iterator[Server]:
    """A server of these things."""
    with serving(store) as found:
        yield found


def connected(server: Server, receiving: int | None = None) -> socket.socket:
    """A connection to the server; ``receiving`` is how many bytes the system takes that nobody reads."""
    parts = urlsplit(server.address)
    connection = socket.socket()
    if receiving is not None:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receiving)
    connection.settimeout(60)
    connection.connect((parts.hostname, parts.port))
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Wait until the other side closes the connection without having said anything."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


class TestConnections:
    """A client that neither asks nor reads is disconnected."""

    @pytest.mark.parametrize(
        "sent",
        [
            b"",
            HALF_A_REQUEST,
            b"POST /sparql HTTP/1.1\r\nHost: x\r\nContent-Type: application/sparql-query\r\nContent-Length: 9\r\n\r\n",
        ],
    )
    def test_a_request_that_never_ends(self, store: Store, sent: bytes) -> None:
        """A client has a time for its whole request."""
        with serving(store, patience=Patience(request=0.2)) as server, connected(server) as connection:
            connection.sendall(sent)
            assert is_closed(connection)
            assert server.get("/robots.txt").status == 200

    def test_a_second_request_that_never_ends(self, store: Store) -> None:
        """A connection that was of use once is no exception."""
        with serving(store, patience=Patience(request=0.2)) as server, connected(server) as connection:
            connection.sendall(b"GET /robots.txt HTTP/1.1\r\nHost: x\r\n\r\n" + HALF_A_REQUEST)
            received = b""
            with suppress(ConnectionResetError):
                while part := connection.recv(4096):
                    received += part
            assert received.startswith(b"HTTP/1.1 200")

    def test_an_answer_that_nobody_reads(self, store: Store) -> None:
        """The rest of it is not kept for a client that has stopped reading."""
        with serving(store, patience=Patience(reading=0.2)) as server, connected(server, 4096) as connection:
            address = f"/value?iri={asked(THING[:-1] + 'long')}&property=property://thing/label"
            connection.sendall(f"GET {address} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            broken_off = select.poll()
            broken_off.register(connection, 0)
            assert broken_off.poll(60_000)

    def test_more_connections_than_there_may_be(self, store: Store) -> None:
        """The connection that has been silent longest makes room; requests are answered."""
        with serving(store, patience=Patience(connections=3)) as server:
            idle = [connected(server) for _ in range(6)]
            for connection in idle[:3]:
                # Those that made room for the others may already have been told.
                with suppress(ConnectionError):
                    connection.sendall(HALF_A_REQUEST)
            for connection in idle[3:]:
                connection.sendall(HALF_A_REQUEST)
            assert server.get("/robots.txt").status == 200
            assert all(is_closed(connection) for connection in idle[:3])
            for connection in idle:
                connection.close()


class TestErrors:
    """No request is an error of the server."""

    @pytest.mark.parametrize(
        ("path", "headers", "status"),
        [
            (f"/value?iri={asked(THING)}&property=property://thing/label&number=%C2%B2", {}, 404),
            (f"/value?iri={asked(THING)}&property=property://thing/label&number={'9' * 5000}", {}, 404),
            (f"/run/{'9' * 5000}", {}, 404),
            (f"/ldes/{'9' * 5000}", {}, 404),
            (f"/class?item=item://thing&page={'9' * 5000}", {"Accept": "text/html"}, 200),
            (f"/diff?from={'9' * 5000}", {"Accept": "text/html"}, 404),
            ("/timegate", {"Accept-Datetime": "Mon, 01 Jan 2024 00:00:00 +99999999999999"}, 400),
            ("/timegate", {"Accept-Datetime": "Fri, 31 Dec 9999 23:59:59 -2359"}, 400),
            ("/search?q=a", {"Accept": "text/html", "If-Modified-Since": "Mon, 01 Jan 99999999999 00:00:00 GMT"}, 200),
            ("/search?q=a", {"Accept": "text/html", "If-Modified-Since": "Mon, 01 Jan 2024 00:00:00"}, 304),
            ("/search?q=a", {"Accept": "text/html;q=nan"}, 200),
            (f"/data.ttl?iri={asked(THING)}&x=%", {}, 200),
            ("/", {"Host": 'a b"<'}, 200),
            ("/sparql?query=" + quote('SELECT ("\\UFFFFFFFF" AS ?x) {}'), {}, 400),
            ("/sparql?query=" + quote("SELECT (<<( <a:a> <a:b> 'c'@en--ltr )>> AS ?x) {}"), {}, 200),
            ("/sparql?format=html&query=" + quote("SELECT (<<( <a:a> <a:b> <a:c> )>> AS ?x) {}"), {}, 200),
            ("/sparql?format=jsonld&query=" + quote("CONSTRUCT { <a:> <b:> <<( <a:> <b:> 1 )>> } {}"), {}, 400),
        ],
    )
    def test_strange_requests(self, server: Server, path: str, headers: dict[str, str], status: int) -> None:
        """What is wrong with them is said, or does not matter."""
        assert server.send("GET", path, headers=headers).status == status

    @pytest.mark.parametrize(
        ("trouble", "status"), [(ValueError("in /home/somebody\n of run\x1b[2J"), 500), (StoreBusy("at /home"), 503)]
    )
    async def test_what_nobody_has_thought_of(
        self, caplog: pytest.LogCaptureFixture, trouble: Exception, status: int
    ) -> None:
        """The client learns that it happened, the log in one line what."""

        async def failing(scope: Scope, receive: Receive, send: Send) -> None:
            raise trouble

        sent = []

        async def send(message: object) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/a\nb", "headers": [], "query_string": b""}
        with caplog.at_level(logging.INFO):
            await Boundary(failing)(scope, None, send)  # type: ignore[arg-type]
        begun, body = sent
        assert begun["status"] == status  # type: ignore[index]
        assert b"/home" not in body["body"]  # type: ignore[index]
        (line,) = caplog.messages
        assert line.startswith("GET /a\\nb failed: ")
        assert line.isprintable()

    async def test_an_answer_that_has_begun_is_not_begun_again(self, caplog: pytest.LogCaptureFixture) -> None:
        """Nothing is added to it, so that the client sees that it breaks off."""

        async def failing(scope: Scope, receive: Receive, send: Send) -> None:
            await send({"type": "http.response.start", "status": 200, "headers": []})
            raise ValueError

        sent = []

        async def send(message: object) -> None:
            sent.append(message)

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
        await Boundary(failing)(scope, None, send)  # type: ignore[arg-type]
        assert len(sent) == len(caplog.messages) == 1


class TestQueries:
    """The endpoint has limits, and a client that reaches one hinders no other."""

    def test_a_megabyte_that_is_no_query(self, server: Server) -> None:
        """While it is read, others are answered."""
        headers = {"Content-Type": "application/sparql-query"}
        answers = []
        body = b"a-" * 500_000
        long = threading.Thread(target=lambda: answers.append(server.send("POST", "/sparql", body, headers)))
        long.start()
        assert server.get("/robots.txt").status == 200
        long.join()
        assert answers[0].status == 400
        assert len(answers[0].text) < 1000

    def test_memory_and_size(self, store: Store) -> None:
        """What needs too much, or would be too much, is an error of the query."""
        steps = " ".join(f"BIND(CONCAT(?a{i}, ?a{i}) AS ?a{i + 1})" for i in range(24))
        query = f'{{ BIND("xxxxxxxxxxxxxxxx" AS ?a0) {steps} }}'
        with serving(store, limits=replace(DEFAULT_LIMITS, seconds=300.0, memory=200 << 20, size=1 << 20)) as server:
            answer = server.get("/sparql?query=" + quote(f"SELECT (STRLEN(?a24) AS ?n) {query}"))
            assert (answer.status, answer.text.count("\n")) == (400, 1)
            assert "more memory than the 200 MiB" in answer.text
            numbers = " ".join(map(str, range(150)))
            many = quote(f"SELECT ?x ?y {{ VALUES ?x {{ {numbers} }} VALUES ?y {{ {numbers} }} }}")
            assert server.get(f"/sparql?query={many}").status == 413

    def test_columns_without_end(self, server: Server) -> None:
        """A page shows no more cells than people can look at."""
        names = " ".join(f"?v{number}" for number in range(299))
        rows = " ".join(map(str, range(100)))
        query = f"SELECT ?x {names} {{ VALUES ?x {{ {rows} }} }}".encode()
        headers = {"Content-Type": "application/sparql-query", "Accept": "text/html"}
        page = server.send("POST", "/sparql", query, headers)
        assert page.status == 200
        assert "66 rows, of more that are not shown here" in page.text


class TestWhatIsKept:
    """What a server keeps for the next request is bounded by its data, and says for whom it is."""

    def test_orders_of_columns_that_do_not_exist(self, store: Store) -> None:
        """However a client calls a column, the orders that are kept are those of the columns that there are."""
        with Snapshots(store).using() as snapshot:
            shown = snapshot.schema.classes["item://thing"]
            catalogue = catalogue_of(snapshot)

            def ordered(sort: str) -> list[str]:
                return ChosenObjects(catalogue, shown, Wish(sort=sort)).objects(1000)

            usual = ordered("")
            before = len(snapshot.kept)
            assert usual
            for number in range(100):
                assert ordered(f"made up {number}") == usual
            assert len(snapshot.kept) == before

    def test_a_search_for_thousands_of_words(self, server: Server) -> None:
        """A request is looked for up to a length, so that its work has a bound."""
        page = server.get("/search?q=" + "+".join(["thing"] * 5000), Accept="text/html")
        assert page.status == 200
        assert "a thing" in page.text
        assert page.text.count("thing thing") < 100

    def test_a_host_that_is_not_the_servers_own(self, store: Store, server: Server) -> None:
        """Without a base, addresses are those that the client has used, and no cache may keep them for others."""
        foreign = server.get("/ldes/1", Host="elsewhere.example")
        assert "elsewhere.example" in foreign.text
        assert foreign.headers["cache-control"] == "no-cache"
        assert "Host" in foreign.headers["vary"]
        with serving(store, base="http://data.example.org/") as homely:
            own = homely.get("/ldes/1", Host="elsewhere.example")
            assert "elsewhere.example" not in own.text
            assert "immutable" in own.headers["cache-control"]
            assert "Host" not in own.headers["vary"]
