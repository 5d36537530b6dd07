"""A model crawled as ``rdfcrawl run`` does it, into run files only: triple stores would only hold copies of them."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyoxigraph

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.files.lines import Advance, unwatched
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.store.triples import EMPTY, Held, Wanted

_RECORD = "predicate://record/"


@dataclass(slots=True)
class Unloaded:
    """A triple store that takes note of what it should hold and loads nothing."""

    location: str = "nowhere"
    noted: Held = field(default=EMPTY)

    def held(self) -> Held:
        return self.noted

    @contextmanager
    def writing(self, wait: float) -> Iterator[bool]:
        yield True

    def hold(self, wanted: Wanted, anew: bool = False, advance: Advance = unwatched) -> None:
        self.noted = Held(wanted.fingerprints(), wanted.default, wanted.key)


@dataclass(frozen=True, slots=True)
class Crawled:
    """What a run wrote: its graph as triples, its problems as in the record's RDF, its record, what was left unread."""

    triples: frozenset[str]
    problems: tuple[dict[str, str], ...]
    record: RunRecord
    unread: Unread


def unloaded_store(folder: Path) -> Store:
    """A store whose run files are real and whose triple stores stay empty."""
    return Store(folder, Unloaded(), Unloaded())


async def crawl(
    model: Model | Path, folder: Path, pages: Path | None = None, *, engine: Engine = Engine.HTTP
) -> Crawled:
    """Run a model in a new store, on the pages of a folder or on the network."""
    store = unloaded_store(folder)
    loaded = load_model(model) if isinstance(model, Path) else model
    options = RunOptions(replay=str(pages) if pages else None, engine=engine)
    report = await run_model(loaded, store, options)
    return read_run(store, report.record)


def read_run(store: Store, record: RunRecord) -> Crawled:
    """What the files of a run say."""
    ending = f" <{record.iri}> ."
    lines = gzip.decompress(store.runs.graph(record.id).read_bytes()).decode().splitlines()
    assert all(line.endswith(ending) for line in lines)
    triples = frozenset(line.removesuffix(ending) for line in lines)
    return Crawled(triples, _problems(store, record), record, store.runs.read_unread(record))


def _problems(store: Store, record: RunRecord) -> tuple[dict[str, str], ...]:
    graph = pyoxigraph.Store()
    graph.load(path=store.runs.record_graph(record.id), format=pyoxigraph.RdfFormat.N_QUADS)
    run, has_problem = pyoxigraph.NamedNode(record_iri(record.id)), pyoxigraph.NamedNode(_RECORD + "problem")
    found = [quad.object for quad in graph.quads_for_pattern(run, has_problem, None)]
    return tuple(
        {
            quad.predicate.value.removeprefix(_RECORD): quad.object.value
            for quad in graph.quads_for_pattern(problem, None, None)
            if not isinstance(quad.object, pyoxigraph.Triple)
        }
        for problem in found
        if isinstance(problem, pyoxigraph.NamedNode)
    )
