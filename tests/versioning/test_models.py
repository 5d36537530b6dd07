"""An edited model over an unchanged site: edits are reported, and no change of the site."""

from __future__ import annotations

import pytest

from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import Predicates
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.compare import FoundChanges, compare_with_previous, find_changes
from rdfcrawl.versioning.models import ModelPart, compare_predicates
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.library import MODEL, NOVELS, POEMS, book, review
from tests.versioning.written_runs import WrittenRuns

_PAGES = "<http://library.example/book/trial> <property://book/pages> "
_OLD_REVIEW = review("trial", "a", "Max", "5", "Good")
_NEW_REVIEW = review("trial", "b", "Max", "5", "Good")


def _found(runs: WrittenRuns, old: list[str], model: str, new: list[str]) -> FoundChanges:
    runs.add(1, MODEL, old)
    return find_changes(compare_with_previous(runs.files, runs.add(2, model, new)))


def _edits(found: FoundChanges) -> list[tuple[str, str, str, int]]:
    return [(str(edit.kind), str(edit.part), edit.iri, edit.count) for edit in found.edits]


def test_a_property_that_was_added_to_the_model_is_reported_once(runs: WrittenRuns) -> None:
    """Not once for every book."""
    model = MODEL.replace("book:title , book:price", "book:title , book:price , book:pages").replace(
        "item:author :path", 'book:pages :path ".//u" .\nitem:author :path'
    )
    found = _found(runs, book("trial"), model, [*book("trial"), f'{_PAGES}"300" .'])
    assert found.changes == ()
    assert _edits(found) == [("added", "property", "property://book/pages", 1)]


def test_a_renamed_property_is_one_removed_and_one_added(runs: WrittenRuns) -> None:
    """The values are the same, their predicate is not."""
    renamed = [line.replace("property://book/title", "property://book/name") for line in book("trial")]
    found = _found(runs, book("trial"), MODEL.replace("book:title", "book:name"), renamed)
    assert found.changes == ()
    assert _edits(found) == [
        ("added", "property", "property://book/name", 1),
        ("removed", "property", "property://book/title", 1),
    ]


def test_values_that_a_corrected_path_brings_are_no_changes_of_the_site(runs: WrittenRuns) -> None:
    """The price is another because the model reads another place; the title stays under watch."""
    model = MODEL.replace('book:price :path ".//b"', 'book:price :path ".//em"')
    changed = [*book("trial", price="1.00"), '<http://library.example/book/trial> <property://book/title> "Process" .']
    changed.remove('<http://library.example/book/trial> <property://book/title> "Trial" .')
    found = _found(runs, book("trial"), model, changed)
    assert [change.predicate for change in found.changes] == ["<property://book/title>"]
    assert _edits(found) == [("changed", "property", "property://book/price", 1)]


@pytest.mark.parametrize(
    ("written", "edited"),
    [
        ('"//ul/li/a"', '"//ol/li/a"'),
        ("//a[@rel='next']", "//a[@class='next']"),
    ],
)
def test_books_that_a_corrected_list_brings_are_explained_by_the_class(
    runs: WrittenRuns, written: str, edited: str
) -> None:
    """The way to the books was edited, so which of them are found is the model's doing."""
    found = _found(runs, book("trial"), MODEL.replace(written, edited), book("trial") + book("castle"))
    assert found.changes == ()
    assert _edits(found) == [("changed", "class", "item://book", 1)]


def test_objects_get_other_names_when_what_their_hash_is_made_of_was_edited(runs: WrittenRuns) -> None:
    """A property more in a class without ``:key`` renames all of its objects."""
    model = MODEL.replace("review:stars , review:text", "review:stars , review:text , review:date").replace(
        "review:stars :path", 'review:date :path "./u" ; :optional true .\nreview:stars :path'
    )
    found = _found(runs, book("trial") + _OLD_REVIEW, model, book("trial") + _NEW_REVIEW)
    assert found.changes == ()
    assert _edits(found) == [
        ("changed", "class", "item://review", 2),
        ("added", "property", "property://review/date", 0),
    ]


@pytest.mark.parametrize(("key", "edits"), [("review:by", 1), ("review:text", 0), (None, 0)])
def test_a_pattern_renames_the_objects_whose_key_it_shapes(runs: WrittenRuns, key: str | None, edits: int) -> None:
    """A key counts as it is after the pattern; without one the raw texts do, and a pattern renames nothing."""
    before = MODEL.replace("item:review :path", f"item:review :key {key} ; :path") if key else MODEL
    after = before.replace("review:by :path", 'review:by :pattern "\\\\w+" ; :path')
    assert after != before
    runs.add(1, before, book("trial") + _OLD_REVIEW)
    found = find_changes(compare_with_previous(runs.files, runs.add(2, after, book("trial") + _NEW_REVIEW)))
    assert [edit for edit in _edits(found) if edit[1] == "class"] == [("changed", "class", "item://review", 2)] * edits


def test_a_section_that_was_added_to_the_model_is_reported_once(runs: WrittenRuns) -> None:
    """Not once for every poem; a section that the model has lost takes nothing along either."""
    one = MODEL.replace(f"<{NOVELS}> , <{POEMS}> .", f"<{NOVELS}> .").replace(f"<{POEMS}> :page page:list .", "")
    both = book("trial") + book("ode", section=POEMS)
    runs.add(1, one, book("trial"))
    runs.add(2, MODEL, both)
    runs.add(3, one, book("trial"))
    record_changes(runs.files, 3)
    assert runs.recorded(2) == [f"<model:> <predicate://added> <{POEMS}> ."]
    assert runs.recorded(3) == [f"<model:> <predicate://removed> <{POEMS}> ."]


def test_what_does_not_touch_the_triples_is_no_edit(runs: WrittenRuns) -> None:
    """A delay, an optional property, a label, other spelling: the site stays under watch as before."""
    model = MODEL.replace("book:price :path", "book:price :optional true ; :label true ; :path")
    found = _found(runs, book("trial"), model, book("trial", price="1.00"))
    assert [change.kind for change in found.changes] == [ChangeKind.CHANGED]
    assert found.edits == ()


def test_a_class_with_a_name_of_its_own_is_added_with_its_properties(runs: WrittenRuns) -> None:
    """One edit, not one for each of them; their authors are no additions of the site."""
    without = MODEL.replace(" ; :link <link://author> .", " .").replace(
        """<link://author> :path "//a[@class='author']" ; :target page:author .""", ""
    )
    for line in (
        "page:author :type type:object ; :item item:author .",
        'item:author :path "//main" ; :property author:name .',
        'author:name :path ".//h1" .',
    ):
        without = without.replace(line, "")
    runs.add(1, without, book("trial", author=None))
    found = find_changes(compare_with_previous(runs.files, runs.add(2, MODEL, book("trial"))))
    assert found.changes == ()
    assert _edits(found) == [("added", "class", "item://author", 1)]


@pytest.mark.parametrize(
    ("old", "new", "changed"),
    [
        ('book:price :path ".//b"', 'book:price :path ".//em"', "property://book/price"),
        ('item:novel :path "//main"', 'item:novel :path "//article"', "property://book/price"),
        ("item:novel :path", "item:novel :class <c://Novel> ; :path", terms.RDF_TYPE),
    ],
    ids=["path", "root", "type"],
)
def test_a_class_that_was_renamed_may_have_been_edited_as_well(
    runs: WrittenRuns, old: str, new: str, changed: str
) -> None:
    """What the edit explains is no change of the site, whatever the class is called now; the rest stays under watch."""
    renamed = MODEL.replace("item:book", "item:novel")
    moved = [line.replace("item://book", "item://novel") for line in book("trial")]
    trial = "<http://library.example/book/trial>"
    edited = [line for line in moved if not line.startswith(f"{trial} <{changed}>")] + [f'{trial} <{changed}> "1" .']
    found = _found(runs, book("trial"), renamed.replace(old, new), edited)
    assert renamed.replace(old, new) != renamed
    assert found.changes == ()

    unedited = find_changes(compare_with_previous(runs.files, runs.add(3, renamed.replace(old, new), moved)))
    assert [change.predicate for change in unedited.changes] == [f"<{changed}>"]


def test_without_the_models_the_predicates_tell_the_edits() -> None:
    """The fallback where a copy of a model is gone."""
    old = Predicates(items=("item://book",), properties=("p:title",))
    new = Predicates(items=("item://book", "item://author"), properties=("p:name",))
    assert [(edit.kind, edit.part, edit.iri) for edit in compare_predicates(old, new)] == [
        (ChangeKind.ADDED, ModelPart.CLASS, "item://author"),
        (ChangeKind.ADDED, ModelPart.PROPERTY, "p:name"),
        (ChangeKind.REMOVED, ModelPart.PROPERTY, "p:title"),
    ]
