"""A model as JSON: it comes back as it was, whatever is in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.plain import model_from_json, model_to_json

ROOT = Path(__file__).parents[2]
VALID = [*(ROOT / "models").glob("*.ttl"), *(ROOT / "tests" / "cases" / "extract").glob("*/model.ttl")]
CHECKED = [*(ROOT / "tests" / "cases" / "check").glob("*/model.ttl")]


@pytest.mark.parametrize("path", sorted(VALID), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_model_comes_back(path: Path) -> None:
    """All models of the project, those of the tests included."""
    model = load_model(path)
    again = model_from_json(model_to_json(model))
    assert again == model
    assert list(again.pages) == list(model.pages)


def test_models_with_warnings_come_back() -> None:
    """Those with errors are none."""
    warned = [path for path in CHECKED if "error:" not in path.with_name("expected.txt").read_text(encoding="utf-8")]
    assert warned
    for path in warned:
        model = load_model(path)
        assert model_from_json(model_to_json(model)) == model


def test_a_prefix_may_have_any_name() -> None:
    """Also one that means something in the JSON."""
    model = replace(load_model(ROOT / "models" / "imdb.ttl"), prefixes={"is": "http://is.example/", "mapping": "x:"})
    assert model_from_json(model_to_json(model)) == model


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("1", "a model is expected, not int"),
        ('{"is": "Section", "address": "a", "page": "b"}', "a model is expected, not Section"),
        ('{"is": "Popen", "args": "true"}', "a model has no Popen"),
        ("{}", "a model has no None"),
        ('{"is": "Section", "address": "a", "page": "b", "colour": "red"}', "colour"),
        ('{"is": "Section", "address": "a"}', "page"),
    ],
)
def test_nothing_but_a_model_comes_of_it(content: str, reason: str) -> None:
    """No other class, and none with other fields."""
    with pytest.raises(ValueError, match=reason):
        model_from_json(content.encode())


def test_what_a_model_cannot_contain_is_refused() -> None:
    """A class that is missing in the table is noticed where the model is sent."""
    model = load_model(ROOT / "models" / "imdb.ttl")
    with pytest.raises(TypeError, match="a model cannot contain a object"):
        model_to_json(replace(model, pages={"page://a": object()}))  # type: ignore[dict-item]
    assert json.loads(model_to_json(model))["is"] == "Model"
