"""What an object is called."""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.metamodel.labels import WELL_KNOWN_LABELS, label_predicates
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model


def model(folder: Path, properties: str) -> Model:
    """A model whose one item has these properties."""
    path = folder / "model.ttl"
    names = ", ".join(line.split()[0] for line in properties.strip().splitlines())
    path.write_text(
        f"""
        @prefix : <predicate://> . @prefix type: <type://> . @prefix schema: <https://schema.org/> .
        <model:> :section <http://example.org/> . <http://example.org/> :page <page://a> .
        <page://a> :type type:objects ; :item <item://a> .
        <item://a> :path "//li" ; :property {names} .
        {properties}
        """,
        encoding="utf-8",
    )
    return load_model(path)


def test_labels_are_chosen_in_order(tmp_path: Path) -> None:
    """A property marked as the label, then well-known ones, then properties called label, name or title."""
    described = model(
        tmp_path,
        """
        <p://a/title> :path "./a" .
        <p://a#Name> :path "./a" .
        schema:name :path "./a" .
        <p://a/code> :path "./b" ; :label true .
        <p://a/other> :path "./c" .
        <p://a/subtitle> :path "./c" .
        """,
    )
    assert label_predicates([described]) == ("p://a/code", *WELL_KNOWN_LABELS, "p://a#Name", "p://a/title")


def test_a_property_is_judged_by_its_own_name_and_found_by_its_predicate(tmp_path: Path) -> None:
    """``:as`` says what is written, the property's IRI what it is."""
    described = model(tmp_path, '<p://a/title> :path "./a" ; :as schema:headline .')
    assert label_predicates([described])[len(WELL_KNOWN_LABELS) :] == ("https://schema.org/headline",)


def test_without_a_model_the_predicates_alone_tell(tmp_path: Path) -> None:
    """Those that a model knows come first."""
    described = model(tmp_path, '<p://a/name> :path "./a" .')
    written = ["p://b/title", "p://b/name", "p://b/price", "p://a/name"]
    assert label_predicates([described], written)[len(WELL_KNOWN_LABELS) :] == (
        "p://a/name",
        "p://b/name",
        "p://b/title",
    )
    assert label_predicates([]) == WELL_KNOWN_LABELS
