"""Every folder in tests/cases/check is a model and exactly what the check says about it."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.metamodel.check.findings import Severity
from rdfcrawl.metamodel.load import check_model

CASES = Path(__file__).parents[1] / "cases" / "check"
EXTRACT_CASES = Path(__file__).parents[1] / "cases" / "extract"
MODELS = Path(__file__).parents[2] / "models"


@pytest.mark.parametrize("case", sorted(CASES.iterdir()), ids=lambda case: case.name)
def test_a_model_gets_exactly_the_expected_findings(case: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The findings are the lines of expected.txt, and a model is valid exactly when none of them is an error."""
    monkeypatch.chdir(case)
    checked = check_model("model.ttl")
    assert [str(finding) for finding in checked.findings] == Path("expected.txt").read_text().splitlines()
    has_error = any(finding.severity is Severity.ERROR for finding in checked.findings)
    assert (checked.model is None) == has_error


def test_five_mistakes_are_five_findings() -> None:
    """One call tells everything that is wrong, and says nothing twice."""
    assert len(check_model(CASES / "five-mistakes" / "model.ttl").findings) == 5


@pytest.mark.parametrize("model", sorted(MODELS.glob("*.ttl")), ids=lambda model: model.stem)
def test_the_shipped_models_are_valid(model: Path) -> None:
    """There is nothing to say about the models that people are meant to learn from."""
    checked = check_model(model)
    assert checked.findings == ()
    assert checked.model is not None


@pytest.mark.parametrize("case", sorted(EXTRACT_CASES.iterdir()), ids=lambda case: case.name)
def test_models_that_find_something_get_no_warning(case: Path) -> None:
    """Every model of these cases is known to work on its pages, feeds and tables among them."""
    assert check_model(case / "model.ttl").findings == ()
