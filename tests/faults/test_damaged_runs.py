"""Run files that were damaged on the disk: noticed, said, and written anew from what is whole."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rdfcrawl import api
from rdfcrawl.cli import app
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run import RunOptions
from rdfcrawl.errors import DamagedFile, Stopped
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.record import RunFile, RunState
from rdfcrawl.versioning.changes import ChangeKind
from tests.book_site import book_site
from tests.commands import Command
from tests.publish.conftest import serving
from tests.thing_site import ThingSite, thing_site

OPTIONS = RunOptions(engine=Engine.HTTP)
THINGS = 40


def edited(path: Path, edit: Callable[[list[bytes]], list[bytes]]) -> None:
    """Unpack a file, edit its lines, and pack it again, so that only its content is wrong."""
    path.write_bytes(gzip.compress(b"".join(edit(gzip.decompress(path.read_bytes()).splitlines(keepends=True)))))


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 2, len(content) // 2 + 8):
        content[place] ^= 0xFF
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut in the middle": lambda path: os.truncate(path, path.stat().st_size // 2),
    "cut at its end": lambda path: os.truncate(path, path.stat().st_size - 3),
    "bits flipped": flipped,
    "a garbage line": lambda path: edited(path, lambda lines: [*lines[:7], b"garbage\n", *lines[7:]]),
    "a line with spaces": lambda path: edited(path, lambda lines: [*lines[:7], b"some more garbage .\n", *lines[7:]]),
    "a broken line": lambda path: edited(path, lambda lines: [*lines[:7], lines[7][5:], *lines[8:]]),
    "a lost line": lambda path: edited(path, lambda lines: lines[:7] + lines[8:]),
    "swapped lines": lambda path: edited(path, lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]]),
    "another file": lambda path: path.write_bytes(b"nonsense"),
    "empty": lambda path: path.write_bytes(b""),
    "missing": lambda path: path.unlink(),
}
FEW = ("cut in the middle", "bits flipped", "a line with spaces", "missing")
"""The damages that are noticed in different ways, for tests that take longer."""
WITH_A_LINE = {"a garbage line": 8, "a line with spaces": 8, "a broken line": 8, "swapped lines": 8}


async def crawled(site: ThingSite, folder: Path, *things: int) -> Store:
    """A store in which a site was crawled so often, each time with so many things."""
    for number in things:
        site.things = number
        await api.run(site.model(folder.parent), store=folder, options=OPTIONS)
    return open_store(folder)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with three runs: the last thing is gone in the second one, and back in the third."""
    folder = tmp_path_factory.mktemp("prepared") / "store"

    async def prepare() -> None:
        async with thing_site() as site:
            await crawled(site, folder, THINGS, THINGS - 1, THINGS)

    asyncio.run(prepare())
    return folder


@pytest.fixture
def store(prepared: Path, tmp_path: Path) -> Store:
    """A copy of it that a test may damage."""
    shutil.copytree(prepared, tmp_path / "store")
    return open_store(tmp_path / "store")


def call(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--store", str(store.folder)])


def answers(store: Store) -> dict[str, str]:
    """What every command that reads a store prints; each ends well."""
    first, second, third = store.runs.ids()
    section = store.runs.read_record(first).sections[0].address
    commands = [
        ["runs"],
        ["diff"],
        ["diff", str(first), str(second)],
        ["diff", str(second), str(third)],
        ["diff", "--format", "patch"],
        ["history", section.replace("/list", f"/thing/{THINGS - 1}")],
        ["export"],
        ["export", "--run", "all"],
        ["export", "--run", str(second)],
        ["query", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o"],
        ["query", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o", "--run", str(second)],
        ["query", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o", "--changes"],
    ]
    results = {" ".join(command): call(store, *command) for command in commands}
    assert {name: result.exception for name, result in results.items()} == dict.fromkeys(results)
    return {name: result.stdout for name, result in results.items()}


@pytest.fixture(scope="module")
def undamaged(prepared: Path) -> dict[str, str]:
    """What the commands print of the store as it was."""
    return answers(open_store(prepared))


@pytest.mark.parametrize(("damage", "number"), [*((damage, 1) for damage in DAMAGES), *((damage, 2) for damage in FEW)])
def test_a_damaged_run_file_is_written_anew_from_the_index(
    store: Store, undamaged: dict[str, str], damage: str, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every command answers as before, the file is as before to the byte, and the user hears of it once."""
    path = store.runs.graph(store.runs.ids()[number])
    whole = path.read_bytes()
    DAMAGES[damage](path)
    assert answers(store) == undamaged
    assert path.read_bytes() == whole
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} was damaged; it was written anew from the index, and nothing is lost"
    ]


@pytest.mark.parametrize(
    ("damage", "command"),
    [
        *((damage, "export --run RUN") for damage in DAMAGES),
        *((damage, "diff") for damage in FEW),
        ("empty", "diff RUN latest"),
    ],
)
def test_without_any_copy_the_place_and_the_way_out_are_named(store: Store, damage: str, command: str) -> None:
    """One sentence with file, line and command; the other runs are there as before."""
    first, second, third = store.runs.ids()
    path = store.runs.graph(second)
    DAMAGES[damage](path)
    shutil.rmtree(store.folder / "data")
    store.runs.graph(first).unlink()
    if command == "diff":
        shutil.rmtree(store.archive)
    result = call(store, *command.replace("RUN", str(second)).split())
    assert isinstance(result.exception, DamagedFile)
    said = str(result.exception)
    assert said.startswith(f"{path} is damaged")
    assert result.exception.exit_code == 2
    if damage in WITH_A_LINE:
        assert f" at line {WITH_A_LINE[damage]} " in said
    if damage == "cut in the middle":
        assert re.search(r" at line \d+ \(it breaks off\)", said)
    assert f"--replay run:{second}" in said if store.archive.exists() else "only a backup" in said
    assert call(store, "export", "--run", str(third)).exception is None


@pytest.mark.parametrize("damage", FEW)
def test_the_current_state_is_asked_without_what_cannot_be_read(
    store: Store, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Without the newest run, the run before it is the latest one that can be shown; that is said, every time."""
    *_, second, third = store.runs.ids()
    DAMAGES[damage](store.runs.graph(third))
    shutil.rmtree(store.folder / "data")
    count = "SELECT (COUNT(*) AS ?n) { ?s <property://name> ?name }"
    for _ in range(2):
        result = call(store, "query", count, "--format", "csv")
        assert result.exception is None
        assert result.stdout.split() == ["n", str(THINGS - 1)]
    assert f"{third}.nq.gz is damaged" in caplog.text
    assert "was pruned" not in caplog.text
    named = call(store, "query", count, "--run", str(third))
    assert str(named.exception) == f"the graph of run {third} is lost"
    assert call(store, "query", count, "--run", str(second)).exception is None
    assert call(store, "runs").exception is None


def test_the_advice_in_the_message_brings_the_run_back(store: Store) -> None:
    """The command that the message names is carried out as it stands; afterwards the file is there to the byte."""
    _, second, _ = store.runs.ids()
    path = store.runs.graph(second)
    whole = path.read_bytes()
    path.write_bytes(whole[:100])
    shutil.rmtree(store.folder / "data")
    refused = subprocess.run(
        [sys.executable, "-m", "rdfcrawl", "diff", str(second), "--store", str(store.folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2
    assert refused.stdout == ""
    assert refused.stderr.count("\n") == 1
    (advice,) = re.findall(r"`(rdfcrawl run [^`]+)`", refused.stderr)
    again = subprocess.run([sys.executable, "-m", *shlex.split(advice)], capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert "Traceback" not in again.stderr
    assert call(store, "diff", str(second)).exception is None
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", FEW)
async def test_a_copy_that_is_only_equal_in_value_is_kept_and_not_taken_for_the_file(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The index has 1.1 for 1.10: it answers as before, but only the archive brings back what the page said."""
    query = ["query", "SELECT ?book ?price { ?book <property://book/price> ?price } ORDER BY ?book", "--format", "csv"]
    async with book_site(30) as site:
        (tmp_path / "books.ttl").write_text(site.model)
        place, model = tmp_path / "store", tmp_path / "books.ttl"
        run = (await api.run(model, store=place, options=OPTIONS)).report.record.id
        store = open_store(place)
        before = call(store, *query)
        path = store.runs.graph(run)
        whole = path.read_bytes()
        assert b'"1.10"' in gzip.decompress(whole)
        DAMAGES[damage](path)
        refused = call(store, "export")
        assert isinstance(refused.exception, DamagedFile)
        assert f"--replay run:{run}" in str(refused.exception)
        for _ in range(2):
            assert call(store, *query).stdout == before.stdout
        finished = await api.run(model, store=place, options=OPTIONS)
        assert finished.changes.counts == {}
        assert "no other run is left" in finished.changes.notes[-1]
        again = await api.run(model, store=place, options=replace(OPTIONS, replay=f"run:{run}"))
    assert again.report.record.counts.problems == {}
    assert call(store, "diff", str(run), str(finished.report.record.id)).exception is None
    assert path.read_bytes() == whole
    assert f"{path} was damaged; it was written anew from run {again.report.record.id}" in caplog.text


@pytest.mark.parametrize("damage", FEW)
async def test_a_new_crawl_ends_well_beside_a_damaged_run(tmp_path: Path, damage: str) -> None:
    """It keeps its own data, says what it was compared with instead, and calls nothing removed that is there."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5, 4)
        first, second = store.runs.ids()
        DAMAGES[damage](store.runs.graph(second))
        for name in ("data", "archive"):
            shutil.rmtree(store.folder / name)
        site.things = 6
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
        next_one = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert finished.report.record.state is RunState.COMPLETE
    assert finished.report.record.counts.objects == {"item://thing": 6}
    assert finished.changes.counts == {ChangeKind.ADDED: 1}
    assert str(store.runs.graph(second)) in finished.changes.notes[0]
    assert finished.changes.notes[1] == f"compared with run {first} in its place"
    assert "not compared" in store.runs.read_record(finished.report.record.id).notes
    assert (next_one.changes.counts, next_one.changes.notes) == ({}, ())


async def test_without_any_whole_run_before_nothing_is_compared(tmp_path: Path) -> None:
    """What was there before is neither new nor gone; the run after that is compared as always."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5)
        (first,) = store.runs.ids()
        store.runs.graph(first).write_bytes(b"")
        shutil.rmtree(store.folder / "data")
        site.things = 4
        command = Command("run", str(tmp_path / "things.ttl"), "--engine", "http", "--store", str(store.folder))
        assert await command.ended() == 0, command.said
        second = max(store.runs.ids())
        site.things = 3
        next_one = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert "Since the run before: not compared." in command.said
    assert f"Note: {store.runs.graph(first)} is damaged (it is empty); " in command.said
    assert f"Note: no other run is left to compare with: {site.address}/list" in command.said
    assert store.runs.changes(second).read_bytes() == b""
    assert next_one.changes.counts == {ChangeKind.REMOVED: 1}


@pytest.mark.parametrize("content", ["", "[]", "\0" * 100], ids=["empty", "another", "zeros"])
async def test_a_run_whose_record_is_damaged_is_left_out(
    tmp_path: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The others are there, and a new crawl is compared with the run before it."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5, 4)
        first, second = store.runs.ids()
        store.runs.record(second).write_text(content)
        shown = call(store, "runs", "--format", "json")
        site.things = 6
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert [run["id"] for run in json.loads(shown.stdout)] == [first]
    assert f"{second}.json is damaged" in caplog.text
    assert finished.report.record.id > second
    assert finished.changes.counts == {ChangeKind.ADDED: 1}
    assert str(store.runs.record(second)) in finished.changes.notes[0]


async def test_a_stopped_run_whose_record_is_damaged_goes_on(tmp_path: Path) -> None:
    """The queue knows what the run is; its record is written again."""
    stop = asyncio.Event()
    stop.set()
    async with thing_site(5) as site:
        model, folder = site.model(tmp_path), tmp_path / "store"
        with pytest.raises(Stopped):
            await api.run(model, store=folder, options=OPTIONS, stop=stop)
        (run,) = open_store(folder).runs.ids()
        open_store(folder).runs.record(run).write_text("{")
        finished = await api.run(model, store=folder, options=OPTIONS)
        assert finished.report.record.id == run
        with pytest.raises(Stopped):
            await api.run(model, store=folder, options=OPTIONS, stop=stop)
        open_store(folder).runs.record(max(open_store(folder).runs.ids())).write_text("{")
        fresh = await api.run(model, store=folder, options=replace(OPTIONS, fresh=True))
    assert fresh.report.record.counts.objects == {"item://thing": 5}


PLAIN_DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, path.stat().st_size - 10),
    "garbage": lambda path: path.write_bytes(b"garbage\n" + path.read_bytes()),
    "empty": lambda path: path.write_bytes(b""),
    "missing": lambda path: path.unlink(),
}


@pytest.mark.parametrize("damage", PLAIN_DAMAGES)
def test_damaged_changes_are_written_anew_from_their_index(
    store: Store, undamaged: dict[str, str], damage: str
) -> None:
    """They are links between addresses, of which the index knows every letter."""
    path = store.runs.changes(store.runs.ids()[1])
    whole = path.read_bytes()
    PLAIN_DAMAGES[damage](path)
    call(store, "query", "--changes", "ASK {}")
    assert path.read_bytes() == whole
    assert answers(store) == undamaged


@pytest.mark.parametrize("damage", PLAIN_DAMAGES)
async def test_damaged_changes_without_any_copy_are_found_out_again_by_the_next_run(
    tmp_path: Path, damage: str
) -> None:
    """Until then they are left out, and everything else is answered."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", 5, 4)
        path = store.runs.changes(store.runs.ids()[1])
        whole = path.read_bytes()
        PLAIN_DAMAGES[damage](path)
        for index in ("data", "changes"):
            shutil.rmtree(store.folder / index)
        for command in (
            ["query", "--changes", "SELECT * { ?s ?p ?o }"],
            ["query", "ASK {}"],
            ["runs"],
            ["history", f"{site.address}/thing/1"],
            ["diff"],
        ):
            assert call(store, *command).exception is None, command
        await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", FEW)
async def test_what_a_run_carries_on_is_found_out_again(tmp_path: Path, damage: str) -> None:
    """An object that was not observed in the run before is neither new nor gone when it is back."""
    async with thing_site() as site:
        store = await crawled(site, tmp_path / "store", THINGS)
        site.robots = "User-agent: *\nDisallow: /thing/1\n"
        store = await crawled(site, tmp_path / "store", THINGS)
        second = store.runs.ids()[-1]
        path = store.runs.carried(second)
        whole = gzip.decompress(path.read_bytes())
        assert whole
        DAMAGES[damage](path)
        assert call(store, "query", "ASK {}").exception is None
        site.robots = None
        finished = await api.run(site.model(tmp_path), store=store.folder, options=OPTIONS)
    assert (finished.changes.counts, finished.changes.notes) == ({}, ())
    assert gzip.decompress(path.read_bytes()) == whole


@pytest.mark.parametrize("damage", FEW)
def test_a_server_rather_sends_nothing_than_half_a_file(store: Store, damage: str) -> None:
    """What rests on the damaged run is an error; the rest is published."""
    first, second, third = store.runs.ids()
    DAMAGES[damage](store.runs.graph(second))
    shutil.rmtree(store.folder / "data")
    with serving(store) as server:
        assert server.get("/").status == 200
        assert server.get(f"/run/{third}/dump.nq.gz").status == 200
        dump, patch = server.get(f"/run/{second}/dump.nq.gz"), server.get(f"/run/{second}/patch")
        assert (dump.status, patch.status) == (500, 404)
        assert dump.text == f"the file of run {second} is damaged; it was logged\n"
        assert server.get(f"/run/{first}/patch").status == 200


def test_nothing_is_pruned_while_what_would_stay_is_damaged(store: Store) -> None:
    """The older runs are then all that is left; afterwards everything is as it was."""
    *older, latest = store.runs.ids()
    store.runs.graph(latest).write_bytes(b"")
    shutil.rmtree(store.folder / "data")
    refused = call(store, "runs", "prune", "--keep", "1", "--yes")
    assert isinstance(refused.exception, DamagedFile)
    assert all(store.runs.graph(run).exists() for run in older)
    assert not any(record.is_pruned for record in store.runs.records())


def test_an_object_of_a_damaged_run_is_explained_from_its_page(store: Store) -> None:
    """The archive has it; what the run itself has reported is only needed where nothing is found."""
    *_, latest = store.runs.ids()
    for path in (store.runs.graph(latest), store.runs.record_graph(latest)):
        path.write_bytes(path.read_bytes()[:50])
    shutil.rmtree(store.folder / "data")
    things = store.runs.read_record(latest).sections[0].address.replace("/list", "/thing")
    explained = call(store, "explain", f"{things}/1")
    assert explained.exception is None
    assert "Thing 1" in explained.stdout
    unknown = call(store, "explain", f"{things}/1000")
    assert f"{latest}.record.nq is damaged" in str(unknown.exception)


def test_a_file_that_cannot_be_written_anew_is_as_good_as_lost(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """The index is asked all the same, and the user hears why."""
    _, second, _ = store.runs.ids()
    path = store.runs.graph(second)
    whole = path.read_bytes()
    path.unlink()
    path.mkdir()
    (path / "in the way").touch()
    count = call(store, "query", "SELECT (COUNT(*) AS ?n) { ?s <property://name> ?o }", "--run", str(second))
    assert count.exception is None
    assert f" {THINGS - 1}" in f" {count.stdout.split()[-1]}"
    assert "cannot be written anew" in caplog.text
    assert isinstance(call(store, "export", "--run", str(second)).exception, DamagedFile)
    shutil.rmtree(path)
    assert call(store, "export", "--run", str(second)).exception is None
    assert path.read_bytes() == whole


def test_a_pruned_run_is_not_taken_for_a_damaged_one(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """What was given up on purpose is not missed."""
    assert call(store, "runs", "prune", "--keep", "1", "--yes").exception is None
    assert call(store, "query", "ASK {}").exception is None
    assert "damaged" not in caplog.text
    record = store.runs.records()[0]
    assert RunFile.GRAPH in record.checksums
    assert not store.runs.graph(record.id).exists()
