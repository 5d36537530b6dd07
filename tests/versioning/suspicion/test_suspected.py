"""Mass disappearance is suspected, not believed; what disappears one by one is removed."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from rdfcrawl.store.runs.suspicion import Selector
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.store.state import state_after
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import ChangeSummary, record_changes
from tests.versioning.library import MODEL, NOVELS, POEMS, book, review
from tests.versioning.written_runs import WrittenRuns

_BOOK = "<http://library.example/book/{}>"


def _books(numbers: Iterable[int], section: str = NOVELS, price: str | None = "9.90") -> list[str]:
    lines = [line for number in numbers for line in book(f"b{number}", section=section, author=None)]
    return [line for line in lines if price is not None or "book/price" not in line]


def _reviews(numbers: Iterable[int]) -> list[str]:
    return [line for number in numbers for line in review(f"b{number}", "a", "Max", "5", f"Good {number}")]


def _run(runs: WrittenRuns, run: int, lines: Iterable[str], model: str = MODEL, **options: object) -> ChangeSummary:
    runs.add(run, model, lines, **options)  # type: ignore[arg-type]
    return record_changes(runs.files, run)


def _state(runs: WrittenRuns, run: int) -> set[str]:
    return {line.decode() for line in state_after(runs.files, runs.files.read_record(run)).triples()}


@pytest.mark.parametrize(
    ("known", "left", "expected"),
    [
        (40, 35, ChangeKind.REMOVED),
        (40, 20, ChangeKind.REMOVED),
        (40, 19, ChangeKind.SUSPECTED),
        (40, 0, ChangeKind.SUSPECTED),
        (16, 7, ChangeKind.REMOVED),
        (6, 1, ChangeKind.REMOVED),
        (6, 0, ChangeKind.SUSPECTED),
        (2, 0, ChangeKind.REMOVED),
    ],
)
def test_more_than_half_and_ten_objects_or_all_of_a_few_are_suspected(
    known: int, left: int, expected: ChangeKind, runs: WrittenRuns
) -> None:
    """Nothing of it counts as removed, and all of it stays in what is known."""
    _run(runs, 1, _books(range(known)))
    summary = _run(runs, 2, _books(range(left)))
    assert summary.counts == {expected: known - left}
    is_kept = expected is ChangeKind.SUSPECTED
    assert (_state(runs, 2) == _state(runs, 1)) is is_kept
    assert [(one.lost, one.known, one.since) for one in summary.suspicions] == [(known - left, known, 2)] * is_kept
    lost = runs.recorded(2)[-1] if not is_kept else next(line for line in runs.recorded(2) if "suspected>" in line)
    assert f"<predicate://{expected}>" in lost


@pytest.mark.parametrize(("parents", "suspected"), [(1, False), (2, True), (12, True)])
def test_a_nested_list_that_is_empty_on_every_page_is_suspected(
    parents: int, suspected: bool, runs: WrittenRuns
) -> None:
    """One page that lost its only entry is that page's matter."""
    _run(runs, 1, _books(range(20)) + _reviews(range(parents)))
    summary = _run(runs, 2, _books(range(20)))
    assert summary.counts == {ChangeKind.SUSPECTED if suspected else ChangeKind.REMOVED: parents}


def test_a_nested_list_that_still_has_entries_elsewhere_is_not_suspected(runs: WrittenRuns) -> None:
    """Its selector is alive."""
    _run(runs, 1, _books(range(20)) + _reviews(range(8)))
    assert _run(runs, 2, _books(range(20)) + _reviews(range(5))).counts == {ChangeKind.REMOVED: 3}


@pytest.mark.parametrize(
    ("known", "lost", "optional", "expected"),
    [
        (40, 21, False, ChangeKind.SUSPECTED),
        (40, 20, False, ChangeKind.REMOVED),
        (2, 2, False, ChangeKind.SUSPECTED),
        (1, 1, False, ChangeKind.REMOVED),
        (40, 40, True, ChangeKind.SUSPECTED),
        (40, 39, True, ChangeKind.REMOVED),
        (9, 9, True, ChangeKind.REMOVED),
    ],
)
def test_a_property_that_most_objects_lose_is_suspected(
    known: int, lost: int, optional: bool, expected: ChangeKind, runs: WrittenRuns
) -> None:
    """A mandatory one if more than half lose it, an optional one only if all of many do."""
    model = MODEL.replace('book:price :path ".//b" ;', f'book:price :path ".//b" ; :optional {str(optional).lower()} ;')
    _run(runs, 1, _books(range(known)), model)
    summary = _run(runs, 2, _books(range(lost), price=None) + _books(range(lost, known)), model)
    assert summary.counts == {expected: lost}
    assert [one.prop for one in summary.suspicions] == ["property://book/price"] * (expected is ChangeKind.SUSPECTED)
    assert (_state(runs, 2) == _state(runs, 1)) is (expected is ChangeKind.SUSPECTED)


def test_the_dead_selector_is_named_with_its_line(runs: WrittenRuns) -> None:
    """A nested list by the path of its item, a property by its own path, linked pages by the path of the links."""
    _run(runs, 1, _books(range(12)) + _reviews(range(12)))
    nested = _run(runs, 2, _books(range(12)))
    values = _run(runs, 3, _books(range(12), price=None) + _reviews(range(12)))
    linked = _run(runs, 4, [])
    lines = MODEL.splitlines()

    def place(start: str) -> str:
        return f"model.ttl:{1 + next(number for number, line in enumerate(lines) if line.startswith(start))}"

    assert [one.selector for one in (*nested.suspicions, *values.suspicions)] == [
        Selector("item://review", "path", ".//li", place("item:review")),
        Selector("property://book/price", "path", ".//b", place("book:price")),
    ]
    assert [one.selector for one in linked.suspicions] == [
        Selector("page://list", "path", "//ul/li/a", place("page:list"))
    ]


def test_what_stays_missing_stays_suspected_since_the_same_run(runs: WrittenRuns) -> None:
    """Also when the class has grown so much meanwhile that it would be less than half."""
    _run(runs, 1, _books(range(15)))
    _run(runs, 2, _books(range(4)))
    for run, others in ((3, range(100, 140)), (4, range(100, 141))):
        summary = _run(runs, run, _books(range(4)) + _books(others))
        assert [(one.lost, one.since) for one in summary.suspicions] == [(11, 2)]
        assert summary.counts[ChangeKind.SUSPECTED] == 11
        assert ChangeKind.REMOVED not in summary.counts
    assert _state(runs, 1) <= _state(runs, 4)


def test_what_is_seen_again_was_never_gone(runs: WrittenRuns) -> None:
    """The suspicion is cleared, nothing is added; a value that is different is changed."""
    _run(runs, 1, _books(range(20)))
    _run(runs, 2, [])
    lines = [line.replace("9.90", "5.00") if "/b3>" in line else line for line in _books(range(20))]
    summary = _run(runs, 3, lines)
    assert summary.counts == {ChangeKind.CHANGED: 1}
    assert summary.suspicions == ()
    assert not runs.files.suspected(3).exists()


def test_further_objects_that_go_while_others_are_suspected_are_removed(runs: WrittenRuns) -> None:
    """Each loss is judged by itself."""
    _run(runs, 1, _books(range(60)))
    _run(runs, 2, _books(range(25)))
    assert _run(runs, 3, _books(range(23))).counts == {ChangeKind.SUSPECTED: 35, ChangeKind.REMOVED: 2}


def test_a_volatile_class_is_believed(runs: WrittenRuns) -> None:
    """Its objects and values; what is nested in it still is not."""
    model = MODEL.replace("item:book :path", "item:book :volatile true ; :path")
    _run(runs, 1, _books(range(40)) + _reviews(range(40)), model)
    summary = _run(runs, 2, _books(range(10), price=None), model)
    assert summary.counts == {ChangeKind.REMOVED: 40, ChangeKind.SUSPECTED: 10}
    assert [one.key for one in summary.suspicions] == [("item://review", None)]


def test_declaring_a_class_volatile_ends_the_suspicion(runs: WrittenRuns) -> None:
    """The next run believes what the one before only suspected."""
    _run(runs, 1, _books(range(40)))
    _run(runs, 2, _books(range(3)))
    summary = _run(runs, 3, _books(range(3)), MODEL.replace("item:book :path", "item:book :volatile true ; :path"))
    assert summary.counts == {ChangeKind.REMOVED: 37}


def test_what_could_not_be_read_is_not_suspected(runs: WrittenRuns) -> None:
    """An outage is an outage; what is missing where pages were read is judged without it."""
    _run(runs, 1, _books(range(40)))
    outage = Unread(objects=tuple(f"http://library.example/book/b{number}" for number in range(35)))
    assert _run(runs, 2, _books(range(35, 38)), unread=outage).counts == {
        ChangeKind.UNOBSERVED: 35,
        ChangeKind.REMOVED: 2,
    }


def test_what_was_suspected_stays_so_during_an_outage(runs: WrittenRuns) -> None:
    """The outage says nothing new about it."""
    _run(runs, 1, _books(range(40)))
    _run(runs, 2, [])
    unread = Unread(lists=((NOVELS, "item://book"),))
    summary = _run(runs, 3, [], unread=unread)
    assert summary.counts == {ChangeKind.SUSPECTED: 40}
    assert [one.since for one in summary.suspicions] == [2]
    assert _state(runs, 3) == _state(runs, 1)


def test_an_edit_of_the_model_explains_what_disappears_with_it(runs: WrittenRuns) -> None:
    """It is a change of the model, not a suspicion."""
    _run(runs, 1, _books(range(40)))
    summary = _run(runs, 2, _books(range(3)), MODEL.replace('"//ul/li/a"', '"//ol/li/a"'))
    assert summary.suspicions == ()
    assert summary.counts == {}


def test_an_edit_that_mends_nothing_does_not_end_the_suspicion(runs: WrittenRuns) -> None:
    """A first, wrong attempt must not lose what was kept; the right one brings it back without a trace."""
    _run(runs, 1, _books(range(40)))
    _run(runs, 2, [])
    failed = _run(runs, 3, [], MODEL.replace('"//ul/li/a"', '"//ol/li/a"'))
    assert [(one.lost, one.since) for one in failed.suspicions] == [(40, 2)]
    assert _state(runs, 3) == _state(runs, 1)
    mended = _run(runs, 4, _books(range(40)), MODEL.replace('"//ul/li/a"', '"//div/a"'))
    assert (mended.counts, mended.suspicions) == ({}, ())


def test_a_class_that_the_model_gives_up_is_not_kept(runs: WrittenRuns) -> None:
    """Nobody wants it any more."""
    _run(runs, 1, _books(range(12)) + _reviews(range(12)))
    _run(runs, 2, _books(range(12)))
    summary = _run(runs, 3, _books(range(12)), MODEL.replace(":sub page:reviews ;", ""))
    assert summary.suspicions == ()
    assert _state(runs, 3) == set(_books(range(12)))


def test_objects_that_move_to_another_parent_are_not_lost(runs: WrittenRuns) -> None:
    """They are where another part of the site shows them."""
    _run(runs, 1, _books(range(30)))
    summary = _run(runs, 2, _books(range(30), section=POEMS))
    assert summary.counts == {ChangeKind.ADDED: 30, ChangeKind.REMOVED: 30}


def test_objects_without_address_that_others_replace_are_not_lost(runs: WrittenRuns) -> None:
    """Every new value gives them another name. If the new ones lack a property, a column has moved."""
    old = [line for n in range(12) for line in review(f"b{n}", "a", "Max", "5", "Good")]
    new = [line for n in range(12) for line in review(f"b{n}", "b", "Max", "5", "Great")]
    _run(runs, 1, _books(range(12)) + old)
    assert _run(runs, 2, _books(range(12)) + new).counts == {ChangeKind.REPLACED: 12}
    poorer = [line.replace("b" * 40, "c" * 40) for line in new if "review/text" not in line]
    assert _run(runs, 3, _books(range(12)) + poorer).counts == {ChangeKind.ADDED: 12, ChangeKind.SUSPECTED: 12}


def test_sections_are_judged_by_the_run_that_reads_them(runs: WrittenRuns) -> None:
    """A run of another section neither clears nor repeats a suspicion."""
    novels, poems = _books(range(20)), _books(range(50, 70), section=POEMS)
    _run(runs, 1, novels + poems)
    _run(runs, 2, [], sections=[NOVELS])
    other = _run(runs, 3, poems, sections=[POEMS])
    assert (other.counts, other.suspicions) == ({}, ())
    again = _run(runs, 4, [], sections=[NOVELS])
    assert [(one.lost, one.since) for one in again.suspicions] == [(20, 2)]
    assert _state(runs, 4) == set(novels)


def test_recording_again_writes_the_same(runs: WrittenRuns) -> None:
    """What a run suspects depends on nothing but the runs."""
    _run(runs, 1, _books(range(20)))
    _run(runs, 2, [])
    files = [runs.files.changes(2), runs.files.suspected(2), runs.files.record(2)]
    before = [path.read_bytes() for path in files]
    record_changes(runs.files, 2)
    assert [path.read_bytes() for path in files] == before


def test_suspicions_are_said_beside_the_changes(runs: WrittenRuns) -> None:
    """So that a query can ask which selector died, where it is, and since when."""
    _run(runs, 1, _books(range(20)))
    _run(runs, 2, [])
    said = {tuple(line.split(" ", 2)[1:]) for line in runs.recorded(2) if line.startswith("<run://2#suspicion-")}
    assert ("<predicate://record/since>", "<run://2> .") in said
    assert ("<predicate://record/selector>", '":path //ul/li/a" .') in said
    assert ("<predicate://record/item>", "<item://book> .") in said
