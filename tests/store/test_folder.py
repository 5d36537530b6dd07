"""The store: runs come in, the current state comes out, whatever happens in between."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rdfcrawl.errors import StoreError
from rdfcrawl.store.files.lines import write_sorted
from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.index import Index
from rdfcrawl.store.marker import MARKER
from rdfcrawl.store.runs.record import RunState

AddRun = Callable[..., object]
Current = Callable[[Store], set[tuple[str, str, str]]]


def test_a_finished_run_is_current_and_in_its_own_graph(
    store: Store, add_run: AddRun, current: Current, triples_of: Callable[..., set[tuple[str, str, str]]]
) -> None:
    """Graph and record of a run are in the index; its triples are counted without repetitions."""
    triples = [("a:1", "p:name", "one"), ("s:", "i:a", "a:1"), ("a:1", "p:name", "one")]
    record = add_run(store, 10, ["s:"], triples)
    assert record == store.runs.read_record(10)
    assert store.runs.read_record(10).counts.triples == 2
    assert current(store) == set(triples)
    assert isinstance(store.data, Index)
    with store.read(store.data) as reader:
        assert triples_of(reader, ["run://10"]) == set(triples)
        assert triples_of(reader, ["record://10"]) == {("run://10", "p:state", "complete")}


def test_each_section_is_current_as_its_latest_run_has_it(store: Store, add_run: AddRun, current: Current) -> None:
    """A later run of one section takes over that section only; what was only there is no longer current."""
    add_run(
        store, 1, ["s:a", "s:b"], [("s:a", "i:", "a:old"), ("a:old", "p:", "1"), ("s:b", "i:", "b:"), ("b:", "p:", "2")]
    )
    add_run(store, 2, ["s:a"], [("s:a", "i:", "a:new"), ("a:new", "p:", "3")])
    assert current(store) == {
        ("s:a", "i:", "a:new"),
        ("a:new", "p:", "3"),
        ("s:b", "i:", "b:"),
        ("b:", "p:", "2"),
    }
    add_run(store, 3, ["s:b"], [("s:b", "i:", "b:"), ("b:", "p:", "4")])
    assert current(store) == {
        ("s:a", "i:", "a:new"),
        ("a:new", "p:", "3"),
        ("s:b", "i:", "b:"),
        ("b:", "p:", "4"),
    }


def test_an_object_of_two_sections_is_current_as_last_observed(store: Store, add_run: AddRun, current: Current) -> None:
    """The later run's values count; a property that only the older run's model has stays."""
    add_run(store, 1, ["s:a"], [("s:a", "i:", "x:"), ("x:", "p:price", "10"), ("x:", "p:colour", "red")])
    add_run(store, 2, ["s:b"], [("s:b", "i:", "x:"), ("x:", "p:price", "12")], predicates=["p:price", "i:"])
    assert current(store) == {
        ("s:a", "i:", "x:"),
        ("s:b", "i:", "x:"),
        ("x:", "p:price", "12"),
        ("x:", "p:colour", "red"),
    }


def test_what_a_run_carries_on_is_current_but_not_in_its_graph(
    store: Store, add_run: AddRun, current: Current, triples_of: Callable[..., set[tuple[str, str, str]]]
) -> None:
    """An object that could not be read is still known."""
    add_run(store, 1, ["s:"], [("s:", "i:", "a:")])
    lines = store.folder / "carried"
    lines.write_text('<a:> <p:> "known" <run://1> .\n')
    write_sorted(lines, store.runs.carried(1))
    assert current(store) == {("s:", "i:", "a:"), ("a:", "p:", "known")}
    assert isinstance(store.data, Index)
    with store.read(store.data) as reader:
        assert triples_of(reader, ["run://1"]) == {("s:", "i:", "a:")}


def test_a_run_that_was_given_up_is_kept_but_never_current(store: Store, add_run: AddRun, current: Current) -> None:
    """Only complete runs make the current state."""
    add_run(store, 1, ["s:"], [("s:", "i:", "a:")])
    add_run(store, 2, ["s:"], [("s:", "i:", "b:")], state=RunState.ABANDONED)
    assert current(store) == {("s:", "i:", "a:")}
    assert "run://2" in store.data.held().graphs


def test_changes_are_loaded_from_their_files(store: Store, add_run: AddRun) -> None:
    """A file of changes written beside the runs is in the changes after a refresh."""
    add_run(store, 1, ["s:"], [("s:", "i:", "a:")])
    store.runs.changes(1).write_text("<s:> <predicate://added> <a:> <run://1> .\n")
    store.refresh()
    assert store.changes.held().default == ("run://1",)


def test_a_crash_between_the_files_and_the_index_is_made_up_for(
    store: Store, add_run: AddRun, current: Current
) -> None:
    """Whoever reads next loads the run that is in the files and not in the index."""
    add_run(store, 1, ["s:"], [("s:", "i:", "a:")])
    kept = store.folder / "kept"
    shutil.copytree(store.folder / "data", kept)
    add_run(store, 2, ["s:"], [("s:", "i:", "b:")])
    shutil.rmtree(store.folder / "data")
    kept.rename(store.folder / "data")
    assert current(store) == {("s:", "i:", "b:")}


def test_a_crash_between_two_files_is_made_up_for_by_finishing_again(
    store: Store, add_run: AddRun, current: Current, tmp_path: Path
) -> None:
    """A run whose record was not yet written does not exist; finishing it again brings the same files."""
    record = add_run(store, 1, ["s:"], [("s:", "i:", "a:")])
    before = {path.name: path.read_bytes() for path in store.runs.folder.iterdir()}
    store.runs.write_record(replace(store.runs.read_record(1), state=RunState.RUNNING))
    (store.runs.folder / ".1.nq.gz.left.tmp").touch()
    assert current(store) == set()
    about = store.runs.record_graph(1).read_bytes()
    assert finish_run(store, record, tmp_path / "1.lines", about, "# model") == record  # type: ignore[arg-type]
    (tmp_path / "1.lines").unlink()
    assert finish_run(store, record, tmp_path / "1.lines", about, "# model") == record  # type: ignore[arg-type]
    assert {path.name: path.read_bytes() for path in store.runs.folder.iterdir()} == before
    assert current(store) == {("s:", "i:", "a:")}


def test_a_lost_or_damaged_index_is_made_anew_from_the_files(
    store: Store, add_run: AddRun, current: Current, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing is lost with the index, and damage is reported."""
    add_run(store, 1, ["s:"], [("s:", "i:", "a:")])
    shutil.rmtree(store.folder / "data")
    assert current(store) == {("s:", "i:", "a:")}
    for path in (store.folder / "data").glob("*/MANIFEST*"):
        path.write_bytes(b"broken")
    assert current(store) == {("s:", "i:", "a:")}
    assert "made anew from the run files" in caplog.text


SECTIONS = ("s:a", "s:b", "s:c")
EDGE = st.tuples(st.sampled_from(("x:1", "x:2", "x:3", "x:4")), st.just("i:"), st.sampled_from(("x:1", "x:2", "x:3")))
VALUE = st.tuples(st.sampled_from(("x:1", "x:2", "x:3", "x:4")), st.just("p:"), st.sampled_from(("one", "two")))
START = st.tuples(st.sampled_from(SECTIONS), st.just("i:"), st.sampled_from(("x:1", "x:2", "x:3", "x:4")))
RUN = st.tuples(
    st.sets(st.sampled_from(SECTIONS), min_size=1), st.sets(START, max_size=3), st.sets(EDGE | VALUE, max_size=6)
)


@settings(
    max_examples=settings.default.max_examples // 4,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(runs=st.lists(RUN, min_size=1, max_size=4))
def test_after_any_runs_the_index_equals_a_walk_over_all_of_them(
    runs: list[tuple[set[str], set[tuple[str, str, str]], set[tuple[str, str, str]]]],
    add_run: AddRun,
    current: Current,
) -> None:
    """The current state is what a simple walk from each section's latest run comes to."""
    with TemporaryDirectory() as folder:
        store = open_store(Path(folder) / "store")
        graphs = []
        for number, (sections, starts, rest) in enumerate(runs, start=1):
            written = walk(sections, starts | rest, set())
            graphs.append((sections, written))
            add_run(store, number, sections, written)
        expected: set[tuple[str, str, str]] = set()
        described: set[str] = set()
        taken: set[str] = set()
        for sections, written in reversed(graphs):
            if sections - taken:
                part = walk(sections - taken, written, described)
                expected |= part
                described |= {subject for subject, _, _ in part}
                taken |= sections
        assert current(store) == expected


def walk(roots: set[str], triples: set[tuple[str, str, str]], barred: set[str]) -> set[tuple[str, str, str]]:
    """The triples that can be reached from the roots without the subjects that newer runs describe."""
    reached = set(roots)
    for _ in triples:
        reached |= {value for subject, _, value in triples if subject in reached - barred and ":" in value}
    return {triple for triple in triples if triple[0] in reached - barred}


def test_a_folder_of_other_things_is_refused(tmp_path: Path) -> None:
    """A store is not made among files that are not ours."""
    (tmp_path / "thesis.txt").touch()
    with pytest.raises(StoreError, match="holds other files and is no store"):
        open_store(tmp_path)
    with pytest.raises(StoreError, match="is a file"):
        open_store(tmp_path / "thesis.txt")


def test_a_store_of_another_format_is_refused(tmp_path: Path) -> None:
    """The message names both formats."""
    (tmp_path / MARKER).write_text(json.dumps({"format": 99}))
    with pytest.raises(StoreError, match="is a store of format 99; this rdfcrawl reads and writes format 3"):
        open_store(tmp_path)


def test_a_missing_store_is_made_only_when_asked_for(tmp_path: Path) -> None:
    """Reading from nowhere says how a store is made; the environment names the place."""
    with pytest.raises(StoreError, match="there is no store at"):
        open_store(tmp_path / "none", create=False)
    assert not (tmp_path / "none").exists()


def test_the_environment_names_the_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """RDFCRAWL_STORE counts unless --store is given."""
    monkeypatch.setenv("RDFCRAWL_STORE", str(tmp_path / "here"))
    assert open_store().folder == tmp_path / "here"
    assert open_store(tmp_path / "there").folder == tmp_path / "there"


@pytest.mark.parametrize("other", ["2024/letter.txt", "CURRENT", "notes.txt"])
def test_a_folder_of_other_things_is_no_place_for_changes(tmp_path: Path, other: str) -> None:
    """A folder named by a year is no old generation, nor is another database's CURRENT one of ours."""
    place = tmp_path / "mine"
    (place / other).parent.mkdir(parents=True)
    (place / other).write_text("mine")
    with pytest.raises(StoreError, match="holds other files and no changes; name an empty or a new folder"):
        open_store(tmp_path / "store", str(place))
    with pytest.raises(StoreError, match="is a file"):
        open_store(tmp_path / "store", str(tmp_path / "store" / MARKER))
    assert (place / other).read_text() == "mine"


def test_data_and_changes_have_folders_of_their_own(tmp_path: Path) -> None:
    """However that of the data is spelled: their graphs have the same names."""
    (tmp_path / "linked").symlink_to(tmp_path / "store")
    with pytest.raises(StoreError, match="holds the data of this store"):
        open_store(tmp_path / "store", str(tmp_path / "linked" / "data"))


def test_changes_are_kept_in_a_folder_of_their_own(tmp_path: Path, add_run: AddRun) -> None:
    """A new one or an empty one, which is known again afterwards."""
    (tmp_path / "empty").mkdir()
    for place in ("empty", "new/folder", "empty"):
        store = open_store(tmp_path / "store", str(tmp_path / place))
        add_run(store, 1, ["s:"], [("s:", "i:a", "a:1")])
        store.runs.changes(1).write_text("<s:> <predicate://added> <a:> <run://1> .\n")
        store.refresh()
        assert store.changes.held().default == ("run://1",)
