"""The commands that show changes: ``diff``, ``history`` and ``prune``."""

from __future__ import annotations

import gzip
import json

import pyoxigraph as ox
import pytest
import typer
from typer.testing import CliRunner, Result

from rdfcrawl.cli.diff import diff
from rdfcrawl.cli.history import history
from rdfcrawl.cli.runs import prune
from rdfcrawl.errors import UsageError
from rdfcrawl.store.runs.record import RunState
from rdfcrawl.store.runs.unread import Unread
from rdfcrawl.versioning.recording import record_changes
from tests.versioning.library import MODEL, NOVELS, POEMS, book, review
from tests.versioning.written_runs import WrittenRuns

_TRIAL = "http://library.example/book/trial"
_CASTLE = "http://library.example/book/castle"

_app = typer.Typer()
for _command in (diff, history, prune):
    _app.command()(_command)


def _invoke(runs: WrittenRuns, *arguments: str) -> Result:
    result = CliRunner().invoke(_app, [*arguments, "--store", str(runs.store)])
    if isinstance(result.exception, Exception) and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def _graph(runs: WrittenRuns, run: int) -> set[str]:
    content = gzip.decompress(runs.files.graph(run).read_bytes())
    return {f"{quad.triple} ." for quad in ox.parse(content, format=ox.RdfFormat.N_QUADS)}


@pytest.fixture
def two_runs(runs: WrittenRuns) -> WrittenRuns:
    """A book with another price and an edited review, one gone, one new in the other section."""
    runs.add(1, MODEL, [*book("trial"), *review("trial", "a", "Max", "5", "Good"), *book("castle")])
    runs.add(
        2,
        MODEL,
        [
            *book("trial", price="7.90"),
            *review("trial", "b", "Max", "5", "Great"),
            *book("ode", section=POEMS, author="goethe"),
        ],
    )
    return runs


def test_the_text_groups_by_section_and_class_with_labels_and_values(two_runs: WrittenRuns) -> None:
    """Everything that a person asks: what, where, from which value to which, and how many."""
    assert (
        _invoke(two_runs, "diff").stdout
        == f"""\
run://1 → run://2

{NOVELS}  item:book
  - Castle  {_CASTLE}
  ~ Trial  {_TRIAL}
      ~ book:price: 9.90 → 7.90

{NOVELS}  item:review
  ± {_TRIAL}#{"a" * 40}  in Trial
      replaced by {_TRIAL}#{"b" * 40}
      ~ review:text: Good → Great

{POEMS}  item:book
  + Ode  http://library.example/book/ode

1 object added, 1 removed, 1 replaced; 1 value changed
"""
    )


def test_an_object_is_called_by_what_the_model_marks_as_its_label(runs: WrittenRuns) -> None:
    """Rather than by a property that is called title; what the newer model says counts for both states."""
    marked = MODEL.replace('book:price :path ".//b"', 'book:price :label true ; :path ".//b"')
    runs.add(1, MODEL, book("trial") + book("castle", price="4.20"))
    runs.add(2, marked, book("trial", price="7.90"))
    text = _invoke(runs, "diff").stdout
    assert f"  ~ 7.90  {_TRIAL}\n      ~ book:price: 9.90 → 7.90\n" in text
    assert f"  - 4.20  {_CASTLE}\n" in text
    found = json.loads(_invoke(runs, "diff", "--format", "json").stdout)
    assert sorted(change["label"] for change in found["changes"]) == ["4.20", "7.90"]


def test_without_its_models_a_run_still_has_labels(two_runs: WrittenRuns) -> None:
    """By the predicates alone, as far as they tell."""
    for run in (1, 2):
        two_runs.files.model(run).unlink()
    assert f"  ~ Trial  {_TRIAL}\n" in _invoke(two_runs, "diff").stdout


def test_a_blank_value_is_no_label(runs: WrittenRuns) -> None:
    """What would show nothing is passed over."""
    runs.add(1, MODEL, [])
    lines = [line.replace('"Trial"', '"\u00a0"') for line in book("trial")]
    runs.add(2, MODEL, [*lines, f'<{_TRIAL}> <property://book/title> "Trial" .'])
    assert f"  + Trial  {_TRIAL}\n" in _invoke(runs, "diff").stdout


def test_turtle_has_the_triples_of_the_changes_store(two_runs: WrittenRuns) -> None:
    """``ttl`` and the recorded changes are the same triples."""
    record_changes(two_runs.files, 2)
    turtle = _invoke(two_runs, "diff", "--format", "ttl").stdout
    written = {f"{quad.triple} ." for quad in ox.parse(turtle, format=ox.RdfFormat.TURTLE)}
    assert written == set(two_runs.recorded(2))
    assert f"<{_TRIAL}#{'a' * 40}> <predicate://replacedBy> <{_TRIAL}#{'b' * 40}> ." in written
    assert len(written) == 6


def test_json_has_everything_that_the_text_has(two_runs: WrittenRuns) -> None:
    """Values are terms as in SPARQL results."""
    found = json.loads(_invoke(two_runs, "diff", "--format", "json").stdout)
    assert (found["old"], found["new"]) == (["run://1"], "run://2")
    assert found["counts"] == {"added": 1, "changed": 1, "removed": 1, "replaced": 1, "unobserved": 0, "suspected": 0}
    assert found["objects"] == {"added": 1, "changed": 0, "removed": 1, "replaced": 1, "unobserved": 0, "suspected": 0}
    assert found["values"] == {"added": 0, "changed": 1, "removed": 0, "replaced": 0, "unobserved": 0, "suspected": 0}
    by_kind = {(change["kind"], change["class"], change["section"]): change for change in found["changes"]}
    decimal = "http://www.w3.org/2001/XMLSchema#decimal"
    assert by_kind["changed", "item://book", NOVELS] == {
        "kind": "changed",
        "section": NOVELS,
        "class": "item://book",
        "subject": _TRIAL,
        "label": "Trial",
        "property": "property://book/price",
        "old": [{"type": "literal", "value": "9.90", "datatype": decimal}],
        "new": [{"type": "literal", "value": "7.90", "datatype": decimal}],
    }
    assert by_kind["replaced", "item://review", NOVELS]["replacedBy"]["object"] == f"{_TRIAL}#{'b' * 40}"


def test_the_patch_turns_the_old_graph_into_the_new_one(two_runs: WrittenRuns) -> None:
    """Applied line by line, as RDF Patch says."""
    lines = _invoke(two_runs, "diff", "1", "2", "--format", "patch").stdout.splitlines()
    assert (lines[0], lines[-1]) == ("TX .", "TC .")
    graph = _graph(two_runs, 1)
    for line in lines[1:-1]:
        operation, triple = line.split(" ", 1)
        if operation == "D":
            graph.remove(triple)
        else:
            assert triple not in graph
            graph.add(triple)
    assert graph == _graph(two_runs, 2)


@pytest.mark.parametrize(
    ("options", "kinds"),
    [
        (["--section", POEMS], ["added"]),
        (["--class", "item://review"], ["replaced"]),
        (["--property", "review:text"], ["replaced"]),
        (["--class", "item:review", "--section", POEMS], []),
        (["--property", "property://book/price"], ["changed"]),
        (["--property", "book:price"], ["changed"]),
        (["--property", "book:title"], []),
    ],
)
def test_filters_leave_only_what_was_asked_for(two_runs: WrittenRuns, options: list[str], kinds: list[str]) -> None:
    """By section, class and property, as IRIs or with the model's prefixes; counts and exit code follow."""
    result = _invoke(two_runs, "diff", "--format", "json", "--exit-code", *options)
    found = json.loads(result.stdout)
    assert sorted(change["kind"] for change in found["changes"]) == kinds
    assert sum(found["counts"].values()) == len(kinds)
    assert result.exit_code == int(bool(kinds))


def test_the_exit_code_is_0_when_nothing_is_known_to_differ(runs: WrittenRuns) -> None:
    """An outage is no difference; the same runs the other way round have one."""
    runs.add(1, MODEL, book("trial"))
    runs.add(2, MODEL, [], unread=Unread(objects=(_TRIAL,)))
    result = _invoke(runs, "diff", "1", "2", "--exit-code")
    assert "? Trial" in result.stdout
    assert result.exit_code == 0
    assert _invoke(runs, "diff", "2", "1", "--exit-code").exit_code == 1


def test_without_a_run_before_everything_is_added(runs: WrittenRuns) -> None:
    """The first run is compared with nothing."""
    runs.add(1, MODEL, book("trial"))
    assert _invoke(runs, "diff").stdout.startswith("nothing → run://1\n")
    assert _invoke(runs, "diff", "--format", "ttl").stdout == (
        f"@prefix : <predicate://> .\n\n<{NOVELS}>\n    :added <{_TRIAL}> .\n"
    )


def test_two_named_runs_are_compared_in_the_sections_that_both_cover(runs: WrittenRuns) -> None:
    """What only one of them has looked at cannot be compared."""
    runs.add(1, MODEL, book("trial") + book("ode", section=POEMS))
    runs.add(2, MODEL, book("trial"), sections=[NOVELS])
    runs.add(3, MODEL, book("ode", section=POEMS, price="1.00"), sections=[POEMS])
    assert _invoke(runs, "diff", "1", "2", "--exit-code").exit_code == 0
    assert _invoke(runs, "diff", "2", "1", "--exit-code").exit_code == 0
    assert "\n1 value changed\n" in _invoke(runs, "diff", "1", "3").stdout
    with pytest.raises(UsageError, match="no section in common"):
        _invoke(runs, "diff", "2", "3")


def test_what_a_stopped_run_lacks_is_shown_as_not_observed(runs: WrittenRuns) -> None:
    """It can be looked at before it is finished."""
    runs.add(1, MODEL, book("trial") + book("castle"))
    runs.add(2, MODEL, book("castle"), state=RunState.STOPPED)
    assert "\n1 object not observed\n" in _invoke(runs, "diff", "1", "2").stdout


def test_edits_of_the_model_are_shown_apart(runs: WrittenRuns) -> None:
    """With the number of differences that they explain."""
    runs.add(1, MODEL, book("trial") + book("castle"))
    edited = MODEL.replace('book:price :path ".//b"', 'book:price :path ".//em"')
    runs.add(2, edited, book("trial", price="1.00") + book("castle", price="2.00"))
    text = _invoke(runs, "diff").stdout
    assert "model\n  ~ property book:price (2 differences explained by it)\n" in text
    assert text.endswith("\n1 edit of the model\n")


def test_history_shows_the_life_of_an_object(two_runs: WrittenRuns) -> None:
    """In text and as JSON; an object that nobody has seen is a mistake."""
    record_changes(two_runs.files, 2)
    text = _invoke(two_runs, "history", _TRIAL).stdout
    assert "run://1  first seen\n" in text
    assert "    ~ book:price: 9.90 → 7.90\n" in text
    events = json.loads(_invoke(two_runs, "history", f"<{_CASTLE}>", "--format", "json").stdout)
    assert [(event["run"], event["event"]) for event in events] == [("run://1", "first seen"), ("run://2", "removed")]
    with pytest.raises(UsageError, match="no run has seen"):
        _invoke(two_runs, "history", "http://library.example/book/none")


def test_pruning_names_what_goes_and_removes_it_only_when_told_to(two_runs: WrittenRuns) -> None:
    """``--dry-run`` removes nothing, and neither does a missing confirmation."""
    record_changes(two_runs.files, 2)
    assert "1.nq.gz" in _invoke(two_runs, "prune", "--keep", "1", "--dry-run").stdout
    with pytest.raises(UsageError, match="--yes"):
        _invoke(two_runs, "prune", "--keep", "1")
    assert two_runs.files.graph(1).exists()
    assert "1.nq.gz" in _invoke(two_runs, "prune", "--keep", "1", "--yes").stdout
    assert not two_runs.files.graph(1).exists()
    assert _invoke(two_runs, "prune", "--keep", "1", "--yes").stdout == ""
    with pytest.raises(UsageError, match="say which runs to keep"):
        _invoke(two_runs, "prune")
