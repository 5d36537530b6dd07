"""Objects without address that took the place of others."""

from __future__ import annotations

from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.versioning.changes import Scope, changes
from rdfcrawl.versioning.compare import compare_with_previous, find_changes
from rdfcrawl.versioning.diff import diff
from rdfcrawl.versioning.pairing.replaced import descriptions, replacements
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.library import MODEL, NOVELS, book, in_blocks, review
from tests.versioning.written_runs import WrittenRuns

_SCOPE = Scope(
    frozenset({f"<{NOVELS}>"}), frozenset({"<item://book>", "<item://review>"}), frozenset({"<property://review/text>"})
)


def _named(name: str, digit: str) -> str:
    return f"<http://library.example/book/{name}#{digit * 40}>"


def _replacements(old: list[str], new: list[str], keys: dict[str, frozenset[str]] | None = None) -> dict[str, str]:
    differences = list(diff(in_blocks(old), in_blocks(new)))
    return replacements(changes(differences, _SCOPE), descriptions(differences), keys)


def _five_values(digit: str, by: str, stars: str, text: str, date: str, place: str) -> list[str]:
    subject = _named("trial", digit)
    return [
        *review("trial", digit, by, stars, text),
        f'{subject} <property://review/date> "{date}" .',
        f'{subject} <property://review/place> "{place}" .',
    ]


def test_an_object_with_one_new_value_replaces_the_old_one() -> None:
    """Two of three values are the same, so it is the same review with another text."""
    old = [*book("trial"), *review("trial", "a", "Max", "5", "Good"), *review("trial", "b", "Eva", "1", "Bad")]
    new = [*book("trial"), *review("trial", "c", "Max", "5", "Great"), *review("trial", "d", "Ute", "3", "Fair")]
    assert _replacements(old, new) == {_named("trial", "a"): _named("trial", "c")}


def test_one_value_in_three_is_not_enough() -> None:
    """It is another review with as many stars."""
    old = [*book("trial"), *review("trial", "a", "Max", "5", "Good")]
    assert _replacements(old, [*book("trial"), *review("trial", "b", "Eva", "5", "Bad")]) == {}


def test_the_closest_object_is_taken() -> None:
    """Two of the new reviews share most values with the old one; one of them shares more."""
    old = _five_values("a", "Max", "5", "Good", "May", "Prague")
    near = _five_values("b", "Max", "5", "Good", "June", "Prague")
    less_near = _five_values("c", "Max", "5", "Great", "June", "Prague")
    assert _replacements([*book("trial"), *old], [*book("trial"), *near, *less_near]) == {
        _named("trial", "a"): _named("trial", "b")
    }
    assert _replacements([*book("trial"), *near, *less_near], [*book("trial"), *old]) == {
        _named("trial", "b"): _named("trial", "a")
    }


def test_objects_of_different_parents_do_not_replace_each_other() -> None:
    """The same words about another book are another review."""
    old = [*book("trial"), *book("castle"), *review("trial", "a", "Max", "5", "Good")]
    new = [*book("trial"), *book("castle"), *review("castle", "b", "Max", "5", "Good")]
    assert _replacements(old, new) == {}


def _row(digit: str, label: str, amount: str) -> list[str]:
    subject = _named("trial", digit)
    return [
        f"<http://library.example/book/trial> <item://review> {subject} .",
        f'{subject} <property://row/label> "{label}" .',
        f'{subject} <property://row/amount> "{amount}" .',
    ]


def test_half_of_the_values_are_enough() -> None:
    """An object with two properties has one left when the other changes."""
    old = [*book("trial"), *_row("a", "Sugar", "100 g"), *_row("b", "Flour", "500 g")]
    new = [*book("trial"), *_row("c", "Sugar", "150 g"), *_row("d", "Flour", "450 g")]
    assert _replacements(old, new) == {
        _named("trial", "a"): _named("trial", "c"),
        _named("trial", "b"): _named("trial", "d"),
    }


def test_a_rare_value_tells_more_than_a_common_one() -> None:
    """All share the amount; who shares the label is meant, whatever the names of the objects are."""
    old = [*book("trial"), *_row("a", "Sugar", "1"), *_row("b", "Flour", "1")]
    new = [*book("trial"), *_row("c", "Flour", "2"), *_row("d", "Sugar", "2"), *_row("e", "Salt", "1")]
    assert _replacements(old, new) == {
        _named("trial", "a"): _named("trial", "d"),
        _named("trial", "b"): _named("trial", "c"),
    }


def test_the_same_key_is_the_same_object() -> None:
    """However much else is different; a key that two objects have names neither."""
    key = {"<item://review>": frozenset({"<property://review/by>"})}
    old = [*book("trial"), *review("trial", "a", "Max", "5", "Good")]
    new = [*book("trial"), *review("trial", "b", "Max", "1", "Bad")]
    assert _replacements(old, new) == {}
    assert _replacements(old, new, key) == {_named("trial", "a"): _named("trial", "b")}
    twice = [*new, *review("trial", "c", "Max", "2", "Fair")]
    assert _replacements(old, twice, key) == {}


def _found(runs: WrittenRuns, *states: list[str]) -> list[str]:
    for number, lines in enumerate(states, start=1):
        runs.add(number, MODEL, lines)
    record_changes(runs.files, len(states))
    return [
        f"{change.kind}"
        for change in find_changes(compare_with_previous(runs.files, runs.files.resolve("latest"))).changes
    ]


def test_the_only_object_in_its_place_replaces_the_only_one_that_was_there(runs: WrittenRuns) -> None:
    """Nothing is shared, but there is nothing else that it could be."""
    before = [*book("trial"), *review("trial", "a", "Max", "5", "Good")]
    assert _found(runs, before, [*book("trial"), *review("trial", "b", "Eva", "1", "Bad")]) == ["replaced"]


def test_one_of_several_is_not_replaced_by_what_has_nothing_in_common(runs: WrittenRuns) -> None:
    """Another review stays where it was; which place the new one has is not known."""
    stays = [*book("trial"), *review("trial", "c", "Ute", "3", "Fair")]
    before = [*stays, *review("trial", "a", "Max", "5", "Good")]
    assert sorted(_found(runs, before, [*stays, *review("trial", "b", "Eva", "1", "Bad")])) == ["added", "removed"]


def test_an_object_that_was_renamed_while_its_page_was_down_is_paired_when_it_is_back(runs: WrittenRuns) -> None:
    """In the outage nobody has seen the new name; the run that sees it compares with the last observation."""
    runs.add(
        1, MODEL, [*book("trial"), *review("trial", "a", "Max", "5", "Good"), *review("trial", "c", "Ute", "3", "Fair")]
    )
    runs.add(2, MODEL, [], unread=Unread(objects=("http://library.example/book/trial",)))
    assert str(record_changes(runs.files, 2)) == "1 object not observed"
    runs.add(
        3,
        MODEL,
        [*book("trial"), *review("trial", "b", "Max", "5", "Great"), *review("trial", "c", "Ute", "3", "Fair")],
    )
    assert str(record_changes(runs.files, 3)) == "1 object replaced"
    assert f"{_named('trial', 'a')} <predicate://replacedBy> {_named('trial', 'b')} ." in runs.recorded(3)


def test_two_parents_of_one_replaced_object_are_two_replacements(runs: WrittenRuns) -> None:
    """Each has lost the old and gained the new one."""

    def shared(digit: str, text: str) -> list[str]:
        lines = review("trial", digit, "Max", "5", text)
        return [*book("trial"), *book("castle"), *lines, lines[0].replace("book/trial>", "book/castle>", 1)]

    assert _found(runs, shared("a", "Good"), shared("b", "Great")) == ["replaced", "replaced"]


def test_many_objects_with_one_common_value_are_not_compared_with_each_other(runs: WrittenRuns) -> None:
    """A value that everybody has names nobody, and would make millions of pairs; so many gone at once are suspected."""

    def rows(start: int) -> list[str]:
        lines = book("trial")
        for number in range(start, start + 100):
            subject = f"<http://library.example/book/trial#{number:040x}>"
            lines += [
                f"<http://library.example/book/trial> <item://review> {subject} .",
                f'{subject} <property://review/by> "{number}" .',
                f'{subject} <property://review/stars> "5" .',
            ]
        return lines

    assert sorted(set(_found(runs, rows(0), rows(100)))) == ["added", "suspected"]
