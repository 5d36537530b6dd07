"""What a run's end leaves in the store: its changes, and what it carries on."""

from __future__ import annotations

from rdfcrawl.store.runs.record import RunState
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.library import MODEL, NOVELS, POEMS, book
from tests.versioning.written_runs import WrittenRuns

_TRIAL = "http://library.example/book/trial"
_LIST = ((NOVELS, "item://book"),)


def _change(subject: str, kind: str, what: str) -> str:
    return f"<{subject}> <predicate://{kind}> <{what}> ."


def test_an_unreadable_book_is_unobserved_and_compared_with_its_last_observation_when_it_is_back(
    runs: WrittenRuns,
) -> None:
    """Through two runs that could not read it, and a third that found it with another price."""
    runs.add(1, MODEL, book("trial") + book("castle"))
    for run in (2, 3):
        runs.add(run, MODEL, book("castle"), unread=Unread(objects=(_TRIAL,)))
    runs.add(4, MODEL, book("trial", price="7.90") + book("castle"))
    record_changes(runs.files, 4)
    assert runs.recorded(2) == runs.recorded(3) == [_change(NOVELS, "unobserved", _TRIAL)]
    assert runs.recorded(4) == [_change(_TRIAL, "changed", "property://book/price")]


def test_a_book_that_a_complete_list_lacks_after_an_outage_is_removed_once(runs: WrittenRuns) -> None:
    """The outage delays the removal, it does not swallow it."""
    runs.add(1, MODEL, book("trial") + book("castle"))
    runs.add(2, MODEL, book("castle"), unread=Unread(lists=_LIST))
    runs.add(3, MODEL, book("castle"))
    runs.add(4, MODEL, book("castle"))
    record_changes(runs.files, 4)
    assert runs.recorded(2) == [_change(NOVELS, "unobserved", _TRIAL)]
    assert runs.recorded(3) == [_change(NOVELS, "removed", _TRIAL)]
    assert runs.recorded(4) == []


def test_an_outage_of_everything_removes_nothing(runs: WrittenRuns) -> None:
    """A run that found nothing at all, and the next good one, which finds everything as it was."""
    found = [*book("trial"), *book("castle"), *book("ode", section=POEMS, author="goethe")]
    runs.add(1, MODEL, found)
    runs.add(2, MODEL, [], unread=Unread(lists=((NOVELS, "item://book"), (POEMS, "item://book"))))
    runs.add(3, MODEL, found)
    record_changes(runs.files, 3)
    assert {line.split()[1] for line in runs.recorded(2)} == {"<predicate://unobserved>"}
    assert len(runs.recorded(2)) == 3
    assert runs.recorded(3) == []


def test_a_book_that_is_gone_although_its_list_was_read_is_removed_during_an_outage_elsewhere(
    runs: WrittenRuns,
) -> None:
    """One section's trouble says nothing about another's."""
    runs.add(1, MODEL, book("trial") + book("ode", section=POEMS))
    runs.add(2, MODEL, book("ode", section=POEMS), unread=Unread(lists=((POEMS, "item://book"),)))
    record_changes(runs.files, 2)
    assert runs.recorded(2) == [_change(NOVELS, "removed", _TRIAL)]


def test_each_section_is_compared_with_its_own_previous_run(runs: WrittenRuns) -> None:
    """Also when those are different runs; of a shared author the latest observation counts."""
    renamed = '<http://library.example/author/kafka> <property://author/name> "Franz Kafka" .'
    poem = book("ode", section=POEMS)
    newer_poem = [*poem[:-1], renamed]
    runs.add(1, MODEL, book("trial") + poem)
    runs.add(2, MODEL, newer_poem, sections=[POEMS])
    runs.add(3, MODEL, [*book("trial")[:-1], *newer_poem, *book("castle")[:-1]])
    record_changes(runs.files, 3)
    assert runs.recorded(1) == [
        _change(NOVELS, "added", _TRIAL),
        _change(POEMS, "added", "http://library.example/book/ode"),
    ]
    assert runs.recorded(2) == [_change("http://library.example/author/kafka", "changed", "property://author/name")]
    assert runs.recorded(3) == [_change(NOVELS, "added", "http://library.example/book/castle")]


def test_a_run_of_one_section_says_nothing_about_the_others(runs: WrittenRuns) -> None:
    """What only another section has is neither removed nor carried on."""
    runs.add(1, MODEL, book("trial") + book("ode", section=POEMS))
    runs.add(2, MODEL, book("trial"), sections=[NOVELS], unread=Unread(lists=_LIST))
    record_changes(runs.files, 2)
    assert runs.recorded(2) == []
    runs.add(3, MODEL, book("trial"))
    record_changes(runs.files, 3)
    assert runs.recorded(3) == [_change(POEMS, "removed", "http://library.example/book/ode")]


def test_unfinished_runs_are_nothing_to_compare_with(runs: WrittenRuns) -> None:
    """A stopped run between two complete ones leaves no trace in their changes."""
    runs.add(1, MODEL, book("trial"))
    runs.add(2, MODEL, [], state=RunState.STOPPED)
    runs.add(3, MODEL, book("trial"))
    record_changes(runs.files, 3)
    assert runs.recorded(3) == []
    assert not runs.files.changes(2).exists()


def test_recording_again_writes_the_same(runs: WrittenRuns) -> None:
    """After a crash the end of a run is simply done again."""
    runs.add(1, MODEL, book("trial"))
    runs.add(2, MODEL, book("castle"), unread=Unread(lists=_LIST))
    first = record_changes(runs.files, 2)
    written = [path(2).read_bytes() for path in (runs.files.changes, runs.files.carried)]
    assert record_changes(runs.files, 2) == first
    assert [path(2).read_bytes() for path in (runs.files.changes, runs.files.carried)] == written


def test_the_summary_counts_the_changes(runs: WrittenRuns) -> None:
    """As a report of the run shows them."""
    runs.add(1, MODEL, book("trial") + book("castle"))
    runs.add(2, MODEL, book("castle", price="1.00") + book("america"), unread=Unread(objects=(_TRIAL,)))
    summary = record_changes(runs.files, 2)
    assert summary.counts == {ChangeKind.ADDED: 1, ChangeKind.CHANGED: 1, ChangeKind.UNOBSERVED: 1}
    assert str(summary) == "1 object added, 1 not observed; 1 value changed"
