"""The server shows finished runs by itself, and its readers never notice that they are brought."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event

import pytest

from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.store.folder import open_store
from tests.publish.conftest import AddRun, Server, serving, thing

TRIES = 2000


def test_an_empty_store_is_served_and_shows_its_first_run(
    tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The page of an empty store says what to do; when a run has finished, it is there."""
    # Nobody asks for all of a second.
    monkeypatch.setattr("rdfcrawl.publish.web.app.FOLLOW_SECONDS", 0.1)
    store = open_store(tmp_path / "store")
    with serving(store) as server:
        assert "rdfcrawl run MODEL" in server.get("/", Accept="text/html").text
        add_run(store, 1, thing("a", "A thing"))
        assert any("1 added" in server.get("/", Accept="text/html").text for _ in range(TRIES))
        assert "A thing" in server.get("/class?item=item://thing", Accept="text/html").text


def test_readers_keep_their_state_until_they_are_done(tmp_path: Path, add_run: AddRun) -> None:
    """Who began to read before a run finished goes on with what there was."""
    store = open_store(tmp_path / "store")
    add_run(store, 1, thing("a", "A"))
    snapshots = Snapshots(store)
    with snapshots.using() as old:
        add_run(store, 2, thing("a", "A") + thing("b", "B"))
        assert snapshots.follow()
        assert not snapshots.follow()
        with snapshots.using() as new:
            assert [record.id for record in new.complete] == [1, 2]
        assert [record.id for record in old.complete] == [1]
        assert len(list(old.data.store.quads_for_pattern(None, None, None, old.graphs[0]))) == 2
    snapshots.close()


def test_fifty_readers_while_runs_are_written(tmp_path: Path, add_run: AddRun) -> None:
    """No reader sees an error while runs come in."""
    store = open_store(tmp_path / "store")
    add_run(store, 1, thing("0", "Thing 0"))
    done = Event()
    pages = ["/", "/class?item=item://thing", "/search?q=thing", "/diff", "/feed.atom", "/data.ttl?iri=" + ZERO]

    def read(server: Server, number: int) -> list[int]:
        found: list[int] = []
        while not done.is_set() or not found:
            found.append(server.get(pages[(number + len(found)) % len(pages)], Accept="*/*").status)
        return found

    with serving(store) as server, ThreadPoolExecutor(50) as readers:
        waiting = [readers.submit(read, server, number) for number in range(50)]
        for run in range(2, 4):
            add_run(store, run, "".join(thing(str(number), f"Thing {number}") for number in range(run)))
        done.set()
        statuses = [status for found in waiting for status in found.result()]
    assert set(statuses) == {200}


ZERO = "http%3A%2F%2Fdata.example.org%2Fthings%2F0"
