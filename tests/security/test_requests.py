"""Requests of strangers: whose scripts may read the answers, under which names, and whatever else they send."""

from __future__ import annotations

import asyncio
import os
import socket
import string
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from io import BytesIO
from urllib.parse import quote, urlsplit

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from benchmarks.hostile_requests import HONEST, HOSTILE, Visitor, hostile_store, memory_mib
from rdfcrawl.publish.catalogue.chosen import ChosenObjects
from rdfcrawl.publish.catalogue.keeping import catalogue_of, prepare, words_soon
from rdfcrawl.publish.catalogue.wishes import Wish
from rdfcrawl.publish.catalogue.words import search_labels
from rdfcrawl.publish.data import classes
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.server.lanes import Lane, Overcrowded
from rdfcrawl.publish.sparql.protocol import ROUNDS, Queue
from rdfcrawl.store.folder import Store
from rdfcrawl.store.query.answer import QueryAnswer, QueryLimits, QueryTimeout
from rdfcrawl.store.query.prepare import QueryError, QueryForm, ResultFormat
from tests.commands import Command
from tests.publish.conftest import Server, serving

ASK = f"/sparql?query={quote('ASK {}')}"
BOUNDED = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store of some hundred things, some of them with texts that mean harm."""
    return hostile_store(tmp_path_factory.mktemp("requests"), 300)


@pytest.fixture(scope="module")
def server(store: Store) -> Iterator[Server]:
    """A server of it, as `serve` runs one on loopback."""
    with serving(store, loopback=True) as found:
        yield found


class TestOtherWebsites:
    """A page of any website can send requests to this machine; what it cannot do is read the answers."""

    def test_scripts_of_other_websites_read_nothing_by_default(self, server: Server) -> None:
        """Neither the answer nor the preflight allows it."""
        for answer in (
            server.get(ASK, Origin="https://evil.example"),
            server.get("/", Origin="null"),
            server.send("OPTIONS", "/sparql", headers={"Origin": "https://evil.example"}),
        ):
            assert not [name for name in answer.headers if name.startswith("access-control")]

    def test_the_publisher_can_let_everybody_read(self, store: Store) -> None:
        """As for open data on the web."""
        with serving(store, origins=["*"]) as public:
            assert public.get(ASK).headers["access-control-allow-origin"] == "*"
            preflight = public.send("OPTIONS", "/sparql", headers={"Origin": "http://example.org"})
            assert preflight.status == 204
            assert "POST" in preflight.headers["access-control-allow-methods"]

    def test_or_some(self, store: Store) -> None:
        """Caches are told that the answer depends on who asks."""
        with serving(store, origins=["https://app.example"]) as public:
            allowed = public.get(ASK, Origin="https://app.example")
            assert allowed.headers["access-control-allow-origin"] == "https://app.example"
            refused = public.get(ASK, Origin="https://app.example.evil.example")
            assert "access-control-allow-origin" not in refused.headers
            assert all("Origin" in answer.headers["vary"] for answer in (allowed, refused))

    @pytest.mark.parametrize(
        "host", ["evil.example", "evil.example:8000", "localhost.evil.example", "127.0.0.1.evil.example"]
    )
    def test_a_name_that_leads_to_this_machine_is_no_way_in(self, server: Server, host: str) -> None:
        """Who uses it is sent to the server's own address, which is another website for the script that asked."""
        for sent in ({"Accept-Encoding": "gzip, deflate"}, {"Range": "bytes=0-", "Accept-Encoding": "identity"}):
            answer = server.send("GET", ASK, headers={"Host": host, **sent})
            assert answer.status == 307
            assert answer.headers["location"] == server.address + ASK
            assert host not in answer.text
        posted = {"Host": host, "Origin": f"http://{host}"}
        assert server.send("POST", "/sparql", b"query=ASK{}", posted).status == 307

    def test_programs_may_use_any_name(self, server: Server) -> None:
        """No website commands them."""
        assert server.get(ASK, Host="store.internal").status == 200

    @pytest.mark.parametrize(
        "host", ["localhost", "LOCALHOST:1", "data.localhost", "127.0.0.1:9", "[::1]:80", "10.0.0.7"]
    )
    def test_names_that_nobody_else_can_have(self, server: Server, host: str) -> None:
        """They are answered as they are."""
        assert server.get(ASK, Host=host, Accept_Encoding="gzip").status == 200

    def test_the_base_names_the_server_as_well(self, store: Store) -> None:
        """Behind a proxy on the same machine."""
        with serving(store, base="http://data.example.org/", loopback=True) as behind:
            assert behind.get(ASK, Host="data.example.org", Accept_Encoding="gzip").status == 200
            assert behind.get(ASK, Host="evil.example", Accept_Encoding="gzip").status == 307

    @pytest.mark.parametrize("origin", ["app.example.org", "https://a.example/path", "https://", "https://u@a.example"])
    def test_what_is_no_origin(self, store: Store, origin: str) -> None:
        """It would never be the one of a script."""
        command = Command("serve", "--store", str(store.folder), "--port", "0", "--allow-origin", origin)
        assert command.wait() == 2
        assert "is not an origin" in command.said


class TestWork:
    """What a request costs has a bound."""

    def test_searches(self, store: Store) -> None:
        """By what is looked at, not by length alone; and who does not get everything is told."""
        with Snapshots(store).using() as snapshot:
            catalogue = catalogue_of(snapshot)
            every = search_labels(catalogue, "label number", 1000)
            assert (len(every.hits), every.everywhere) == (300, True)
            some = search_labels(catalogue, "label number", 1000, most_compared=2000)
            assert len(some.hits) < 300
            assert not some.everywhere
            # Parts of other words are not looked for again.
            many = " ".join("number"[:length] for length in range(1, 7))
            assert len(search_labels(catalogue, many, 1000, most_compared=20_000).hits) == 300

    def test_made_up_names_are_not_kept(self, store: Store) -> None:
        """What is kept for later is named by what there is; of what clients make up, only the latest is remembered."""
        with Snapshots(store).using() as snapshot:
            prepare(snapshot)
            shown = snapshot.schema.classes["item://thing"]
            catalogue, words = catalogue_of(snapshot), words_soon(snapshot)
            assert words
            ChosenObjects(catalogue, shown, Wish()).choices()
            kept, locks = len(snapshot.kept), len(snapshot._locks)
            for number in range(300):
                made_up = f"nonsense {number}"
                wish = Wish(made_up, made_up, made_up, within=made_up, page=number, values=((made_up, made_up),))
                chosen = ChosenObjects(catalogue, shown, wish, among=[()])
                assert chosen.page().objects == []
                chosen.choices()
                assert not words.search(catalogue, made_up, 10).hits
                search_labels(catalogue, made_up, 10)
            assert (len(snapshot.kept), len(snapshot._locks)) == (kept, locks)
            assert len(catalogue.known_sets) < 100

    def test_what_is_no_iri_is_no_part_of_a_query(self, store: Store) -> None:
        """A predicate can neither end nor extend the query that it is put into."""
        with Snapshots(store).using() as snapshot:
            assert classes.number_of_objects(snapshot, "a:b> ?o } UNION { ?s ?p ?o }#") == 0
            assert classes.number_of_objects(snapshot, "x:> ?o . ?s <y:") == 0


WORDS = r"""
SELECT ASK CONSTRUCT DESCRIBE WHERE { } ( ) [ ] << >> <<( )>> ?x $y * + - / ! = != < > <= && || . , ; | ^ ^^ @en SERVICE
SILENT <http://127.0.0.1:1/> <a:b> _:b a true 1 1e400 "x" 'y' "\UFFFFFFFF" "\uD800" GRAPH OPTIONAL UNION MINUS FILTER
BIND AS VALUES UNDEF GROUP BY HAVING ORDER LIMIT OFFSET COUNT(*) SUM EXISTS NOT IN PREFIX BASE FROM NAMED INSERT DATA
DELETE LOAD CLEAR DROP CREATE LATERAL REDUCED DISTINCT REGEX( STR( CONCAT( # p: p:x :x STRLEN( REPLACE( (<a:>/<b:>)* {}
"""
PLACES = """
/ /sparql /sparql/changes /resource /page /data /data.ttl /data.jsonld /value /class /search /diff /model/1 /run/1
/run/1/resource /run/1/dump.nq.gz /run/1/patch /timegate /timemap /feed.atom /ldes /ldes/1 /static/style.css
/static/../app.py /.well-known/void /run/-1 /nothing /things/1 //x /%2e%2e/x /current.nt.gz
/timegate/http:/x /timegate/%ff /timegate/http://data.example.org/things/1 /timemap/link/
"""
PARAMETERS = """
iri property number item sort page tab q from to run format query default-graph-uri within column text descending
"""
VALUES = [
    "",
    "1",
    "-1",
    "9" * 40,
    "²",
    "http://data.example.org/things/1",
    "item://thing",
    "property://thing/label",
    "*",
]
HEADERS = """
Accept Accept-Datetime Accept-Encoding If-None-Match If-Modified-Since Range Origin Content-Type Cookie Accept-Language
X-Forwarded-Host Referer
"""
CONTENTS = ["*/*", "text/html", "text/turtle;q=nan", "Mon, 01 Jan 99999 00:00:00 GMT", 'W/"x"', ",;,;q=", "gzip"]
LINES = [
    b"GET / HTTP/1.1\r\n",
    b"POST /sparql HTTP/1.1\r\n",
    b"GET /%ff%00 HTTP/1.1\r\n",
    b"Host: localhost\r\n",
    b"Content-Length: 9\r\n",
    b"Transfer-Encoding: chunked\r\n",
    b"ffffffffffffffff\r\n",
    b"\r\n",
    b"\x00",
]


def words(text: str) -> st.SearchStrategy[str]:
    """One of these words."""
    return st.sampled_from(text.split())


def paths() -> st.SearchStrategy[str]:
    """Addresses of the server, with parameters that it knows and values that it does not expect."""
    values = st.one_of(st.sampled_from(VALUES), st.text(max_size=12)).map(lambda text: text.encode("utf-8", "replace"))
    pairs = st.lists(st.tuples(words(PARAMETERS), values.map(quote)).map("=".join), max_size=4).map("&".join)
    return st.tuples(words(PLACES), pairs).map("?".join)


@given(
    st.lists(st.one_of(words(WORDS), st.text(max_size=8)), max_size=25),
    st.sampled_from([" ", "", "\n"]),
    words("json html csv ttl"),
)
@BOUNDED
def test_no_query_is_an_error_of_the_server(server: Server, pieces: list[str], between: str, form: str) -> None:
    """It is answered, or it is said what is wrong with it."""
    query = between.join(pieces).encode("utf-8", "surrogatepass")
    headers = {"Content-Type": "application/sparql-query"}
    answer = server.send("POST", f"/sparql?format={form}", query, headers)
    assert answer.status in (200, 400, 413, 504), (query, answer.text[:300])
    assert b"Traceback" not in answer.body


@given(
    words("GET HEAD POST OPTIONS PUT BREW"),
    paths(),
    st.dictionaries(
        words(HEADERS),
        st.one_of(st.sampled_from(CONTENTS), st.text(string.printable.strip(), max_size=30)),
        max_size=3,
    ),
)
@BOUNDED
def test_no_request_is_an_error_of_the_server(server: Server, method: str, path: str, headers: dict[str, str]) -> None:
    """Whatever is asked, in whatever words."""
    answer = server.send(method, path, headers=headers)
    assert answer.status < 500, (method, path, headers, answer.text[:300])
    assert b"Traceback" not in answer.body


@given(st.lists(st.one_of(st.sampled_from(LINES), st.binary(max_size=20)), max_size=8))
@settings(BOUNDED, max_examples=30)
def test_bytes_that_are_no_request(server: Server, pieces: list[bytes]) -> None:
    """The connection may end, the server does not."""
    parts = urlsplit(server.address)
    with socket.create_connection((parts.hostname, parts.port), 60) as connection, suppress(ConnectionError):
        connection.sendall(b"".join(pieces))
        connection.shutdown(socket.SHUT_WR)
        answer = connection.recv(65536)
        assert not answer.startswith(b"HTTP/1.1 5"), (pieces, answer[:200])
    assert server.get("/robots.txt").status == 200


@pytest.mark.slow
def test_honest_users_among_hostile_ones(store: Store, is_exhaustive: bool) -> None:
    """Everybody at once: nobody gets a 500, honest ones get what they ask for, and memory has a bound."""
    # Bounded by work: how long a busy machine takes for that says nothing.
    limits = QueryLimits(seconds=600.0, rows=1000, memory=256 << 20, processor=1)
    before = memory_mib(os.getpid())
    with serving(store, limits=limits, loopback=True) as server:
        hostile = [Visitor(server.address, kind, seed) for seed, kind in enumerate(HOSTILE.values())]
        honest = [Visitor(server.address, kind, seed) for seed in range(2) for kind in HONEST.values()]
        times = 4 if is_exhaustive else 2
        visits = [*((visitor, times - 1) for visitor in hostile), *((visitor, times) for visitor in honest)]
        threads = [threading.Thread(target=visitor.visit, args=(times,)) for visitor, times in visits]
        for thread in threads:
            thread.start()
        most = before
        for thread in threads:
            most = max(most, memory_mib(os.getpid()))
            thread.join()
    assert [said for visitor in (*hostile, *honest) for said in visitor.wrong] == []
    assert all(visitor.told == {"200": times} for visitor in honest), [visitor.told for visitor in honest]
    assert most - before < 2500


class Clock:
    """A clock that stands still unless it is told how much later it is."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """The time."""
        return self.seconds


async def served(lane: Lane, clients: Sequence[str], costs: Mapping[str, float], clock: Clock) -> list[str]:
    """Who gets places, one after the other, when all of these wait; each keeps a place for as long as it costs."""
    order = []

    async def ask(client: str) -> None:
        async with lane.place(client):
            order.append(client)
            clock.seconds += costs.get(client, 0.0)

    place = await lane.enter("somebody")
    asking = [asyncio.create_task(ask(client)) for client in clients]
    await asyncio.sleep(0)
    lane.leave(place)
    await asyncio.gather(*asking)
    return order


async def test_clients_take_turns() -> None:
    """Who has sent a hundred requests waits for them; who has sent one comes next."""
    lane = Lane(1, waiting=200, each=100, clock=Clock())
    place = await lane.enter("greedy")
    served = []

    async def ask(client: str) -> None:
        async with lane.place(client):
            served.append(client)

    asking = [asyncio.create_task(ask("greedy")) for _ in range(100)]
    await asyncio.sleep(0)
    with pytest.raises(Overcrowded):
        await lane.enter("greedy")
    asking += [asyncio.create_task(ask(client)) for client in ("a", "b", "c", "a")]
    await asyncio.sleep(0)
    # Who gives up leaves no hole.
    asking[50].cancel()
    lane.leave(place)
    await asyncio.gather(*asking, return_exceptions=True)
    assert served[:5] == ["a", "b", "c", "greedy", "a"]
    assert served[5:] == ["greedy"] * 98
    await lane.enter("somebody else")


async def test_who_takes_long_waits_for_those_who_do_not() -> None:
    """Turns are counted by the time that they take: one long request weighs as much as many short ones."""
    clock = Clock()
    lane = Lane(1, waiting=200, each=100, clock=clock)
    order = await served(lane, ["long"] * 3 + ["short"] * 12, {"long": 5.0, "short": 1.0}, clock)
    assert "".join(name[0] for name in order) == "lsssss" + "lsssss" + "lss"


async def test_who_was_away_has_saved_nothing_up() -> None:
    """A client that comes later shares what there is from then on, and does not keep the others waiting before that."""
    clock = Clock()
    lane = Lane(1, waiting=200, each=100, clock=clock)
    await served(lane, ["first"] * 50, {"first": 1.0}, clock)
    order = await served(lane, ["first"] * 4 + ["second"] * 4, {"first": 1.0, "second": 1.0}, clock)
    assert sorted(order[:4]) == ["first", "first", "second", "second"]


async def test_nobody_has_all_the_places() -> None:
    """A client with many requests leaves a place to others, which they need not wait for."""
    lane = Lane(3, waiting=200, each=100)
    places = [await lane.enter("greedy"), await lane.enter("greedy")]
    third = asyncio.create_task(lane.enter("greedy"))
    await asyncio.sleep(0)
    assert not third.done()
    other = await lane.enter("somebody")
    lane.leave(other)
    await asyncio.sleep(0)
    assert not third.done()
    lane.leave(places[0])
    assert (await third).client == "greedy"


@pytest.mark.parametrize("busy", [False, True])
async def test_clients_that_are_gone_are_forgotten(busy: bool) -> None:
    """Who has come and gone, from however many addresses, is not remembered for good."""
    lane = Lane(2, waiting=1, each=1)
    if busy:
        await lane.enter("somebody")
    for number in range(30_000):
        lane.leave(await lane.enter(f"client {number}"))
    assert len(lane._used) <= (10_000 if busy else 0)


async def test_a_long_query_delays_only_long_ones() -> None:
    """Each is tried for a moment, then for a while; what takes longer waits where others of its kind wait."""
    queue = Queue()
    tried = []
    going_on, ended = threading.Event(), threading.Event()

    def long(limits: QueryLimits) -> QueryAnswer:
        tried.append(limits)
        if limits.processor is not None:
            raise QueryTimeout
        going_on.set()
        ended.wait(60)
        raise QueryError

    answer = QueryAnswer(QueryForm.BOOLEAN, ResultFormat.JSON, BytesIO())
    limits = QueryLimits(seconds=60.0, memory=None)
    asking = [asyncio.create_task(queue.answer("greedy", limits, long)) for _ in range(10)]
    await asyncio.to_thread(going_on.wait, 60)
    for client in ("greedy", "somebody"):
        assert await queue.answer(client, limits, lambda _: answer) is answer
    ended.set()
    results = await asyncio.gather(*asking, return_exceptions=True)
    assert all(isinstance(result, QueryError) for result in results)
    assert len(tried) == 10 * len(ROUNDS)
    queue.close()


async def test_a_query_of_some_length_does_not_wait_for_those_without_end() -> None:
    """What needs a second or two is answered while queries that take all their time are under way and wait."""
    queue = Queue()
    going_on, ended = threading.Event(), threading.Event()

    def endless(limits: QueryLimits) -> QueryAnswer:
        if limits.processor is not None:
            raise QueryTimeout
        going_on.set()
        ended.wait(60)
        raise QueryError

    def takes_a_second(limits: QueryLimits) -> QueryAnswer:
        if limits.processor is not None and limits.processor < 1:
            raise QueryTimeout
        assert not ended.is_set()
        return answer

    answer = QueryAnswer(QueryForm.BOOLEAN, ResultFormat.JSON, BytesIO())
    limits = QueryLimits(seconds=60.0)
    asking = [asyncio.create_task(queue.answer(f"hostile {number}", limits, endless)) for number in range(10)]
    await asyncio.to_thread(going_on.wait, 60)
    assert await queue.answer("honest", limits, takes_a_second) is answer
    ended.set()
    await asyncio.gather(*asking, return_exceptions=True)
    queue.close()


def test_each_round_has_more_and_gives_way_to_those_before() -> None:
    """A query that begins again has more time and memory; the last round has all that the server allows."""
    tried, last = ROUNDS[:-1], ROUNDS[-1]
    bounds = [(one.processor or 0, one.memory or 0, one.niceness) for one in tried]
    assert bounds == sorted(bounds)
    assert (last.processor, last.memory) == (None, None)
    assert last.niceness > tried[-1].niceness
