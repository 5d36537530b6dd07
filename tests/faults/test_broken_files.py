"""A disk that is full, files that are broken, a clock that is set back: noticed, said, and made good."""

from __future__ import annotations

import asyncio
import gzip
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Silent
from rdfcrawl.engine.frontier.opening import open_queue
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import Stopped
from rdfcrawl.store.runs.record import RunState
from tests.book_site import book_site
from tests.crawling import read_run, unloaded_store
from tests.thing_site import thing_site

OPTIONS = RunOptions(engine=Engine.HTTP, record=False)

TINY_DISK = """
mount -t tmpfs -o size=1000k tmpfs "$1" || exit 77
shift
"$@"; echo "first $?" >&2
mount -o remount,size=100m "$OLDPWD/disk" || exit 77
"$@"; echo "second $?" >&2
exec cp "$OLDPWD"/disk/store/runs/*.nq.gz "$OLDPWD/kept/"
"""


class Listening(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def notice(self, text: str) -> None:
        self.told.append(text)


def broken_at(queue: Path, offset: int) -> None:
    """Overwrite a piece of a file."""
    with closing(sqlite3.connect(queue)) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with queue.open("r+b") as file:
        file.seek(offset)
        file.write(b"\xff" * 4096)


@pytest.mark.parametrize("offset", [0, 4096], ids=["its head", "its tables"])
async def test_a_broken_queue_is_put_aside_and_the_run_begins_anew(tmp_path: Path, offset: int) -> None:
    """What was complete is there; what was not is crawled again, and the user is told."""
    async with thing_site(40) as site:
        store, model, stop = unloaded_store(tmp_path / "store"), site.model(tmp_path), asyncio.Event()
        first = await run_model(model, store, OPTIONS)
        stop.set()
        with pytest.raises(Stopped):
            await run_model(model, store, OPTIONS, stop=stop)
        broken_at(store.queue, offset)
        observer = Listening()
        last = await run_model(model, store, OPTIONS, observer=observer)
    assert len(observer.told) == 1
    assert "broken" in observer.told[0]
    assert "starts over" in observer.told[0]
    assert [record.state for record in store.runs.records()] == [
        RunState.COMPLETE,
        RunState.ABANDONED,
        RunState.COMPLETE,
    ]
    assert read_run(store, first.record).triples == read_run(store, last.record).triples


async def test_a_clock_that_is_set_back_puts_no_run_before_its_predecessors(tmp_path: Path) -> None:
    """A run's number is above all that the store has, whatever the clock says."""
    async with thing_site(2) as site:
        store, model = unloaded_store(tmp_path / "store"), site.model(tmp_path)
        queue = await open_queue(store.queue)
        tomorrow = await queue.begin("another model", newest=2_000_000_000)
        await queue.aclose()
        report = await run_model(model, store, OPTIONS)
    assert report.record.id == tomorrow + 1


@pytest.mark.skipif(shutil.which("unshare") is None, reason="unshare makes the small file system")
async def test_a_full_disk_stops_the_run_and_room_lets_it_go_on(tmp_path: Path) -> None:
    """Exit code 3 and one sentence; with room the same command ends the run, and the graph is whole."""
    for name in ("disk", "kept"):
        (tmp_path / name).mkdir()
    async with book_site(100) as site:
        (tmp_path / "books.ttl").write_text(site.model)
        store = tmp_path / "disk" / "store"
        command = [sys.executable, "-m", "rdfcrawl", "run", str(tmp_path / "books.ttl"), "--max", "free-bytes=1"]
        script = ["unshare", "-rm", "sh", "-c", TINY_DISK, "sh", str(tmp_path / "disk")]
        process = await asyncio.create_subprocess_exec(
            *script,
            *command,
            "--store",
            str(store),
            stderr=subprocess.PIPE,
            env={"OLDPWD": str(tmp_path), "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "PYTHONPATH": str(Path.cwd())},
        )
        said = (await process.communicate())[1].decode()
        if process.returncode == 77:
            pytest.skip("this system lets nobody make a small file system")
    assert "first 3" in said, said
    assert "free some space" in said
    assert "Traceback" not in said
    assert "second 0" in said, said
    (kept,) = (tmp_path / "kept").glob("[0-9]*.nq.gz")
    assert gzip.decompress(kept.read_bytes()).count(b"<item://book>") == 100
