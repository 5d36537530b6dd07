"""A run is loaded while its files are written; whatever happens meanwhile, the index ends up the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl import api
from rdfcrawl.store.files.lines import write_sorted
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.index import Index, IndexDraft
from rdfcrawl.store.loading import load_slice
from rdfcrawl.store.preloading import Preloading
from rdfcrawl.store.triples import GraphFile, Wanted
from tests.thing_site import thing_site

GRAPH = "run://1"
OTHER = "run://2"

KILLED = """
import os, sys
from pathlib import Path
from rdfcrawl.store import preloading
from rdfcrawl.store.index import Index
preloading.SLICE_BYTES = 1000
index, lines = Index(Path(sys.argv[1])), Path(sys.argv[2])
loading = preloading.Preloading(index)
loading.add("run://1", lines)
while not (index.path / "2").exists():
    pass
print("begun", flush=True)
sys.stdin.read()
"""


def quads(graph: str, count: int = 500, start: int = 0) -> str:
    return "".join(f'<s:{number}> <p:> "{number}" <{graph}> .\n' for number in range(start, start + count))


class Journal:
    """The journal of a run, and the run file that is made of it."""

    def __init__(self, folder: Path, graph: str = GRAPH) -> None:
        self.path = folder / f"{graph[-1]}.triples.nq"
        self.path.touch()
        self.graph = graph

    def write(self, lines: str) -> None:
        with self.path.open("a") as file:
            file.write(lines)

    def finished(self) -> GraphFile:
        """The run file of all that was written; the journal is gone then."""
        target = self.path.with_suffix(".nq.gz")
        write_sorted(self.path, target)
        self.path.unlink()
        return GraphFile.of(self.graph, target)


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index into which a few lines are many."""
    monkeypatch.setattr("rdfcrawl.store.preloading.SLICE_BYTES", 1000)
    return Index(tmp_path / "index")


@pytest.fixture
def preloading(index: Index) -> Iterator[Preloading]:
    """What loads into that index."""
    with closing(Preloading(index)) as made:
        yield made


def hold(index: Index, *files: GraphFile, prepared: IndexDraft | None = None) -> None:
    wanted = Wanted(files, tuple(file.graph for file in files), str([file.fingerprint for file in files]))
    with index.writing(5) as mine:
        assert mine
        index.hold(wanted, prepared=prepared)


def held(index: Index) -> dict[str, int]:
    """How many triples each graph has."""
    with index.read() as reader:
        found: dict[str, int] = {}
        for quad in reader.store:
            found[quad.graph_name.value] = found.get(quad.graph_name.value, 0) + 1  # type: ignore[union-attr]
        assert set(found) == set(reader.held.graphs)
        return found


def folders(index: Index) -> list[str]:
    return [path.name for path in index.path.iterdir() if path.is_dir()]


def test_a_journal_is_loaded_before_it_is_sorted(index: Index, preloading: Preloading, tmp_path: Path) -> None:
    """Nothing of it is loaded again: the draft has it all when the run file is there."""
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH, 1000))
    preloading.add(GRAPH, journal.path)
    file = journal.finished()
    draft = preloading.draft()
    assert draft is not None
    assert draft.preloaded == {GRAPH}
    assert len(draft.store) == 1000
    draft.seal()
    file.path.write_bytes(b"it is not read")
    hold(index, file, prepared=draft)
    assert held(index) == {GRAPH: 1000}


def test_what_was_there_stays_and_what_is_small_comes_from_its_file(
    index: Index, preloading: Preloading, tmp_path: Path
) -> None:
    """The draft is a copy of the current generation; a graph of a few lines is not worth a process."""
    other = Journal(tmp_path, OTHER)
    other.write(quads(OTHER, 1000))
    hold(index, before := other.finished())
    small = Journal(tmp_path, "run://3")
    small.write(quads("run://3", 3))
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH))
    preloading.add(GRAPH, journal.path)
    preloading.add("run://3", small.path)
    draft = preloading.draft()
    assert draft is not None
    assert draft.preloaded == {GRAPH}
    hold(index, before, journal.finished(), small.finished(), prepared=draft)
    assert held(index) == {OTHER: 1000, GRAPH: 500, "run://3": 3}
    assert folders(index) == [str(index.generation())]


def test_a_compressed_file_is_loaded_as_well(index: Index, preloading: Preloading, tmp_path: Path) -> None:
    """Where lines of the journal are left out, the sorted file is loaded while others are written."""
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH, 5000))
    file = journal.finished()
    preloading.add(GRAPH, file.path)
    draft = preloading.draft()
    assert draft is not None
    assert len(draft.store) == 5000


def test_a_small_run_starts_no_process(index: Index, preloading: Preloading, tmp_path: Path) -> None:
    """And leaves nothing behind."""
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH, 2))
    preloading.add(GRAPH, journal.path)
    assert preloading.draft() is None
    assert not index.path.exists()


def test_another_writer_meanwhile_makes_the_draft_useless(index: Index, preloading: Preloading, tmp_path: Path) -> None:
    """The graph is loaded from its file then, and the draft is deleted."""
    journal, other = Journal(tmp_path), Journal(tmp_path, OTHER)
    journal.write(quads(GRAPH))
    preloading.add(GRAPH, journal.path)
    draft = preloading.draft()
    assert draft is not None
    other.write(quads(OTHER))
    hold(index, published := other.finished())
    hold(index, published, journal.finished(), prepared=draft)
    preloading.close()
    assert held(index) == {GRAPH: 500, OTHER: 500}
    assert folders(index) == [str(index.generation())]


def test_a_busy_index_is_left_alone(index: Index, preloading: Preloading, tmp_path: Path) -> None:
    """Whoever writes now is not waited for."""
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH))
    with index.writing(0):
        preloading.add(GRAPH, journal.path)
        assert preloading.draft() is None


@pytest.mark.parametrize("lines", ["no N-Quads\n", quads(GRAPH) + "<s:> broken"])
def test_what_cannot_be_loaded_is_left_to_whoever_can_say_why(
    index: Index, preloading: Preloading, tmp_path: Path, lines: str
) -> None:
    """There is no draft then, and nothing of it is left."""
    journal = Journal(tmp_path)
    journal.write(lines * 200)
    preloading.add(GRAPH, journal.path)
    assert preloading.draft() is None
    assert folders(index) == []


def test_a_graph_that_is_there_already_is_not_loaded_twice(
    index: Index, preloading: Preloading, tmp_path: Path
) -> None:
    """A run that was killed after it was published finishes once more; its file decides."""
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH))
    (tmp_path / "copy.nq").write_bytes(journal.path.read_bytes())
    hold(index, file := journal.finished())
    preloading.add(GRAPH, tmp_path / "copy.nq")
    draft = preloading.draft()
    assert draft is not None
    assert draft.preloaded == set()
    hold(index, file, prepared=draft)
    assert held(index) == {GRAPH: 500}


def test_a_graph_that_is_not_wanted_in_the_end_is_removed(index: Index, preloading: Preloading, tmp_path: Path) -> None:
    """Only what the run files say is held."""
    journal, other = Journal(tmp_path), Journal(tmp_path, OTHER)
    journal.write(quads(GRAPH))
    other.write(quads(OTHER))
    preloading.add(GRAPH, journal.path)
    hold(index, other.finished(), prepared=preloading.draft())
    assert held(index) == {OTHER: 500}


def test_a_killed_run_leaves_its_draft_to_the_next_writer(index: Index, tmp_path: Path) -> None:
    """But not before the process that loads has ended, which a killed run cannot tell."""
    journal = Journal(tmp_path)
    journal.write(quads(GRAPH, 5000))
    other = Journal(tmp_path, OTHER)
    other.write(quads(OTHER))
    hold(index, file := other.finished())
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(index.path), str(journal.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        os.kill(process.pid, signal.SIGKILL)
    draft = index.path / "2"
    assert draft.exists()
    while draft.exists():
        hold(index, file)
    assert held(index) == {OTHER: 500}


async def test_a_run_of_some_size_is_preloaded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index holds what the run file has, and none of its lines was loaded from there."""
    monkeypatch.setattr("rdfcrawl.store.preloading.SLICE_BYTES", 500)
    loaded: list[bytes] = []

    def noted(store: ox.Store, lines: bytes) -> int:
        loaded.append(lines)
        return load_slice(store, lines)

    monkeypatch.setattr("rdfcrawl.store.loading.load_slice", noted)
    async with thing_site(things=20) as site:
        finished = await api.run(site.model(tmp_path), store=tmp_path / "store")
    run = finished.report.record
    store = open_store(tmp_path / "store")
    assert isinstance(store.data, Index)
    with store.read(store.data) as reader:
        assert len(list(reader.store.quads_for_pattern(None, None, None, ox.NamedNode(run.iri)))) == run.counts.triples
    assert run.counts.triples == 40
    assert b"<property://name>" not in b"".join(loaded)
