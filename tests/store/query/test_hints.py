"""Hints for names that a query misspells."""

from __future__ import annotations

import pytest

from rdfcrawl.store.query.hints import NameHint, name_hints

_PREFIXES = {"recipe": "property://recipe/", "item": "item://", "": "predicate://", "xsd": "http://x/"}
_KNOWN = ("property://recipe/label", "property://recipe/workingTime", "item://recipe")


@pytest.mark.parametrize(
    ("query", "hints"),
    [
        ("SELECT * { ?r recipe:labell ?l }", [("recipe:labell", "recipe:label")]),
        ("SELECT * { ?r recipe:workingtime ?l ; recipe:label ?x }", [("recipe:workingtime", "recipe:workingTime")]),
        ("SELECT * { ?s item:recipes/recipe:labl ?l . ?s recipe:labl ?m }", [("item:recipes", "item:recipe")]),
        ("SELECT * { ?r recipe:label 'recipe:labell' } # recipe:labell", []),
        ("SELECT * { <http://recipe:labell/> ?p ?o }", []),
        ("SELECT * { ?r recipe:price ?l ; :labell ?x ; other:labell ?y }", []),
        ("SELECT * { ?r a xsd:int }", []),
    ],
)
def test_a_name_that_is_nearly_right_gets_a_hint(query: str, hints: list[tuple[str, str]]) -> None:
    """Names in texts, comments and addresses are none, and a name like no other is nobody's mistake."""
    found = list(name_hints(query, _PREFIXES, _KNOWN))
    assert found[: len(hints)] == [NameHint(*hint) for hint in hints]
    assert bool(found) == bool(hints)
