"""Broken surroundings: a disk without room, a store that cannot be written, a place that cannot be reached."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rdfcrawl import cli
from rdfcrawl.engine.fetch.browser.proxy import GuardedProxy
from rdfcrawl.engine.fetch.guard import AddressGuard
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import StoreError
from rdfcrawl.store.files import whole
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.index import Index
from rdfcrawl.store.triples import Wanted
from rdfcrawl.versioning.pruning import Retention, prunable, prune
from tests.publish.conftest import add_things, serving, thing
from tests.sampling import sampled

FULL = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
READING = [["query", "SELECT * { ?s ?p ?o }"], ["diff"], ["runs"], ["export"]]
READ_ONLY = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77; shift; exec "$@"'


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """Three runs, of which two can be pruned; the first has an archive."""
    made = open_store(tmp_path / "store")
    for run in (1, 2, 3):
        add_things(made, run, thing("a", f"{run} times"), tmp_path)
    made.archive.mkdir(exist_ok=True)
    (made.archive / "1.warc.gz").write_bytes(b"x" * 10_000)
    return made


@contextmanager
def little_room(monkeypatch: pytest.MonkeyPatch, store: Store, needed: int) -> Iterator[None]:
    """A disk on which nothing can be written before so many files are gone."""
    before = sum(1 for path in store.folder.rglob("*") if path.is_file())
    real = whole.tempfile.mkstemp

    def mkstemp(*arguments: object, **options: object) -> object:
        there = sum(1 for path in store.folder.rglob("*") if path.is_file())
        if there > before - needed:
            raise FULL
        return real(*arguments, **options)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(whole.tempfile, "mkstemp", mkstemp)
        yield


class TestFullDisk:
    """Nothing ends with a traceback, and what makes room works without any."""

    @pytest.mark.parametrize("needed", sampled([0, 1, 2], [2]))
    def test_prune_makes_room_where_there_is_none(
        self, store: Store, monkeypatch: pytest.MonkeyPatch, needed: int
    ) -> None:
        """It removes first what it can only note when there is room."""
        going = prunable(store.runs.records(), Retention(latest=1))
        assert [record.id for record in going] == [1, 2]
        with little_room(monkeypatch, store, needed):
            prune(store, going)
        assert [record.id for record in store.runs.records() if record.pruned] == [1, 2]
        assert not (store.archive / "1.warc.gz").exists()
        assert [store.runs.graph(run).exists() for run in (1, 2, 3)] == [False, False, True]
        with store.read(store.data) as reader:  # type: ignore[arg-type]
            assert set(reader.held.graphs) >= {"run://3"}
            assert "run://1" not in reader.held.graphs

    def test_graphs_whose_changes_are_not_written_stay(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """Without them the changes could never be determined."""
        store.runs.changes(2).unlink()
        going = prunable(store.runs.records(), Retention(latest=1))
        with little_room(monkeypatch, store, 10_000), pytest.raises(OSError, match="No space left"):
            prune(store, going)
        assert store.runs.graph(2).exists()
        assert not (store.archive / "1.warc.gz").exists()
        prune(store, going)
        assert store.runs.changes(2).exists()
        assert not store.runs.graph(2).exists()

    def test_an_index_that_has_no_room_is_read_as_it_is(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """Readers of what is there need none; Oxigraph says in words what others say in numbers."""

        def fail(*_: object) -> None:
            raise OSError("IO error: No space left on device: while appending to file")

        store.data.hold(Wanted((), (), "of another time"))
        monkeypatch.setattr(Index, "_complete", fail)
        with store.read(store.data) as reader:  # type: ignore[arg-type]
            assert reader.generation

    @pytest.mark.parametrize(
        ("trouble", "code"),
        [
            (FULL, 3),
            (OSError(errno.EDQUOT, "Disk quota exceeded"), 3),
            (RuntimeError("IO error: No space left on device"), 3),
            (PermissionError(errno.EACCES, "Permission denied", "/store/x"), 2),
        ],
    )
    def test_whatever_meets_it_the_user_gets_one_sentence(
        self, trouble: Exception, code: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """And an exit code that says whether the same command may work later."""

        def fail(**_: object) -> None:
            raise trouble

        monkeypatch.setattr(cli, "app", fail)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code == code
        said = capsys.readouterr().err
        assert said.startswith("rdfcrawl: ")
        assert said.count("\n") == 1
        assert ("free some space" in said) is (code == 3)

    def test_errors_that_wrap_it(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        """They keep their own words."""

        def fail(**_: object) -> None:
            raise StoreError("the graph could not be kept") from FULL

        monkeypatch.setattr(cli, "app", fail)
        with pytest.raises(SystemExit, match="3"):
            cli.main()
        assert "could not be kept" in capsys.readouterr().err


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare makes the store one that cannot be written")
@pytest.mark.parametrize("arguments", sampled(READING, READING[:1]))
def test_a_store_that_cannot_be_written_can_be_read(store: Store, arguments: list[str]) -> None:
    """Also by somebody who may write elsewhere."""
    command = [sys.executable, "-m", "rdfcrawl", *arguments, "--store", str(store.folder)]
    isolated = ["unshare", "-rm", "sh", "-c", READ_ONLY, "sh", str(store.folder), *command]
    ended = subprocess.run(isolated, capture_output=True, text=True, check=False)
    if ended.returncode == 77:
        pytest.skip("this system lets nobody mount")
    assert ended.returncode == 0, ended.stderr
    assert "Traceback" not in ended.stderr


def test_a_server_of_a_store_that_cannot_be_written(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """It only reads: nothing that would write is needed for any page."""
    with store.read(store.data), store.read(store.changes):  # type: ignore[arg-type]
        pass
    before = {path: path.stat().st_mtime_ns for path in store.folder.rglob("*") if path.is_file()}
    real = Path.open

    def only_reading(path: Path, mode: str = "r", *rest: object, **options: object) -> object:
        if store.folder in path.parents and mode.strip("b") != "r":
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))
        return real(path, mode, *rest, **options)  # type: ignore[arg-type, call-overload]

    monkeypatch.setattr(Path, "open", only_reading)
    with serving(store) as server:
        for path in (
            "/",
            "/class?item=item://thing",
            "/run/3",
            "/diff?from=2&to=3",
            "/ldes",
            "/feed.atom",
            "/run/3/patch",
        ):
            assert server.get(path).status == 200, path
        assert server.get("/sparql?query=ASK%7B%7D").status == 200
    assert {path: path.stat().st_mtime_ns for path in store.folder.rglob("*") if path.is_file()} == before


class TestReasons:
    """A page's trouble is told with its own reason."""

    @pytest.mark.parametrize(
        ("address", "place"),
        [
            ("http://a.example/", ("a.example", 80)),
            ("https://a.example/x", ("a.example", 443)),
            ("http://a.example:8080/", ("a.example", 8080)),
            ("http://[2001:db8::1]/", ("2001:db8::1", 80)),
            ("http://[2001:db8::1]:81/", ("2001:db8::1", 81)),
        ],
    )
    def test_reasons_are_kept_by_place(self, address: str, place: tuple[str, int]) -> None:
        """And not without end."""
        proxy = GuardedProxy(AddressGuard(), 1.0)
        reason = FetchFailed(ProblemKind.UNREACHABLE, "its own")
        proxy._note(place, reason)
        proxy._note(("b.example", 80), FetchFailed(ProblemKind.REFUSED, "another's"))
        assert proxy.why_not(address) is reason
        for number in range(2000):
            proxy._note((f"h{number}", 80), reason)
        assert len(proxy._failures) <= 1000
