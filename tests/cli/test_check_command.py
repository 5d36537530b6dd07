"""``rdfcrawl check`` as a person or an editor calls it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.commands import Command

PROJECT = Path(__file__).parents[2]
CASES = Path("tests") / "cases" / "check"


def check(*arguments: str) -> tuple[int, str, str]:
    """The exit code and what went to standard output and to standard error."""
    command = Command("check", *arguments)
    return command.wait(), command.printed, command.said


def test_valid_models_show_their_trees() -> None:
    """All shipped models are valid: exit code 0, one tree each, nothing on standard error."""
    models = [str(path.relative_to(PROJECT)) for path in sorted((PROJECT / "models").glob("*.ttl"))]
    code, printed, said = check(*models)
    assert (code, said) == (0, "")
    heads = [line.partition(":")[0] for line in printed.splitlines() if line.startswith("models/")]
    assert heads == models
    assert "            ├── donation:amount: decimal, at ./td[2], pattern [\\d.]{6,}(,\\d{2})?" in printed


def test_findings_go_to_standard_error_with_exit_code_2() -> None:
    """An invalid model has no tree."""
    code, printed, said = check(str(CASES / "five-mistakes" / "model.ttl"))
    expected = (PROJECT / CASES / "five-mistakes" / "expected.txt").read_text()
    assert (code, printed) == (2, "")
    assert said == expected.replace("model.ttl:", f"{CASES}/five-mistakes/model.ttl:")


def test_warnings_do_not_fail() -> None:
    """The tree is on standard output, the warnings are on standard error."""
    code, printed, said = check(str(CASES / "warning-unreachable" / "model.ttl"))
    assert code == 0
    assert said.count(": warning: ") == len(said.splitlines()) == 4
    assert "page:book: one object" in printed


def test_one_invalid_model_among_valid_ones_fails() -> None:
    """Every model is checked; the exit code is that of the worst."""
    code, printed, said = check(str(CASES / "term-misspelt" / "model.ttl"), "models/imdb.ttl")
    assert code == 2
    assert "did you mean :pattern?" in said
    assert printed.startswith("models/imdb.ttl: 1 section, 7 pages")


def test_editors_get_json() -> None:
    """The findings as data, on standard output, with the same exit code."""
    code, printed, said = check("--format", "json", str(CASES / "term-misspelt" / "model.ttl"))
    (result,) = json.loads(printed)
    assert (code, said) == (2, "")
    assert result == {
        "model": str(CASES / "term-misspelt" / "model.ttl"),
        "valid": False,
        "digest": None,
        "findings": [
            {
                "severity": "error",
                "file": str(CASES / "term-misspelt" / "model.ttl"),
                "line": 57,
                "column": 15,
                "resource": "book:price",
                "term": ":patern",
                "message": "the metamodel has no such term",
                "advice": "did you mean :pattern?",
            }
        ],
    }


def test_a_model_can_be_piped_in() -> None:
    """A dash reads standard input."""
    model = (PROJECT / "models" / "bundestag.ttl").read_text()
    command = Command("check", "-", typed=model)
    assert command.wait() == 0
    assert command.printed.startswith("-: 1 section, 1 page, 1 item, 4 properties")


def test_a_missing_file_is_one_sentence() -> None:
    """No traceback, exit code 2."""
    code, printed, said = check("missing.ttl")
    assert (code, printed) == (2, "")
    assert said == "rdfcrawl: missing.ttl: no such file\n"


def test_no_log_of_a_library_reaches_the_user() -> None:
    """rdflib warns about names that are no IRIs; only the finding is shown."""
    _, _, said = check(str(CASES / "name-with-space" / "model.ttl"))
    assert len(said.splitlines()) == 1
