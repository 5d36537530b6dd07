"""Objects without address that took the place of others."""

from __future__ import annotations

from rdfcrawl.versioning.changes import Scope, changes
from rdfcrawl.versioning.diff import diff
from rdfcrawl.versioning.replaced import descriptions, replacements
from tests.versioning.library import NOVELS, book, in_blocks, review

_SCOPE = Scope(
    frozenset({f"<{NOVELS}>"}), frozenset({"<item://book>", "<item://review>"}), frozenset({"<property://review/text>"})
)


def _named(name: str, digit: str) -> str:
    return f"<http://library.example/book/{name}#{digit * 40}>"


def _replacements(old: list[str], new: list[str]) -> dict[str, str]:
    differences = list(diff(in_blocks(old), in_blocks(new)))
    return replacements(changes(differences, _SCOPE), descriptions(differences))


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


def test_half_of_the_values_are_not_most_of_them() -> None:
    """One in three is not enough either."""
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
