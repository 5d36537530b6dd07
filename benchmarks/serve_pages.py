"""Pages of a store of a million triples: the server's time for each, over HTTP on this machine.

Prints the median, the first and the slowest of some requests, the median of their processor time, and the memory of the
server. Exits with 1 when an object's page takes more than 50 ms or a table, ordered and filtered, more than 100 ms.
Run it with ``python benchmarks/serve_pages.py``. ``--store FOLDER`` keeps the store for the next time, ``--write``
makes the figures those of docs/benchmarks.md.
"""

from __future__ import annotations

import os
import random
import resource
import statistics
import sys
import tempfile
import threading
from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from http.client import HTTPConnection
from pathlib import Path
from time import perf_counter, process_time
from urllib.parse import quote

import uvicorn
from measuring.report import write_report
from measuring.results import Goal, Lane

from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.record_rdf import record_lines
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.publish.catalogue.keeping import prepare
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.web.app import create_app
from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunRecord, RunState, SectionRecord
from rdfcrawl.versioning.recording import record_changes

BOOKS = 100_000
REQUESTS = 30
MOST_FOR_OBJECT = 50.0
MOST_FOR_TABLE = 100.0
TABLES = (
    "table",
    "table, page 900 and on",
    "table, ordered by a column",
    "table, between two numbers, ordered by a date",
    "table, page 1,500 of those below a number",
    "table, with a text",
)
SECTION = "http://books.example.org/all"
PROPERTIES = ("author", "date", "description", "label", "rating")
MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<model:> :section <http://books.example.org/all> .
<http://books.example.org/all> :page <page://list> .
<page://list> :type type:links ; :path "//a" ; :target <page://book> .
<page://book> :type type:object ; :item <item://book> ; :sub <page://reviews> .
<page://reviews> :type type:objects ; :item <item://review> .
<item://book> :path "//main" ; :property <property://book/author>, <property://book/date>,
    <property://book/description>, <property://book/label>, <property://book/rating> .
<item://review> :path ".//li" ; :property <property://review/text> .
<property://book/author> :path "./i" . <property://book/date> :path "./time" ; :type xsd:date ; :format "yyyy-MM-dd" .
<property://book/description> :path "./p" . <property://book/label> :path "./h1" .
<property://book/rating> :path "./b" ; :type xsd:decimal . <property://review/text> :path "./q" .
"""


@dataclass(frozen=True, slots=True)
class Timed:
    """The requests of one kind of page: how long each took, and how much of the processor's time."""

    seconds: tuple[float, ...]
    processor: tuple[float, ...]

    def __str__(self) -> str:
        median, first, worst = statistics.median(self.seconds), self.seconds[0], max(self.seconds)
        used = f"of the processor {_ms(statistics.median(self.processor))}, {_ms(self.processor[0])} first"
        return f"{_ms(median)} median, {_ms(first)} first, {_ms(worst)} slowest; {used}"


def main() -> int:
    """Measure and print; the exit code says whether both bounds hold."""
    options = ArgumentParser(description=__doc__)
    options.add_argument("--store", type=Path)
    options.add_argument("--write", action="store_true")
    asked = options.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        lane = _measured(asked.store or Path(temporary))
    print(*lane.goals, *lane.notes, sep="\n")
    if asked.write:
        lane.write()
        write_report()
    return 0 if all(goal.met for goal in lane.goals) else 1


def _measured(folder: Path) -> Lane:
    begin = perf_counter()
    if (folder / "store").exists():
        store = open_store(folder / "store")
    else:
        folder.mkdir(parents=True, exist_ok=True)
        store, triples = _make_store(folder)
        print(f"store     {triples:,} triples, made in {perf_counter() - begin:.1f} s")
    prepared, again = _prepared(store), _prepared(store)
    app = create_app(store)
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="warning", lifespan="on"))
    listener = server.config.bind_socket()
    listener.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        found = _measure(listener.getsockname()[1])
    finally:
        server.should_exit = True
        thread.join()
    return _lane(found, prepared, again)


def _lane(found: Mapping[str, Timed], prepared: float, again: float) -> Lane:
    medians = {name: statistics.median(timed.seconds) * 1000 for name, timed in found.items()}
    slowest = max(medians[name] for name in TABLES)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    load = os.getloadavg()[1]
    told = f"Tables and search take {prepared:.1f} s of the processor to prepare, {again:.1f} s at the next start;"
    return Lane(
        "pages",
        "Pages of 100,000 objects",
        "A million triples, 100,000 objects, 100,000 problems; 50 rows a page, over HTTP",
        1,
        goals=(
            Goal("ms for the page of an object", medians["object"], MOST_FOR_OBJECT, False),
            Goal("ms for the slowest kind of table", slowest, MOST_FOR_TABLE, False),
        ),
        figures={name: str(timed) for name, timed in found.items()},
        notes=(f"{told} the server has at most {memory:.0f} MiB. The load of the machine was {load:.1f} meanwhile.",),
    )


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms"


def _prepared(store: Store) -> float:
    """How much of the processor's time the tables and the search of a state take."""
    with Snapshots(store).using() as snapshot:
        begin = process_time()
        prepare(snapshot)
        return process_time() - begin


def _measure(port: int) -> dict[str, Timed]:
    chance = random.Random(7)
    books = [f"http://books.example.org/{chance.randrange(BOOKS)}" for _ in range(REQUESTS)]
    table = "/class?item=item://book"
    pages = {
        "object": [f"/page?iri={quote(book, safe='')}" for book in books],
        "its history": [f"/page?iri={quote(book, safe='')}&tab=history" for book in books],
        "its Turtle": [f"/data.ttl?iri={quote(book, safe='')}" for book in books],
        "table": [table] * REQUESTS,
        "table, page 900 and on": [f"{table}&page={900 + number}" for number in range(REQUESTS)],
        "table, ordered by a column": [
            f"{table}&sort=property://book/{PROPERTIES[number % 5]}{'&order=desc' if number % 2 else ''}"
            for number in range(REQUESTS)
        ],
        "table, between two numbers, ordered by a date": [
            f"{table}&from=property://book/rating+{number / 10}&sort=property://book/date&page={number + 1}"
            for number in range(REQUESTS)
        ],
        "table, page 1,500 of those below a number": [
            f"{table}&to=property://book/rating+{4.9 - number / 100}&sort=property://book/author&order=desc&page=1500"
            for number in range(REQUESTS)
        ],
        "table, with a text": [f"{table}&q=%C3%A4gypten+{number}" for number in range(5)],
        "section of 100,000 objects": [f"/page?iri={quote(SECTION, safe='')}"] * 5,
        "search": [f"/search?q=book+{number}" for number in range(REQUESTS)],
        "home": ["/"] * REQUESTS,
        "run with 100,000 problems": ["/run/1"] * 5,
        "its problems, page by page": [f"/run/1/problems?page={1 + 100 * number}" for number in range(5)],
    }
    _time(port, "/search?q=warm")
    found = {}
    for name, paths in pages.items():
        found[name] = Timed(*zip(*(_time(port, path) for path in paths), strict=True))
        print(f"{name:46} {found[name]}")
    return found


def _time(port: int, path: str) -> tuple[float, float]:
    """How long an answer takes, and how much of the processor's time."""
    begin, used = perf_counter(), process_time()
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers={"Accept": "text/html"})
    response = connection.getresponse()
    response.read()
    connection.close()
    if response.status != 200:
        raise RuntimeError(f"{path}: {response.status}")
    return perf_counter() - begin, process_time() - used


def _make_store(folder: Path) -> tuple[Store, int]:
    chance = random.Random(1)
    lines = folder / "lines"
    with lines.open("w", encoding="utf-8") as file:
        for number in range(BOOKS):
            book = f"http://books.example.org/{number}"
            values = (f"Author {chance.randrange(5000)}", f"{1900 + chance.randrange(120)}-01-01", "Words " * 20)
            values = (*values, f"Book {chance.randrange(10**9)}", f"{chance.randrange(50) / 10}")
            file.write(f"<{SECTION}> <item://book> <{book}> <run://1> .\n")
            for name, value in zip(PROPERTIES, values, strict=True):
                file.write(f'<{book}> <property://book/{name}> "{value}" <run://1> .\n')
            for review in range(2):
                file.write(f"<{book}> <item://review> <{book}#{review}> <run://1> .\n")
                file.write(f'<{book}#{review}> <property://review/text> "Opinion {number}" <run://1> .\n')
    store = open_store(folder / "store")
    model = folder / "model.ttl"
    model.write_text(MODEL, encoding="utf-8")
    written = load_model(model).items()
    predicates = Predicates(
        tuple(item.predicate for item in written),
        tuple(found.predicate for item in written for found in item.properties),
    )
    record = RunRecord(
        id=1,
        state=RunState.COMPLETE,
        started=datetime.fromtimestamp(1, UTC),
        model=ModelUsed("digest", "books.ttl", predicates=predicates),
        sections=(SectionRecord(SECTION, objects=BOOKS),),
    )
    problems = (
        Problem(
            ProblemKind.MISSING,
            f"http://books.example.org/{number}",
            "page://book",
            "there is no such element",
            property="property://book/date",
        )
        for number in range(BOOKS)
    )
    record = finish_run(store, record, lines, record_lines(record, [*problems], MODEL), MODEL)
    record_changes(store.runs, 1)
    store.refresh()
    return store, record.counts.triples


if __name__ == "__main__":
    sys.exit(main())
