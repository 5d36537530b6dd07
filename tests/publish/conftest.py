"""A real server of a real store: two crawls of an example site, the second after some changes."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.publish.kept.raster import PictureSource
from rdfcrawl.publish.server.connections import Patience, make_server
from rdfcrawl.publish.web.app import create_app
from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.query.answer import QueryLimits
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunRecord, RunState, SectionRecord
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import unloaded_store

ROOT = Path(__file__).parents[2]
RECIPE = "http://www.chefkoch.de/rezepte/372611122991708/Donauwelle-Konditorenart.html"
GONE = "http://www.chefkoch.de/rezepte/1234567890/Rezept.html"
FIRST, SECOND = 1700000000, 1700086400


@dataclass(frozen=True, slots=True)
class Answer:
    """What a server has sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode()


@dataclass(frozen=True, slots=True)
class Server:
    """A server on loopback; requests are sent as they are, redirects are not followed."""

    address: str

    def get(self, path: str, **headers: str) -> Answer:
        """Get a path; ``accept_datetime=`` is the header Accept-Datetime."""
        return self.send("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})

    def send(
        self, method: str, path: str, body: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> Answer:
        """Send any request."""
        connection = HTTPConnection(urlsplit(self.address).netloc, timeout=60)
        try:
            connection.putrequest(method, path, skip_host="Host" in (headers or {}), skip_accept_encoding=True)
            for name, value in {**({"Content-Length": str(len(body))} if body else {}), **(headers or {})}.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            response: HTTPResponse = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return Answer(response.status, found, response.read())
        finally:
            connection.close()


@contextmanager
def serving(
    store: Store,
    base: str | None = None,
    limits: QueryLimits | None = None,
    patience: Patience | None = None,
    *,
    origins: Sequence[str] = (),
    loopback: bool = False,
    port: int = 0,
    title: str = "rdfcrawl",
    pictures: PictureSource | None = None,
) -> Iterator[Server]:
    """A server of a store, for as long as it is needed; at any free port, unless one is named."""
    chosen = limits or QueryLimits(20.0, 1000)
    app = create_app(
        store, base=base, limits=chosen, origins=origins, loopback=loopback, title=title, pictures=pictures
    )
    server = make_server(app, patience)
    listener = socket.create_server(("127.0.0.1", port))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        # Connections wait in the listener until the server takes them, so that there is nothing to wait for here.
        yield Server(f"http://127.0.0.1:{listener.getsockname()[1]}")
    finally:
        server.should_exit = True
        thread.join()


def crawl(store: Store, folder: Path, model: str = "chefkoch") -> int:
    """Run a model on recorded pages; returns the run."""
    options = RunOptions(replay=str(folder), record=False, source=f"models/{model}.ttl")
    report = asyncio.run(run_model(load_model(ROOT / "models" / f"{model}.ttl"), store, options))
    record_changes(store.runs, report.record.id)
    store.refresh()
    return report.record.id


@pytest.fixture(scope="session")
def published(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """The recipes before and after a change of the site, as two runs a day apart."""
    folder = tmp_path_factory.mktemp("published")
    before = folder / "before"
    shutil.copytree(ROOT / "examples" / "sites" / "www.chefkoch.de", before / "www.chefkoch.de")
    shutil.copytree(
        ROOT / "examples" / "sites-before" / "www.chefkoch.de", before / "www.chefkoch.de", dirs_exist_ok=True
    )
    target = open_store(folder / "store")
    for run, pages in ((FIRST, before), (SECOND, ROOT / "examples" / "sites")):
        source = unloaded_store(folder / f"crawl-{run}")
        rename_run(source, crawl(source, pages), target, run)
    return target


def rename_run(source: Store, run: int, target: Store, name: int) -> None:
    """Bring a run into another store as if it had begun at another time."""
    old, new = f"<run://{run}>".encode(), f"<run://{name}>".encode()
    lines = source.folder / "lines"
    lines.write_bytes(gzip.decompress(source.runs.graph(run).read_bytes()).replace(old, new))
    about = source.runs.record_graph(run).read_bytes()
    about = about.replace(old, new).replace(f"record://{run}".encode(), f"record://{name}".encode())
    started = datetime.fromtimestamp(name, UTC)
    record = replace(source.runs.read_record(run), id=name, started=started, ended=started + timedelta(minutes=1))
    finish_run(target, record, lines, about, source.runs.model(run).read_text(encoding="utf-8"))
    record_changes(target.runs, name)
    target.refresh()


@pytest.fixture(scope="session")
def server(published: Store) -> Iterator[Server]:
    """A server of the recipes."""
    with serving(published) as found:
        yield found


AddRun = Callable[[Store, int, str], RunRecord]

MODEL = """
@prefix : <predicate://> .
@prefix type: <type://> .
<model:> :section <http://data.example.org/things> .
<http://data.example.org/things> :page <page://things> .
<page://things> :type type:objects ; :item <item://thing> .
<item://thing> :path "//li" ; :id "./a" ; :property <property://thing/label>, <property://thing/home> .
<property://thing/label> :path "./a" .
<property://thing/home> :path "./b" ; :optional true .
"""


@pytest.fixture
def add_run(tmp_path: Path) -> AddRun:
    """A function that brings a run of given N-Triples lines about things into a store, with its changes."""
    return lambda store, run, triples: add_things(store, run, triples, tmp_path)


def add_things(store: Store, run: int, triples: str, folder: Path, model: str = MODEL) -> RunRecord:
    """Bring a run of given N-Triples lines about things into a store, with its changes."""
    lines = folder / f"{run}.lines"
    quads = [f"{line[:-2]} <run://{run}> .\n" for line in triples.strip().splitlines()]
    lines.write_text("".join(quads), encoding="utf-8")
    record = RunRecord(
        id=run,
        state=RunState.COMPLETE,
        started=datetime.fromtimestamp(run, UTC),
        model=ModelUsed(
            "digest",
            "things.ttl",
            predicates=Predicates(("item://thing",), ("property://thing/home", "property://thing/label")),
        ),
        sections=(SectionRecord("http://data.example.org/things"),),
    )
    finished = finish_run(store, record, lines, f'<record://{run}> <p:> "" <record://{run}> .\n'.encode(), model)
    record_changes(store.runs, run)
    store.refresh()
    return finished


def thing(name: str, label: str, home: str | None = None) -> str:
    """The lines of a thing with a label and perhaps a home; ``label`` is written as in N-Triples."""
    iri = f"<http://data.example.org/things/{name}>"
    lines = [
        f"<http://data.example.org/things> <item://thing> {iri} .",
        f'{iri} <property://thing/label> "{label}" .',
    ]
    if home:
        lines.append(f"{iri} <property://thing/home> <{home}> .")
    return "\n".join(lines) + "\n"


def asked(iri: str) -> str:
    """An IRI inside an address."""
    return quote(iri, safe="")
