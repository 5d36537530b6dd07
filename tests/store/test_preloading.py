"""A run is loaded into the index while it goes on; whatever happens meanwhile, the index ends up the same."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions
from rdfcrawl.store.files.lines import write_sorted
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.index import Index
from rdfcrawl.store.preloading import Ahead, loading_ahead
from rdfcrawl.store.triples import GraphFile, Wanted
from tests.thing_site import thing_site

KILLED = """
import os, sys
from pathlib import Path
from rdfcrawl.store.index import Index
index = Index(Path(sys.argv[1]))
with index.writing(0):
    draft = index.draft()
os.kill(os.getpid(), 9)
"""

GRAPH = "run://1"
LINES = [f'<s:{number}> <p:> "{number}" <{GRAPH}> .\n' for number in range(500)]


class Journal:
    """The growing file of a run, and what loads it."""

    def __init__(self, folder: Path, ahead: Ahead) -> None:
        self.folder = folder
        self.path = folder / "triples.nq"
        self.path.touch()
        self.ahead = ahead
        ahead.follow(GRAPH, self.path)

    def write(self, lines: list[str]) -> None:
        with self.path.open("a") as file:
            file.write("".join(lines))
            file.flush()
            self.ahead.written(file.tell())

    def finished(self) -> GraphFile:
        """The run file of all that was written; the journal is gone then."""
        write_sorted(self.path, self.folder / "1.nq.gz")
        self.path.unlink()
        return GraphFile.of(GRAPH, self.folder / "1.nq.gz")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Index:
    """An index into which a few lines are many."""
    monkeypatch.setattr("rdfcrawl.store.preloading.SLICE_BYTES", 1000)
    return Index(tmp_path / "index")


@pytest.fixture
def journal(index: Index, tmp_path: Path) -> Iterator[Journal]:
    """A run that is being loaded ahead."""
    with loading_ahead(index) as ahead:
        assert ahead is not None
        yield Journal(tmp_path, ahead)


def hold(index: Index, *files: GraphFile) -> None:
    with index.writing(5) as mine:
        assert mine
        index.hold(Wanted(files, tuple(file.graph for file in files), str([file.fingerprint for file in files])))


def other(folder: Path) -> GraphFile:
    path = folder / "other.nq"
    path.write_text("<s:> <p:> <o:> <run://other> .\n")
    return GraphFile.of("run://other", path)


def quads(index: Index) -> set[str]:
    with index.read() as reader:
        return {f"{quad} .\n" for quad in reader.store}


def folders(index: Index) -> set[str]:
    return {path.name for path in index.path.iterdir() if path.is_dir()}


def test_what_was_loaded_ahead_is_not_loaded_again(
    index: Index, journal: Journal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The draft becomes the generation, with the lines that came last and what was there before."""
    hold(index, other(tmp_path))
    for start in range(0, 500, 50):
        journal.write(LINES[start : start + 50])
    files = other(tmp_path), journal.finished()
    loaded: list[Path] = []
    monkeypatch.setattr("rdfcrawl.store.index._load", lambda _, file: loaded.append(file.path))
    hold(index, *files)
    assert loaded == []
    assert quads(index) == {*LINES, "<s:> <p:> <o:> <run://other> .\n"}
    assert folders(index) == {str(index.generation())}


def test_lines_that_come_twice_are_there_once(index: Index, journal: Journal) -> None:
    """A journal repeats what many pages say."""
    journal.write(LINES)
    journal.write(LINES[:200])
    hold(index, journal.finished())
    assert quads(index) == set(LINES)


def test_another_writer_on_the_way_costs_only_the_work(index: Index, journal: Journal, tmp_path: Path) -> None:
    """Who has published meanwhile loses nothing, and neither does the run."""
    journal.write(LINES[:300])
    journal.ahead.wait()
    hold_as_another_process = Index(index.path)
    hold(hold_as_another_process, other(tmp_path))
    assert quads(index) == {"<s:> <p:> <o:> <run://other> .\n"}
    journal.write(LINES[300:])
    hold(index, other(tmp_path), journal.finished())
    assert quads(index) == {*LINES, "<s:> <p:> <o:> <run://other> .\n"}


def test_a_busy_index_is_loaded_at_the_end(index: Index, journal: Journal) -> None:
    """Nobody waits for another writer while a run goes on."""
    with Index(index.path).writing(0) as mine:
        assert mine
        journal.write(LINES[:300])
        journal.ahead.wait()
        assert folders(index) == set()
    journal.write(LINES[300:])
    hold(index, journal.finished())
    assert quads(index) == set(LINES)


def test_a_draft_that_lacks_a_slice_is_not_used(
    index: Index, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However well the loading goes on afterwards."""

    def fail(*_: object) -> None:
        raise OSError("no space left")

    with monkeypatch.context() as once:
        once.setattr("rdfcrawl.store.preloading.load_slice", fail)
        journal.write(LINES[:100])
        journal.ahead.wait()
    journal.write(LINES[100:])
    hold(index, journal.finished())
    assert quads(index) == set(LINES)


def test_a_draft_in_the_making_stays_and_goes_with_its_run(index: Index, tmp_path: Path) -> None:
    """Other writers leave the draft of a run alone; a run that is stopped takes it away."""
    with loading_ahead(index) as ahead:
        assert ahead is not None
        Journal(tmp_path, ahead).write(LINES[:100])
        ahead.wait()
        hold(Index(index.path), other(tmp_path))
        assert folders(index) == {"1", "2"}
    assert {path.name for path in index.path.iterdir()} == {"2", "2.lock", "CURRENT", "writer.lock"}


def test_the_draft_of_a_killed_run_is_deleted_by_the_next_one(index: Index, tmp_path: Path) -> None:
    """Its lock has gone with the process."""
    killed = subprocess.run([sys.executable, "-c", KILLED, str(index.path)], check=False)
    assert killed.returncode == -9
    (index.path / "1" / "left behind").touch()
    with loading_ahead(index) as ahead:
        assert ahead is not None
        Journal(tmp_path, ahead).write(LINES[:100])
        ahead.wait()
        assert not list(index.path.rglob("left behind"))
    assert folders(index) == set()


def test_what_has_piled_up_is_loaded_at_the_end(
    index: Index, journal: Journal, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that was too busy to load comes to its end with a lot."""
    monkeypatch.setattr("rdfcrawl.store.preloading._MOST_SLICES", 2)
    journal.write(LINES)
    journal.ahead.wait()
    assert not index.path.exists()
    hold(index, journal.finished())
    assert quads(index) == set(LINES)


def test_a_run_that_is_no_longer_wanted_is_not_in_the_index(index: Index, journal: Journal, tmp_path: Path) -> None:
    """Another process may prune a run that has just ended."""
    journal.write(LINES)
    journal.finished()
    hold(index, other(tmp_path))
    assert quads(index) == {"<s:> <p:> <o:> <run://other> .\n"}


@pytest.mark.asyncio
async def test_a_crawl_has_the_same_index_either_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two runs of a real site, loaded ahead, and the same runs loaded from their files."""
    monkeypatch.setattr("rdfcrawl.store.preloading.SLICE_BYTES", 500)
    taken: list[bool] = []
    take = Ahead.take

    def noted(self: Ahead, base: int, wanted: Wanted) -> object:
        draft = take(self, base, wanted)
        taken.append(draft is not None)
        return draft

    monkeypatch.setattr(Ahead, "take", noted)
    place = tmp_path / "store"
    async with thing_site(40) as site:
        for _ in range(2):
            await api.run(site.model(tmp_path), store=place, options=RunOptions(engine=Engine.HTTP, record=False))
    assert taken == [True, True]
    store = open_store(place)
    assert isinstance(store.data, Index)
    ahead = quads(store.data)
    store.refresh_one(store.data, anew=True)
    assert quads(store.data) == ahead
    graphs = Counter(line.split()[-2].partition("//")[0] for line in ahead)
    assert graphs["<run:"] == 2 * 80
