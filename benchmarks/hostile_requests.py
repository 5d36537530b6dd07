"""Honest users of `serve` among hostile ones: slow, large, many, wrong and expensive requests, for as long as it takes.

Prints the honest users' median, 99th percentile and slowest answer, what the hostile ones were told, and the largest
memory of the server with all its processes. Exits with 1 when an answer was a 500 or wrong, when the 99th percentile is
over two seconds, or when memory has no bound. Run it with ``python benchmarks/hostile_requests.py --seconds 600``.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from statistics import median
from time import monotonic, perf_counter, sleep
from typing import Final
from urllib.parse import quote, urlsplit

from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunRecord, RunState, SectionRecord
from rdfcrawl.versioning.recording import record_changes

USERS: Final = 20
MOST_SECONDS: Final = 2.0
MOST_MIB: Final = 4096
SECTION: Final = "http://data.example.org/things"
MODEL: Final = f"""
@prefix : <predicate://> . @prefix type: <type://> .
<model:> :section <{SECTION}> . <{SECTION}> :page <page://list> .
<page://list> :type type:links ; :path "//a" ; :target <page://thing> .
<page://thing> :type type:object ; :item <item://thing> . <item://thing> :path "//main" ;
  :property <property://thing/label> , <property://thing/kind> .
<property://thing/label> :path ".//h1" . <property://thing/kind> :path ".//p" .
"""
TURTLE: Final = {"Accept": "text/turtle"}
PAGE: Final = {"Accept": "text/html"}
JSON: Final = {"Accept": "application/sparql-results+json"}
NASTY: Final = ("<script>alert(1)</script>", "{{ 7*7 }}", "[/red]", "javascript:alert(1)", "\\u202Eevil", "\\u001B]0;x")


def hostile_store(folder: Path, things: int) -> Store:
    """A store of things; some of their labels mean harm."""
    lines = folder / "lines"
    with lines.open("w", encoding="utf-8") as file:
        for number in range(things):
            thing = f"http://data.example.org/things/{number}"
            kind = NASTY[number % len(NASTY)] if number % 10 == 0 else f"kind {number % 7}"
            file.write(f"<{SECTION}> <item://thing> <{thing}> <run://1> .\n")
            file.write(f'<{thing}> <property://thing/label> "label number {number}" <run://1> .\n')
            file.write(f'<{thing}> <property://thing/kind> "{kind}" <run://1> .\n')
    store = open_store(folder / "store")
    predicates = Predicates(("item://thing",), ("property://thing/label", "property://thing/kind"))
    record = RunRecord(
        id=1,
        state=RunState.COMPLETE,
        started=datetime.fromtimestamp(1, UTC),
        model=ModelUsed("digest", "things.ttl", predicates=predicates),
        sections=(SectionRecord(SECTION, objects=things),),
    )
    finish_run(store, record, lines, b'<record://1> <p:> "" <record://1> .\n', MODEL)
    record_changes(store.runs, 1)
    store.refresh()
    return store


@dataclass(slots=True)
class Visitor:
    """Somebody who sends requests of one kind, from an address of their own."""

    address: str
    ask: Callable[[Visitor], None]
    seed: int
    things: int = 300
    source: str = ""
    chance: random.Random = field(default_factory=random.Random)
    seconds: list[float] = field(default_factory=list)
    slowest: tuple[float, str] = (0.0, "")
    told: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance.seed(self.seed)

    def visit(self, times: int | None = None, until: float = 0.0, pause: float = 0.0) -> None:
        """Ask so many times, or until a moment."""
        asked = 0
        while asked < times if times is not None else monotonic() < until:
            asked += 1
            begun = perf_counter()
            try:
                self.ask(self)
            except (OSError, HTTPException) as error:
                self.told[type(error).__name__] += 1
            self.seconds.append(perf_counter() - begun)
            if pause:
                sleep(self.chance.uniform(0, 2 * pause))

    def connect(self) -> socket.socket:
        """A connection to the server."""
        parts = urlsplit(self.address)
        return socket.create_connection((parts.hostname, parts.port), 60, (self.source, 0) if self.source else None)

    def send(self, method: str, path: str, headers: dict[str, str], body: bytes | None = None) -> tuple[int, str]:
        """Send a request; its status and body. An error of the server is always wrong."""
        source = (self.source, 0) if self.source else None
        connection = HTTPConnection(urlsplit(self.address).netloc, timeout=60, source_address=source)
        try:
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            text = answer.read(1 << 20).decode(errors="replace")
        finally:
            connection.close()
        self.told[str(answer.status)] += 1
        if answer.status in (500, 502) or "Traceback" in text:
            self.wrong.append(f"{answer.status} for {method} {path[:200]}: {text[:200]}")
        return answer.status, text

    def expect(self, path: str, headers: dict[str, str], text: str) -> None:
        """Get a path whose answer has a text in it."""
        begun = perf_counter()
        status, found = self.send("GET", path, headers)
        self.slowest = max(self.slowest, (perf_counter() - begun, path[:100]))
        if status != 200 or text not in found:
            self.wrong.append(f"{status} for {path[:200]}, without {text!r}: {found[:200]}")


def browses(user: Visitor) -> None:
    """A person who looks at pages."""
    number = user.chance.randrange(user.things)
    iri = quote(f"http://data.example.org/things/{number}", safe="")
    path, text = user.chance.choice(
        [
            ("/", "thing"),
            (f"/class?item=item://thing&page={1 + number // 100}", "label number"),
            (f"/page?iri={iri}", f"label number {number}"),
            (f"/search?q=label+number+{number}", f"label number {number}"),
            ("/run/1", "things.ttl"),
        ]
    )
    user.expect(path, PAGE, text)


def harvests(user: Visitor) -> None:
    """A program that reads Linked Data."""
    number = user.chance.randrange(user.things)
    iri = quote(f"http://data.example.org/things/{number}", safe="")
    path, text = user.chance.choice(
        [(f"/data.ttl?iri={iri}", f"label number {number}"), ("/ldes", "ldes/1"), ("/.well-known/void", "void")]
    )
    user.expect(path, TURTLE, text)


def queries(user: Visitor) -> None:
    """A program that asks small questions."""
    number = user.chance.randrange(user.things)
    query = f"SELECT ?label {{ <http://data.example.org/things/{number}> <property://thing/label> ?label }}"
    user.expect(f"/sparql?query={quote(query)}", JSON, f"label number {number}")


HONEST: Final = {"browses": browses, "harvests": harvests, "queries": queries}


HALF_A_QUERY: Final = (
    b"POST /sparql HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/sparql-query\r\n"
    b"Content-Length: 900000\r\n\r\nSELECT"
)


def is_slow(visitor: Visitor) -> None:
    """Half a request, or an answer that is not read, and then nothing for a while."""
    with visitor.connect() as connection:
        connection.sendall(
            visitor.chance.choice(
                [
                    b"GET / HTTP/1.1\r\nHost: localhost\r\nX-A: ",
                    HALF_A_QUERY,
                    b"GET /run/1/dump.nq.gz HTTP/1.1\r\nHost: localhost\r\n\r\n",
                    b"",
                ]
            )
        )
        connection.settimeout(visitor.chance.uniform(0.2, 2))
        with suppress(TimeoutError):
            visitor.told["closed" if connection.recv(1) == b"" else "answered"] += 1


def is_large(visitor: Visitor) -> None:
    """More than anybody needs: bodies, headers, addresses, parameters."""
    headers = {"Content-Type": "application/sparql-query"}
    match visitor.chance.randrange(4):
        case 0:
            visitor.send("POST", "/sparql", headers, b"a-" * 499_000)
        case 1:
            visitor.send("GET", "/", {"X-Large": "x" * 60_000})
        case 2:
            visitor.send("GET", "/search?q=" + "+".join(f"w{number}" for number in range(8_000)), PAGE)
        case _:
            visitor.send("POST", "/sparql", headers, b"SELECT * { " + b"?a ?b ?c . " * 20_000 + b"}")


def is_many(visitor: Visitor) -> None:
    """Dozens of requests at once, on as many connections."""
    connections = []
    with suppress(OSError):
        for _ in range(40):
            connection = visitor.connect()
            connection.sendall(b"GET /class?item=item://thing HTTP/1.1\r\nHost: localhost\r\nAccept: text/html\r\n\r\n")
            connections.append(connection)
    for connection in connections:
        with connection, suppress(OSError):
            visitor.told[connection.recv(12).decode("latin-1")[9:]] += 1


def is_wrong(visitor: Visitor) -> None:
    """What is no request, or none that makes sense."""
    if visitor.chance.random() < 0.3:
        with visitor.connect() as connection:
            connection.sendall(visitor.chance.randbytes(200) + b"\r\n\r\n")
            connection.recv(100)
        return
    path = visitor.chance.choice(
        [
            "/run/" + "9" * 5000,
            "/value?iri=%00&property=&number=%C2%B2",
            "/diff?from=x&to=%ff",
            "/data.exe?iri=x",
            "/sparql?query=" + quote('SELECT ("\\UFFFFFFFF" AS ?x) {}'),
            "/sparql?query=" + quote("INSERT DATA { <a:> <b:> <c:> }"),
            "/sparql?query=" + quote("SELECT * { SERVICE<http://127.0.0.1:1/>{?s ?p ?o} }"),
            "/class?item=nothing&sort=" + "x" * 1000,
            "/static/../../../../etc/passwd",
        ]
    )
    method = visitor.chance.choice(["GET", "GET", "PUT", "BREW"])
    visitor.send(method, path, {"Accept": "text/html;q=nan", "If-Modified-Since": "Mon, 01 Jan 99999 00:00:00 GMT"})


def is_expensive(visitor: Visitor) -> None:
    """Questions whose answer takes all the time and memory that there is."""
    query = visitor.chance.choice(
        [
            "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }",
            'SELECT * { ?a ?b ?c FILTER REGEX(STR(?c), "(a*)*b") } ORDER BY DESC(?c)',
            "SELECT * { ?a (<item://thing>|!<x:>)* ?b . ?b (<item://thing>|!<x:>)* ?c }",
            'SELECT ?z { BIND("xxxxxxxxxxxxxxxx" AS ?a0) '
            + " ".join(f"BIND(CONCAT(?a{i}, ?a{i}) AS ?a{i + 1})" for i in range(26))
            + " BIND(STRLEN(?a26) AS ?z) }",
            "CONSTRUCT { ?a ?e ?f } { ?a ?b ?c . ?d ?e ?f }",
        ]
    )
    if visitor.chance.random() < 0.7:
        visitor.send("POST", "/sparql", {"Content-Type": "application/sparql-query", **JSON}, query.encode())
    else:
        letters = "+".join(visitor.chance.sample("abelmnru", 8))
        visitor.send("GET", f"/search?q={letters}+number", PAGE)


HOSTILE: Final = {"slow": is_slow, "large": is_large, "many": is_many, "wrong": is_wrong, "expensive": is_expensive}


def main() -> int:
    """Measure and print; the exit code says whether everything holds."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--seconds", type=float, default=600.0)
    options.add_argument("--users", type=int, default=USERS)
    options.add_argument("--hostile", type=int, default=20, help="how many hostile visitors")
    options.add_argument("--things", type=int, default=20_000)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        store = hostile_store(Path(folder), chosen.things)
        command = [sys.executable, "-m", "rdfcrawl", "serve", "--store", str(store.folder), "--port", "0"]
        server = subprocess.Popen(command, stderr=subprocess.PIPE)
        try:
            return _measure(server, chosen)
        finally:
            server.terminate()
            server.wait()


def _measure(server: subprocess.Popen[bytes], chosen: argparse.Namespace) -> int:
    assert server.stderr is not None
    address = re.search(r"http://\S+:\d+", server.stderr.readline().decode())
    assert address is not None
    threading.Thread(target=server.stderr.read, daemon=True).start()
    Visitor(address[0], browses, 0, chosen.things).visit(3)
    until = monotonic() + chosen.seconds
    # Hostile and honest visitors in processes of their own, so that these do not wait for each other.
    context = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[list[Visitor]] = context.Queue()
    groups = [
        context.Process(target=_crowd, args=(address[0], kinds, count, until, pause, network, chosen.things, results))
        for kinds, count, pause, network in (
            (HONEST, chosen.users, 1.0, 1),
            (HOSTILE, chosen.hostile, 0.0, 2),
        )
    ]
    for group in groups:
        group.start()
    most = 0
    while monotonic() < until:
        most = max(most, memory_mib(server.pid))
        sleep(0.2)
    gathered = [visitor for _ in groups for visitor in results.get()]
    for group in groups:
        group.join()
    return _report(gathered, most, server.poll() is None)


def _crowd(
    address: str,
    kinds: dict[str, Callable[[Visitor], None]],
    count: int,
    until: float,
    pause: float,
    network: int,
    things: int,
    results: multiprocessing.Queue[list[Visitor]],
) -> None:
    """Honest users each have an address of their own; hostile ones of a kind share one, as those of one machine do."""
    asks = list(kinds.values())
    visitors = []
    for number in range(count):
        source = f"127.0.{network}.{1 + (number if pause else number % len(asks))}"
        visitors.append(Visitor(address, asks[number % len(asks)], number, things, source))
    threads = [threading.Thread(target=visitor.visit, kwargs={"until": until, "pause": pause}) for visitor in visitors]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    results.put(visitors)


def _report(visitors: list[Visitor], mib: int, lives: bool) -> int:
    honest = [visitor for visitor in visitors if visitor.ask in HONEST.values()]
    seconds = sorted(second for visitor in honest for second in visitor.seconds)
    percentile = seconds[min(len(seconds) - 1, int(len(seconds) * 0.99))]
    for name, ask in {**HONEST, **HOSTILE}.items():
        told: Counter[str] = sum((visitor.told for visitor in visitors if visitor.ask is ask), Counter())
        asked = sorted(second for visitor in visitors if visitor.ask is ask for second in visitor.seconds)
        shown = ", ".join(f"{count:,} × {what or 'nothing'}" for what, count in told.most_common(6))
        slow = asked[int(len(asked) * 0.99)] if asked else 0.0
        print(
            f"{name:10} {len(asked):7,} times, median {median(asked or [0]):.3f} s, 99 % within {slow:.2f} s: {shown}"
        )
    wrong = [said for visitor in visitors for said in visitor.wrong]
    print(f"honest     {len(seconds):,} answers: median {median(seconds):.3f} s, 99 % within {percentile:.2f} s, "
          f"slowest {seconds[-1]:.2f} s; wrong or refused: {len(wrong)}")  # fmt: skip
    print(
        f"memory     {mib:,} MiB at most, all processes of the server; the server {'lives' if lives else 'HAS ENDED'}"
    )
    for second, path in sorted((visitor.slowest for visitor in honest), reverse=True)[:5]:
        print(f"  {second:.2f} s for {path}")
    for said in wrong[:5]:
        print(f"  {said}")
    holds = not wrong and lives and percentile <= MOST_SECONDS and mib <= MOST_MIB
    print(f"bounds     no 500, honest answers right, 99 % within {MOST_SECONDS:g} s, {MOST_MIB:,} MiB: "
          f"{'held' if holds else 'BROKEN'}")  # fmt: skip
    return 0 if holds else 1


def memory_mib(pid: int) -> int:
    """The resident memory of a process and all its descendants, in MiB."""
    children: dict[int, list[int]] = {}
    sizes: dict[int, int] = {}
    page = os.sysconf("SC_PAGE_SIZE")
    for path in Path("/proc").iterdir():
        if path.name.isdigit():
            with suppress(OSError):
                fields = (path / "stat").read_text().rpartition(")")[2].split()
                children.setdefault(int(fields[1]), []).append(int(path.name))
                sizes[int(path.name)] = int(fields[21]) * page
    waiting, total = [pid], 0
    while waiting:
        found = waiting.pop()
        total += sizes.get(found, 0)
        waiting.extend(children.get(found, ()))
    return total >> 20


if __name__ == "__main__":
    sys.exit(main())
