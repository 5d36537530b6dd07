"""Graphs of runs that were damaged on the disk: noticed, said, and rewritten from what is whole."""

from __future__ import annotations

import gzip
import re
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.errors import DamagedFile
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.runs.record import RunFile
from tests.book_site import book_site
from tests.commands import Command
from tests.faults.damages import DAMAGES, FEW, ONE, OPTIONS, THINGS, TWO, WITH_A_LINE, answers, call
from tests.publish.conftest import serving
from tests.sampling import sampled


@pytest.mark.parametrize("number", [1, pytest.param(2, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("damage", sampled(DAMAGES, TWO))
def test_a_damaged_run_file_is_written_anew_from_the_index(
    store: Store, undamaged: dict[str, str], damage: str, number: int, caplog: pytest.LogCaptureFixture
) -> None:
    """Every command answers as before, the file is as before to the byte, and the user is told once."""
    path = store.runs.graph(store.runs.ids()[number])
    whole = path.read_bytes()
    DAMAGES[damage](path)
    assert answers(store) == undamaged
    assert path.read_bytes() == whole
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} was damaged and has been restored from the index; nothing is lost"
    ]


@pytest.mark.parametrize(
    ("damage", "command"),
    [
        *((damage, "export --run RUN") for damage in DAMAGES),
        ("missing", "diff"),
        *(pytest.param(damage, "diff", marks=pytest.mark.exhaustive) for damage in FEW if damage != "missing"),
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
        assert re.search(r" at line \d+ \(it is cut off\)", said)
    assert f"--replay run:{second}" in said if store.archive.exists() else "only a backup" in said
    assert call(store, "export", "--run", str(third)).exception is None


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
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
    refused = Command("diff", str(second), "--store", str(store.folder))
    assert refused.wait() == 2
    assert refused.printed == ""
    assert refused.said.count("\n") == 1
    (advice,) = re.findall(r"`(rdfcrawl run [^`]+)`", refused.said)
    again = Command(*shlex.split(advice)[1:])
    assert again.wait() == 0, again.said
    assert "Traceback" not in again.said
    assert call(store, "diff", str(second)).exception is None
    assert path.read_bytes() == whole


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
async def test_a_copy_that_is_only_equal_in_value_is_kept_and_not_taken_for_the_file(
    tmp_path: Path, damage: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The index has 1.1 for 1.10: it answers as before, but only the archive brings back what the page said."""
    query = ["query", "SELECT ?book ?price { ?book <property://book/price> ?price } ORDER BY ?book", "--format", "csv"]
    async with book_site(12) as site:
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
    assert f"{path} was damaged and has been restored from run {again.report.record.id}" in caplog.text


@pytest.mark.parametrize("damage", sampled(FEW, ONE))
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
    assert "cannot be rewritten" in caplog.text
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
