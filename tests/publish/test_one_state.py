"""The index, the diff and the patches on the web agree about what is known."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.index import Index
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.store.state import state_of
from rdfcrawl.versioning.compare import compare_with_previous
from rdfcrawl.versioning.recording import record_changes
from tests.publish.conftest import ROOT, Server, serving
from tests.sampling import sampled
from tests.versioning.library import MODEL, NOVELS, POEMS, book
from tests.versioning.written_runs import WrittenRuns

SITES = ("bundestag", "chefkoch", "imdb")
SITES_FOR_THE_BROWSER = ("campus-tum", "muenchen")
OUTAGE = 0.6
"""The share of its pages that a run with an outage gets to read."""


def crawled(store: Store, model: str, pages: int | None = None) -> int:
    """Crawl an example site, or so many of its pages, and bring everything up to date; returns how many there are."""
    limits = RunLimits() if pages is None else RunLimits(pages=pages)
    options = RunOptions(replay=str(ROOT / "examples/sites"), record=False, limits=limits)
    report = asyncio.run(run_model(load_model(ROOT / f"models/{model}.ttl"), store, options))
    record_changes(store.runs, report.record.id)
    store.refresh()
    return sum(report.record.counts.pages.values())


def values(lines: Iterable[str]) -> set[str]:
    """Triples as the index keeps them: by value, not by spelling."""
    store = ox.Store()
    store.load("\n".join(lines), format=ox.RdfFormat.N_TRIPLES)
    return {f"{quad.triple} ." for quad in store}


def in_index(store: Store) -> set[str]:
    """The current state, as queries see it."""
    assert isinstance(store.data, Index)
    with store.read(store.data) as reader:
        graphs = [ox.NamedNode(graph) for graph in reader.held.default]
        return {
            f"{quad.triple} ." for graph in graphs for quad in reader.store.quads_for_pattern(None, None, None, graph)
        }


def in_diff(store: Store, run: int) -> set[str]:
    """What a run is compared with."""
    comparison = compare_with_previous(store.runs, store.runs.read_record(run))
    return values(b"".join(comparison.old()).decode().splitlines())


def patched(server: Server, runs: Iterable[int]) -> set[str]:
    """What the patches of runs lead to, one after the other, from nothing."""
    state: set[str] = set()
    for run in runs:
        for line in server.get(f"/run/{run}/patch").text.splitlines()[1:-1]:
            if line.startswith("D "):
                state.remove(line[2:])
            else:
                assert line[2:] not in state
                state.add(line[2:])
    return values(state)


@pytest.mark.slow
@pytest.mark.parametrize("site", sampled([*SITES, *SITES_FOR_THE_BROWSER], SITES[:1]))
def test_after_an_outage_everybody_knows_the_same(site: str, tmp_path: Path) -> None:
    """A whole crawl, one that reads only some of the pages, and a whole one again."""
    store = open_store(tmp_path / "store")
    pages = crawled(store, site)
    whole = in_index(store)
    crawled(store, site, pages=max(1, int(OUTAGE * pages)))
    known = in_index(store)
    crawled(store, site)
    first, second, third = store.runs.ids()
    assert store.runs.carried(second).exists()
    assert in_diff(store, second) == whole
    assert in_diff(store, third) == known
    assert store.runs.changes(third).read_bytes() == b""
    with serving(store) as server:
        assert patched(server, [first]) == whole
        assert patched(server, [first, second]) == known
        assert patched(server, [first, second, third]) == in_index(store) == whole


BOOKS = ("trial", "castle", "ode")
RUN = st.tuples(
    st.sets(st.sampled_from((NOVELS, POEMS)), min_size=1),
    st.sets(
        st.tuples(st.sampled_from(BOOKS), st.sampled_from((NOVELS, POEMS)), st.sampled_from(("1", "2"))), max_size=4
    ),
    st.sets(st.sampled_from((NOVELS, POEMS))),
    st.sets(st.sampled_from(BOOKS)),
)


@settings(
    max_examples=settings.default.max_examples // 4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(runs=st.lists(RUN, min_size=1, max_size=4))
def test_whatever_runs_have_read_of_whichever_sections_everybody_knows_the_same(
    runs: list[tuple[set[str], set[tuple[str, str, str]], set[str], set[str]]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """A run of all sections is compared with exactly what the index holds and the state says."""
    written = WrittenRuns(tmp_path_factory.mktemp("agree") / "store")
    store = open_store(written.store)
    for number, (sections, books, unread_lists, unread_books) in enumerate(runs, start=1):
        prices = {name: price for name, _, price in sorted(books)}
        found = [
            line
            for name, section, _ in sorted(books)
            if section in sections
            for line in book(name, section=section, price=prices[name])
        ]
        unread = Unread(
            tuple(f"http://library.example/book/{name}" for name in sorted(unread_books)),
            tuple((section, "item://book") for section in sorted(unread_lists & sections)),
        )
        written.add(number, MODEL, found, sections=sorted(sections), unread=unread)
        record_changes(written.files, number)
    store.refresh()
    known = state_of(store.runs, store.runs.records())
    indexed = in_index(store)
    both = written.add(len(runs) + 1, MODEL, [])
    assert indexed == in_diff(store, both.id) == values(triple.decode() for triple in known.triples())
