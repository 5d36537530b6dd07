"""A read-only store: a backup, a mounted image, somebody else's folder."""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from rdfcrawl.errors import StoreError
from rdfcrawl.navigation.archive.analysing import analyse
from rdfcrawl.navigation.judging import NavigationRule
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.index import Index

AddRun = Callable[..., object]
NOBODY = 65534


@pytest.fixture
def shared() -> Iterator[Path]:
    """A folder that every user can reach, which those of pytest are not."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@contextmanager
def not_writable(folder: Path) -> Iterator[None]:
    """A folder without the right to write, for a process that may not write everywhere anyway."""
    folders = [folder, *(path for path in folder.rglob("*") if path.is_dir())]
    files = [path for path in folder.rglob("*") if path.is_file()]
    for path in files:
        path.chmod(0o444)
    for path in folders:
        path.chmod(0o555)
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)
        for path in folders:
            path.chmod(0o755)
        for path in files:
            path.chmod(0o644)


def names(store: Store) -> set[str]:
    assert isinstance(store.data, Index)
    with store.read(store.data) as reader:
        return {quad.object.value for quad in reader.store}  # type: ignore[union-attr]


def test_it_is_read_as_any_other(shared: Path, add_run: AddRun, caplog: pytest.LogCaptureFixture) -> None:
    """An index that is up to date needs no word."""
    store = open_store(shared / "store")
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "first")])
    with not_writable(store.folder):
        assert "first" in names(store)
        with Snapshots(open_store(store.folder, create=False)).using() as snapshot:
            assert [record.id for record in snapshot.complete] == [1]
    # Servers of other tests in this process cannot write meanwhile, either.
    assert [message for message in caplog.messages if str(shared) in message] == []


def test_a_generation_without_its_lock_is_read_all_the_same(shared: Path, add_run: AddRun) -> None:
    """A copy may have been made without it."""
    store = open_store(shared / "store")
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "first")])
    for lock in store.folder.rglob("*.lock"):
        lock.unlink()
    with not_writable(store.folder):
        assert "first" in names(store)


def test_an_index_that_is_behind_says_up_to_when_it_goes(
    shared: Path, add_run: AddRun, caplog: pytest.LogCaptureFixture
) -> None:
    """What was found before is shown, and one sentence says that there is more."""
    store = open_store(shared / "store")
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "first")])
    shutil.copytree(store.folder, shared / "earlier")
    add_run(store, 86400, ["s:a"], [("s:a", "i:x", "second")])
    for name in ("data", "changes"):
        shutil.rmtree(store.folder / name)
        shutil.copytree(shared / "earlier" / name, store.folder / name)
    with not_writable(store.folder), caplog.at_level(logging.WARNING):
        assert "first" in names(store)
        assert "second" not in names(store)
        Snapshots(store).close()
    (said,) = (message for message in caplog.messages if store.data.location in message)
    assert "cannot be written (Permission denied); it is read as it is, up to run 1 of 1970-01-01 00:00" in said
    assert "second" in names(store)


async def test_navigation_that_cannot_be_kept_is_not_begun(shared: Path, add_run: AddRun) -> None:
    """Reading an archive takes minutes, so that the sentence comes before."""
    store = open_store(shared / "store")
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "first")])
    (record,) = store.runs.records()
    said: list[str] = []
    with not_writable(store.folder), pytest.raises(StoreError, match=r"run 1 is not known yet, and cannot be kept in"):
        await analyse(store, record, NavigationRule.TOLERANT, said.append, lambda *_: None)
    assert said == []


def break_index(folder: Path) -> None:
    (folder / "1" / "CURRENT").write_text("")


@pytest.mark.parametrize("damage", [shutil.rmtree, break_index])
def test_without_an_index_the_reason_is_one_sentence(
    shared: Path, add_run: AddRun, damage: Callable[[Path], object]
) -> None:
    """Nothing can be shown, and nothing be built."""
    store = open_store(shared / "store")
    add_run(store, 1, ["s:a"], [("s:a", "i:x", "first")])
    damage(store.folder / "data")
    with not_writable(store.folder), pytest.raises(StoreError, match="built here, because it cannot be written"):
        names(store)
