"""One object through all runs."""

from __future__ import annotations

from rdfcrawl.store.runs.record import RunState
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.versioning.history import HistoryEvent, HistoryEventKind, history
from rdfcrawl.versioning.observations import observations
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.library import MODEL, NOVELS, POEMS, book
from tests.versioning.written_runs import WrittenRuns

_TRIAL = "http://library.example/book/trial"


def _history(runs: WrittenRuns) -> list[HistoryEvent]:
    return list(history(f"<{_TRIAL}>", observations(runs.files, _TRIAL)))


def _kinds(runs: WrittenRuns) -> list[tuple[int, HistoryEventKind]]:
    return [(event.run, event.kind) for event in _history(runs)]


def test_a_whole_life(runs: WrittenRuns) -> None:
    """First seen, changed, not observed for two runs, observed again, removed, added again."""
    runs.add(1, MODEL, [])
    runs.add(2, MODEL, book("trial"))
    runs.add(3, MODEL, book("trial"))
    runs.add(4, MODEL, book("trial", price="7.90"))
    runs.add(5, MODEL, [], unread=Unread(objects=(_TRIAL,)))
    runs.add(6, MODEL, [], unread=Unread(objects=(_TRIAL,)))
    runs.add(7, MODEL, book("trial", price="5.90"))
    runs.add(8, MODEL, [])
    runs.add(9, MODEL, [])
    runs.add(10, MODEL, book("trial"))
    record_changes(runs.files, 10)
    events = _history(runs)
    assert [(event.run, event.kind) for event in events] == [
        (2, HistoryEventKind.FIRST_SEEN),
        (4, HistoryEventKind.CHANGED),
        (5, HistoryEventKind.UNOBSERVED),
        (7, HistoryEventKind.BACK),
        (8, HistoryEventKind.REMOVED),
        (10, HistoryEventKind.RETURNED),
    ]
    [change] = events[3].changes
    decimal = "^^<http://www.w3.org/2001/XMLSchema#decimal>"
    assert (change.old, change.new) == ((f'"7.90"{decimal}',), (f'"5.90"{decimal}',))


def test_runs_of_other_sections_and_unfinished_runs_say_nothing(runs: WrittenRuns) -> None:
    """Only a run of its own section can miss an object."""
    runs.add(1, MODEL, book("trial") + book("ode", section=POEMS))
    runs.add(2, MODEL, book("trial"), sections=[NOVELS])
    runs.add(3, MODEL, book("ode", section=POEMS), sections=[POEMS])
    runs.add(4, MODEL, [], state=RunState.STOPPED)
    record_changes(runs.files, 3)
    assert _kinds(runs) == [(1, HistoryEventKind.FIRST_SEEN)]


def test_runs_whose_graphs_are_gone_are_passed_over(runs: WrittenRuns) -> None:
    """A pruned run is no removal."""
    for run, price in ((1, "1.00"), (2, "2.00"), (3, "3.00")):
        runs.add(run, MODEL, book("trial", price=price))
    record_changes(runs.files, 3)
    runs.files.graph(2).unlink()
    assert _kinds(runs) == [(1, HistoryEventKind.FIRST_SEEN), (3, HistoryEventKind.CHANGED)]


def test_values_that_an_edit_of_the_model_brought_are_told_apart(runs: WrittenRuns) -> None:
    """They are in the history, but not as changes of the site."""
    runs.add(1, MODEL, book("trial"))
    runs.add(2, MODEL.replace('book:price :path ".//b"', 'book:price :path ".//em"'), book("trial", price="1.00"))
    record_changes(runs.files, 2)
    event = _history(runs)[-1]
    assert event.changes == ()
    assert [change.predicate for change in event.edits] == ["<property://book/price>"]
