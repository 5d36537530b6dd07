"""The index: generations that are read while the next one is made."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing.synchronize import Semaphore
from pathlib import Path

import pyoxigraph as ox
import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.index import BrokenIndex, Index
from rdfcrawl.store.triples import GraphFile, Wanted
from tests.forking import FORKING

WRITER = """
import os, sys
from pathlib import Path
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.index import Index
from rdfcrawl.store.triples import GraphFile, Wanted
folder, start, end, fatal = Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4] == "die"
index, files = Index(folder / "index"), []
for run in range(1, end + 1):
    path = folder / f"{run}.nq"
    if not path.exists():
        write_whole(path, b"".join(b"<s:%d> <p:> <o:> <run://%d> .\\n" % (n, run) for n in range(200)))
    files.append(GraphFile.of(f"run://{run}", path))
    if run >= start:
        with index.writing(30) as mine:
            assert mine
            if fatal and run == end:
                index._complete(index._draft(index._current()), Wanted(files, (), "never"))
                os.kill(os.getpid(), 9)
            index.hold(Wanted(files, (f"run://{run}",), str(run)))
"""


def read_until(folder: Path, last: int, ready: Semaphore) -> None:
    """See generations, of which each is complete and none comes before the one that was seen, until the last one."""
    index, seen = Index(folder / "index"), 0
    ready.release()
    while seen < last:
        with index.read() as reader:
            count = len(reader.store)
            assert count == 200 * int(reader.held.key) == 200 * len(reader.held.graphs), (count, reader.held)
            assert int(reader.held.key) >= seen
            seen = int(reader.held.key)


def write(folder: Path, start: int, end: int, fate: str = "live") -> subprocess.Popen[str]:
    """A process that publishes generations with as many runs as their number; it may die in the last one."""
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(start), str(end), fate], text=True)


def graph_file(folder: Path, graph: str, *subjects: str) -> GraphFile:
    path = folder / f"{abs(hash((graph, subjects)))}.nq"
    write_whole(path, "".join(f"<{subject}> <p:> <o:> <{graph}> .\n" for subject in subjects).encode())
    return GraphFile.of(graph, path)


def hold(index: Index, *files: GraphFile) -> None:
    with index.writing(0) as mine:
        assert mine
        index.hold(Wanted(files, tuple(file.graph for file in files), str([file.fingerprint for file in files])))


def subjects(index: Index) -> set[str]:
    with index.read() as reader:
        return {f"{quad.subject.value} {quad.graph_name.value}" for quad in reader.store}  # type: ignore[union-attr]


@pytest.mark.parametrize("few", [0, 1_000_000])
def test_loading_tells_how_far_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Slices are loaded side by side, all of them, and each one counts, in whichever way they are loaded."""
    monkeypatch.setattr("rdfcrawl.store.loading.SLICE_BYTES", 1000)
    monkeypatch.setattr("rdfcrawl.store.loading.FEW_BYTES", few)
    files = [graph_file(tmp_path, f"g:{name}", *(f"s:{number}" for number in range(100))) for name in "ab"]
    index, shares = Index(tmp_path / "index"), list[float]()
    with index.writing(0):
        index.hold(Wanted(files, (), "two"), advance=shares.append)
    assert len(subjects(index)) == 200
    assert len(shares) > 4
    assert shares == sorted(shares)
    assert shares[-1] == 1


def test_graphs_are_added_replaced_and_dropped(tmp_path: Path) -> None:
    """A generation holds exactly the wanted graphs, whatever the one before held."""
    index = Index(tmp_path / "index")
    many = graph_file(tmp_path, "g:many", *(f"s:{number}" for number in range(100)))
    hold(index, many, graph_file(tmp_path, "g:1", "a:"))
    hold(index, many, graph_file(tmp_path, "g:1", "b:"), graph_file(tmp_path, "g:2", "c:"))
    assert subjects(index) >= {"b: g:1", "c: g:2"}
    assert len(subjects(index)) == 102
    hold(index, graph_file(tmp_path, "g:2", "c:"))
    assert subjects(index) == {"c: g:2"}


def test_a_reader_keeps_its_generation_until_it_is_closed(tmp_path: Path) -> None:
    """When a newer one is published, a reader still sees what it saw, and then its generation goes."""
    index = Index(tmp_path / "index")
    hold(index, graph_file(tmp_path, "g:1", "a:"))
    with index.read() as reader:
        hold(index, graph_file(tmp_path, "g:1", "b:"))
        assert index.generation() > reader.generation
        assert reader.folder.is_dir()
        assert ox.Store.read_only(str(reader.folder)).query("ASK { GRAPH <g:1> { <a:> ?p ?o } }")
        old = reader.folder
    hold(index, graph_file(tmp_path, "g:1", "c:"))
    assert not old.exists()


def test_readers_beside_a_writer_see_one_generation_each(tmp_path: Path, is_exhaustive: bool) -> None:
    """While many generations are published, two readers see complete ones only, in their order."""
    last = 20 if is_exhaustive else 8
    assert write(tmp_path, 1, 1).wait() == 0
    ready = FORKING.Semaphore(0)
    readers = [FORKING.Process(target=read_until, args=(tmp_path, last, ready), daemon=True) for _ in range(2)]
    for reader in readers:
        reader.start()
    for _ in readers:
        assert ready.acquire(timeout=60)
    assert write(tmp_path, 2, last).wait() == 0
    for reader in readers:
        reader.join()
    assert [reader.exitcode for reader in readers] == [0, 0]


def test_a_writer_killed_on_the_way_leaves_the_last_generation(tmp_path: Path) -> None:
    """After kill -9 the last published generation is read as before, and the next writer clears up."""
    assert write(tmp_path, 1, 3, fate="die").wait() == -9
    index = Index(tmp_path / "index")
    assert len(subjects(index)) == 400
    assert (index.path / "3").is_dir()
    assert write(tmp_path, 3, 4).wait() == 0
    assert len(subjects(index)) == 800
    assert [path.name for path in index.path.iterdir() if path.is_dir()] == [str(index.generation())]


@pytest.mark.parametrize("damage", ["MANIFEST", "CURRENT"])
def test_a_damaged_generation_is_noticed_and_replaced(tmp_path: Path, damage: str) -> None:
    """Reading says that the index is broken; holding the same graphs again repairs it."""
    index = Index(tmp_path / "index")
    wanted = graph_file(tmp_path, "g:1", "a:")
    hold(index, wanted)
    for path in index.generation_folder(index.generation()).glob(f"{damage}*"):
        path.write_bytes(b"broken")
    with pytest.raises(BrokenIndex, match="cannot be read"):
        index.read()
    hold(index, wanted)
    assert subjects(index) == {"a: g:1"}


def test_a_missing_index_is_noticed(tmp_path: Path) -> None:
    """Without any generation there is nothing to read."""
    with pytest.raises(BrokenIndex, match="is missing"):
        Index(tmp_path / "index").read()


def test_a_file_that_is_not_rdf_leaves_the_index_as_it_was(tmp_path: Path) -> None:
    """A generation that cannot be made is not published."""
    index = Index(tmp_path / "index")
    hold(index, graph_file(tmp_path, "g:1", "a:"))
    (tmp_path / "broken.nq").write_bytes(b"<a:> <b:> nothing\n")
    with pytest.raises(StoreError):
        hold(index, GraphFile.of("g:2", tmp_path / "broken.nq"))
    assert subjects(index) == {"a: g:1"}
