"""Which differences are changes of a site, in the words of the thesis."""

from __future__ import annotations

from rdfcrawl.rdf import terms
from rdfcrawl.versioning.carry_over import carried, kept_subjects
from rdfcrawl.versioning.changes import ChangeKind, PropertyChange, Scope, changes
from rdfcrawl.versioning.diff import diff
from tests.versioning.library import in_blocks

SCOPE = Scope(
    sections=frozenset({"<http://s/>"}),
    items=frozenset({"<item://series>", "<item://actor>"}),
    properties=frozenset({"<p:label>", "<p:rating>", "<p:poster>"}),
)
SERIES = ["<http://s/> <item://series> <http://s/1> .", '<http://s/1> <p:label> "Breaking Bad" .']
ACTOR = ["<http://s/1> <item://actor> <http://a/1> .", '<http://a/1> <p:label> "Anna Gunn" .']


def _unread(objects: tuple[str, ...] = (), lists: tuple[tuple[str, str], ...] = ()) -> Scope:
    return Scope(SCOPE.sections, SCOPE.items, SCOPE.properties, frozenset(objects), frozenset(lists))


def _triples(old: list[str], new: list[str], scope: Scope = SCOPE) -> list[str]:
    return [change.triple for change in changes(diff(in_blocks(old), in_blocks(new)), scope)]


def _carried(old: list[str], new: list[str], scope: Scope) -> list[str]:
    differences = list(diff(in_blocks(old), in_blocks(new)))
    return [line for _, line in carried(differences, scope, kept_subjects(differences, scope))]


def test_on_a_first_run_everything_hangs_from_the_section() -> None:
    """Only the topmost objects are added; their own objects and properties go without saying."""
    assert _triples([], SERIES + ACTOR) == ["<http://s/> <predicate://added> <http://s/1> ."]


def test_a_section_that_is_an_object_of_its_own_is_added_as_one() -> None:
    """The start page of a survey is an address of the site as well; its facts go without saying, too."""
    start = ["<http://s/> <item://series> <http://s/> .", '<http://s/> <p:label> "Series" .']
    assert _triples([], start) == ["<http://s/> <predicate://added> <http://s/> ."]
    assert _triples(start, []) == ["<http://s/> <predicate://removed> <http://s/> ."]
    assert _triples(start, [start[0]]) == ["<http://s/> <predicate://removed> <p:label> ."]


def test_a_new_object_of_a_known_object_is_added_to_it() -> None:
    """The change is the outer object's."""
    assert _triples(SERIES, SERIES + ACTOR) == ["<http://s/1> <predicate://added> <http://a/1> ."]


def test_a_removed_object_takes_everything_below_it_along() -> None:
    """The mirror of an addition."""
    assert _triples(SERIES + ACTOR, []) == ["<http://s/> <predicate://removed> <http://s/1> ."]


def test_a_known_object_that_gets_another_parent_is_added_there() -> None:
    """The edge is what was added; that the object was known before does not matter."""
    other = ["<http://s/> <item://series> <http://s/2> .", '<http://s/2> <p:label> "Better Call Saul" .']
    old = SERIES + ACTOR + other
    assert _triples(old, [*old, "<http://s/2> <item://actor> <http://a/1> ."]) == [
        "<http://s/2> <predicate://added> <http://a/1> ."
    ]


def test_properties_are_added_changed_and_removed() -> None:
    """One change each, with the values that only one side has."""
    old = [*SERIES, '<http://s/1> <p:rating> "9.4" .', "<http://s/1> <p:poster> <http://i/1> ."]
    new = [SERIES[0], '<http://s/1> <p:rating> "9.5" .', f"<http://s/1> <{terms.RDF_TYPE}> <http://c/Series> ."]
    found = {change.predicate: change for change in changes(diff(in_blocks(old), in_blocks(new)), SCOPE)}
    assert found == {
        "<p:label>": PropertyChange(ChangeKind.REMOVED, "<http://s/1>", "<p:label>", ('"Breaking Bad"',), ()),
        "<p:rating>": PropertyChange(ChangeKind.CHANGED, "<http://s/1>", "<p:rating>", ('"9.4"',), ('"9.5"',)),
        "<p:poster>": PropertyChange(ChangeKind.REMOVED, "<http://s/1>", "<p:poster>", ("<http://i/1>",), ()),
        f"<{terms.RDF_TYPE}>": PropertyChange(
            ChangeKind.ADDED, "<http://s/1>", f"<{terms.RDF_TYPE}>", (), ("<http://c/Series>",)
        ),
    }


def test_a_property_that_keeps_some_of_its_values_has_changed() -> None:
    """Also when values were only added, or only removed."""
    two = [*SERIES, '<http://s/1> <p:label> "Totally Bad" .']
    assert _triples(SERIES, two) == ["<http://s/1> <predicate://changed> <p:label> ."]
    assert _triples(two, SERIES) == ["<http://s/1> <predicate://changed> <p:label> ."]


def test_predicates_that_the_model_does_not_write_are_not_compared() -> None:
    """What somebody put into the graph by hand is no change of the site."""
    assert _triples(SERIES, [*SERIES, '<http://s/1> <p:note> "mine" .']) == []


def test_an_object_whose_page_could_not_be_read_is_unobserved() -> None:
    """It is carried on with everything below it."""
    scope = _unread(objects=("<http://s/1>",))
    assert _triples(SERIES + ACTOR, [], scope) == ["<http://s/> <predicate://unobserved> <http://s/1> ."]
    assert _carried(SERIES + ACTOR, [], scope) == sorted(SERIES + ACTOR)


def test_objects_of_a_list_that_was_not_read_to_its_end_are_unobserved() -> None:
    """The list counts for one parent and one class only."""
    season = ["<http://s/1> <item://season> <http://n/1> .", '<http://n/1> <p:label> "1" .']
    scope = Scope(
        SCOPE.sections,
        SCOPE.items | {"<item://season>"},
        SCOPE.properties,
        unread_lists=frozenset({("<http://s/1>", "<item://actor>")}),
    )
    assert _triples(SERIES + ACTOR + season, SERIES, scope) == [
        "<http://s/1> <predicate://unobserved> <http://a/1> .",
        "<http://s/1> <predicate://removed> <http://n/1> .",
    ]
    assert _carried(SERIES + ACTOR + season, SERIES, scope) == sorted(ACTOR)


def test_an_object_that_is_seen_elsewhere_is_carried_on_only_as_an_edge() -> None:
    """Its description is what the new run says."""
    other = ["<http://s/> <item://series> <http://s/2> .", "<http://s/2> <item://actor> <http://a/1> ."]
    renamed = '<http://a/1> <p:label> "A. Gunn" .'
    scope = _unread(lists=(("<http://s/1>", "<item://actor>"),))
    assert _carried(SERIES + ACTOR + other, [*SERIES, *other, renamed], scope) == [ACTOR[0]]


def test_properties_of_a_page_that_could_not_be_read_are_not_removed() -> None:
    """The object is known from a list, but its own page is not: what only that page has is carried on."""
    old = [*SERIES, '<http://s/1> <p:rating> "9.4" .']
    scope = _unread(objects=("<http://s/1>",))
    assert _triples(old, SERIES, scope) == []
    assert _carried(old, SERIES, scope) == ['<http://s/1> <p:rating> "9.4" .']


def test_nothing_is_carried_on_below_what_is_really_removed() -> None:
    """An unreadable actor of a series that is gone is gone with it."""
    scope = _unread(objects=("<http://a/1>",))
    assert _carried(SERIES + ACTOR, [], scope) == []


def test_objects_that_lead_in_circles_are_carried_on_once() -> None:
    """A similar series that names the first one as similar."""
    circle = [
        "<http://s/1> <item://series> <http://s/2> .",
        "<http://s/2> <item://series> <http://s/1> .",
    ]
    assert _carried(SERIES + circle, [], _unread(objects=("<http://s/1>",))) == sorted(SERIES + circle)


def test_what_a_stopped_run_lacks_is_unobserved() -> None:
    """A run that did not come to its end proves no absence."""
    scope = Scope(SCOPE.sections, SCOPE.items, SCOPE.properties, stopped=True)
    assert _triples(SERIES, [], scope) == ["<http://s/> <predicate://unobserved> <http://s/1> ."]
