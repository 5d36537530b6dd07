"""What is known of sections: the latest run of each, the latest observation of each object."""

from __future__ import annotations

from collections.abc import Callable

from rdfcrawl.store.files.lines import write_sorted
from rdfcrawl.store.folder import Store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.state import KnownState, state_after, state_before, state_found, state_of

AddRun = Callable[..., RunRecord]
Current = Callable[[Store], set[tuple[str, str, str]]]


def lines(state: KnownState) -> list[str]:
    """The triples of a state, as they are read."""
    return [triple.decode() for triple in state.triples()]


def carry(store: Store, run: int, *triples: str) -> None:
    """Let a run carry triples on."""
    written = store.folder.parent / "carried"
    written.write_text("".join(f"{triple[:-2]} <run://{run}> .\n" for triple in triples))
    write_sorted(written, store.runs.carried(run))


def test_without_runs_nothing_is_known(store: Store) -> None:
    """The state of no runs has no parts and no triples."""
    assert state_of(store.runs, []) == KnownState()
    assert lines(KnownState()) == []


def test_a_run_knows_what_it_has_found_and_what_it_carries_on(store: Store, add_run: AddRun) -> None:
    """Sorted, without the name of the graph; what the run found itself can be read on its own."""
    record = add_run(store, 1, ["s:"], [("s:", "i:", "a:"), ("s:", "i:", "c:")])
    carry(store, 1, "<s:> <i:> <b:> .", '<b:> <p:> "1" .')
    assert lines(state_after(store.runs, record)) == [
        '<b:> <p:> "1" .',
        "<s:> <i:> <a:> .",
        "<s:> <i:> <b:> .",
        "<s:> <i:> <c:> .",
    ]
    assert lines(state_found(store.runs, record)) == ["<s:> <i:> <a:> .", "<s:> <i:> <c:> ."]


def test_a_triple_that_two_runs_know_is_there_once(store: Store, add_run: AddRun) -> None:
    """Two sections of two runs lead to one object, of which the older run knows a predicate more."""
    add_run(store, 1, ["s:a"], [("s:a", "i:", "x:"), ("x:", "p:", "1"), ("x:", "q:", "2")])
    add_run(store, 2, ["s:b"], [("s:b", "i:", "x:"), ("x:", "p:", "1")], predicates=["i:", "p:"])
    state = state_of(store.runs, store.runs.records())
    assert [part.run for part in state.parts] == [2, 1]
    assert lines(state) == ["<s:a> <i:> <x:> .", "<s:b> <i:> <x:> .", '<x:> <p:> "1" .', '<x:> <q:> "2" .']


def test_only_the_named_sections_are_looked_at(store: Store, add_run: AddRun) -> None:
    """A run of other sections is no part of the state, and supersedes nothing in it."""
    add_run(store, 1, ["s:a", "s:b"], [("s:a", "i:", "x:"), ("s:b", "i:", "y:"), ("x:", "p:", "1"), ("y:", "p:", "2")])
    add_run(store, 2, ["s:b"], [("s:b", "i:", "x:"), ("x:", "p:", "3")])
    state = state_of(store.runs, store.runs.records(), {"s:a"})
    assert state.sections == {"s:a"}
    assert lines(state) == ["<s:a> <i:> <x:> .", '<x:> <p:> "1" .']


def test_an_observation_in_a_section_that_was_read_again_since_supersedes_nothing(
    store: Store, add_run: AddRun, current: Current
) -> None:
    """An object that is gone from the section where it was seen last keeps the values that another section knows."""
    add_run(store, 1, ["s:c"], [("s:c", "i:", "x:"), ("x:", "p:", "1")])
    add_run(store, 2, ["s:a", "s:b"], [("s:a", "i:", "x:"), ("x:", "p:", "2"), ("s:b", "i:", "y:"), ("y:", "p:", "3")])
    add_run(store, 3, ["s:a"], [("s:a", "i:", "z:"), ("z:", "p:", "4")])
    assert current(store) == {
        ("s:a", "i:", "z:"),
        ("z:", "p:", "4"),
        ("s:b", "i:", "y:"),
        ("y:", "p:", "3"),
        ("s:c", "i:", "x:"),
        ("x:", "p:", "1"),
    }


def test_before_a_run_only_earlier_runs_of_its_sections_count(store: Store, add_run: AddRun) -> None:
    """Whatever has come later, and whatever other sections have seen."""
    for number, sections in ((1, ["s:a"]), (2, ["s:a"]), (3, ["s:b"]), (4, ["s:a", "s:b"]), (5, ["s:a", "s:b"])):
        add_run(store, number, sections, [(section, "i:", "x:") for section in sections])
    records = store.runs.records()
    for record, known in zip(records, ([], [1], [], [3, 2], [4]), strict=True):
        assert [part.run for part in state_before(store.runs, record, records).parts] == known, record.id
