"""``rdfcrawl accept`` turns suspicion into removal, once, whatever happens in the middle."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner, Result

from rdfcrawl.cli.accept import accept
from rdfcrawl.cli.diff import diff
from rdfcrawl.cli.history import history
from rdfcrawl.cli.query import query
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.state import state_after
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.pruning import Retention, prunable, prune
from rdfcrawl.versioning.recording import record_changes, record_missing
from rdfcrawl.versioning.suspicion import acceptance
from tests.versioning.library import MODEL, NOVELS, POEMS, book, review
from tests.versioning.written_runs import WrittenRuns

_app = typer.Typer()
for _command in (accept, diff, history, query):
    _app.command()(_command)


def _invoke(runs: WrittenRuns, *arguments: str) -> Result:
    result = CliRunner().invoke(_app, [*arguments, "--store", str(runs.store)])
    if isinstance(result.exception, Exception) and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def _books(count: int, section: str = NOVELS, first: int = 0) -> list[str]:
    numbers = range(first, first + count)
    return [line for number in numbers for line in book(f"b{number}", section=section, author=None)]


def _reviews(count: int) -> list[str]:
    return [line for number in range(count) for line in review(f"b{number}", "a", "Max", "5", "Good")]


def _run(runs: WrittenRuns, run: int, lines: list[str], sections: list[str] | None = None) -> None:
    runs.add(run, MODEL, lines, sections)
    record_changes(runs.files, run)


def _kinds(runs: WrittenRuns, run: int) -> dict[str, int]:
    lines = runs.recorded(run)
    counts = {str(kind): sum(f"<predicate://{kind}>" in line for line in lines) for kind in ChangeKind}
    return {kind: count for kind, count in counts.items() if count}


def _state(runs: WrittenRuns, run: int) -> set[str]:
    return {line.decode() for line in state_after(runs.files, runs.files.read_record(run)).triples()}


@pytest.fixture
def suspecting(runs: WrittenRuns) -> WrittenRuns:
    """All reviews are missing since run 2, and in run 3 still."""
    _run(runs, 1, _books(12) + _reviews(12))
    _run(runs, 2, _books(12))
    _run(runs, 3, _books(12))
    return runs


def test_what_is_accepted_is_removed(suspecting: WrittenRuns) -> None:
    """From the current state, in the changes, in the histories; the record tells that it was accepted."""
    result = _invoke(suspecting, "accept")
    assert "12 of 12 objects of item:review are missing since run 2" in result.stdout
    assert _kinds(suspecting, 3) == {"removed": 12}
    assert _state(suspecting, 3) == set(_books(12))
    [suspicion] = suspecting.files.read_record(3).suspicions
    assert suspicion.accepted is not None
    assert any("record/accepted>" in line for line in suspecting.recorded(3))
    left = _invoke(suspecting, "query", "SELECT * WHERE { ?book <item://review> ?review }", "--format", "csv").stdout
    assert left.split() == ["book,review"]
    assert _invoke(suspecting, "diff").stdout.endswith("12 objects removed\n")
    events = _invoke(suspecting, "history", f"http://library.example/book/b0#{'a' * 40}").stdout
    assert [line.split("  ")[-1] for line in events.splitlines()] == ["first seen", "suspected", "removed"]


def test_accepting_again_says_that_there_is_nothing(suspecting: WrittenRuns) -> None:
    """And changes nothing."""
    _invoke(suspecting, "accept")
    before = {path.name: path.read_bytes() for path in suspecting.files.folder.iterdir()}
    result = _invoke(suspecting, "accept")
    assert (result.exit_code, result.stdout) == (0, "")
    assert "nothing to accept" in result.stderr
    assert {path.name: path.read_bytes() for path in suspecting.files.folder.iterdir()} == before


def test_the_next_run_has_nothing_to_report(suspecting: WrittenRuns) -> None:
    """What was accepted is no longer known; if it comes back, it is added."""
    _invoke(suspecting, "accept")
    _run(suspecting, 4, _books(12))
    assert suspecting.recorded(4) == []
    _run(suspecting, 5, _books(12) + _reviews(1))
    assert _kinds(suspecting, 5) == {"added": 1}


def test_an_earlier_run_names_what_it_already_suspected(suspecting: WrittenRuns) -> None:
    """The removal is recorded where the state is; a run that suspected nothing has nothing to accept."""
    assert "nothing that run 1 suspected" in _invoke(suspecting, "accept", "1").stderr
    assert "removed in run 3" in _invoke(suspecting, "accept", "2").stdout
    assert _kinds(suspecting, 2) == {"suspected": 12}


def test_a_run_that_does_not_exist_is_named(suspecting: WrittenRuns) -> None:
    """With those that do."""
    with pytest.raises(UsageError, match="there is no run 9"):
        _invoke(suspecting, "accept", "9")


def test_only_a_class_or_a_property_can_be_accepted(runs: WrittenRuns) -> None:
    """The rest stays suspected."""
    _run(runs, 1, _books(12) + _reviews(12))
    _run(runs, 2, [line for line in _books(12) if "book/price" not in line])
    assert len(runs.files.read_record(2).suspicions) == 2
    assert "nothing of this kind" in _invoke(runs, "accept", "--class", "item:author").stderr
    _invoke(runs, "accept", "--class", "item:review")
    assert _kinds(runs, 2) == {"removed": 12, "suspected": 12}
    assert _state(runs, 2) == set(_books(12))
    _invoke(runs, "accept", "--property", "book:price")
    assert _kinds(runs, 2) == {"removed": 24}
    assert not runs.files.suspected(2).exists()


def test_the_subtree_of_what_is_still_suspected_stays(runs: WrittenRuns) -> None:
    """Accepting one class does not take what hangs from another."""
    full = [*_books(12), *_reviews(12), *_books(3, POEMS, 70)]
    _run(runs, 1, full)
    _run(runs, 2, [line for line in _books(3, POEMS, 70) if "book/price" not in line])
    _invoke(runs, "accept", "--property", "book:price")
    assert _state(runs, 2) == {
        line for line in full if not ("/b7" in line and "/b7>" not in line and "book/price" in line)
    }


@pytest.mark.parametrize("broken", ["_write_suspected", "write_whole", "with_checksums"])
def test_an_acceptance_that_was_cut_off_is_finished(
    broken: str, suspecting: WrittenRuns, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision counts from the moment it is written; whoever comes next makes the files follow."""

    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(acceptance, broken, dies)
        with pytest.raises(KeyboardInterrupt):
            acceptance.accept(suspecting.files, None, lambda _: True)
    record_missing(suspecting.files)
    assert _kinds(suspecting, 3) == {"removed": 12}
    assert _state(suspecting, 3) == set(_books(12))
    assert not acceptance.is_pending(suspecting.files.read_record(3))


def test_runs_can_be_pruned_before_and_after(suspecting: WrittenRuns) -> None:
    """Accepting needs the latest run only."""
    prune(open_store(suspecting.store), prunable(suspecting.files.records(), Retention(latest=1)))
    assert not suspecting.files.graph(2).exists()
    _invoke(suspecting, "accept")
    assert _kinds(suspecting, 3) == {"removed": 12}
    _run(suspecting, 4, _books(12))
    assert suspecting.recorded(4) == []


def test_a_damaged_file_is_rebuilt_as_it_was_accepted(suspecting: WrittenRuns) -> None:
    """The decision is in the record, so recording the changes again comes to the same."""
    _invoke(suspecting, "accept")
    before = suspecting.files.changes(3).read_bytes()
    record_changes(suspecting.files, 3)
    assert suspecting.files.changes(3).read_bytes() == before
    assert not suspecting.files.suspected(3).exists()


def test_only_sections_whose_latest_run_it_is_are_accepted(runs: WrittenRuns) -> None:
    """A later run of the other section has seen its books again, so they were never removed."""
    novels, poems = _books(12), _books(12, POEMS, 50)
    _run(runs, 1, novels + poems)
    _run(runs, 2, [])
    _run(runs, 3, novels, [NOVELS])
    _invoke(runs, "accept")
    assert _state(runs, 3) == set(novels)
    found = _invoke(runs, "query", "SELECT (COUNT(*) AS ?n) WHERE { ?s <item://book> ?book }", "--format", "csv")
    assert found.stdout.split() == ["n", "12"]


def test_the_history_of_an_object_tells_which_values_were_doubted(runs: WrittenRuns) -> None:
    """And when they were there again; that is no change."""
    without = [line for line in _books(12) if "book/price" not in line]
    for run, lines in enumerate((_books(12), without, without, _books(12)), start=1):
        _run(runs, run, lines)
    told = _invoke(runs, "history", "http://library.example/book/b0").stdout
    assert [line.split("  ")[-1].strip() for line in told.splitlines()] == [
        "first seen",
        "suspected",
        "! book:price: 9.90",
        "observed again",
    ]


def test_the_changes_name_what_died_in_every_format(suspecting: WrittenRuns) -> None:
    """Text, Turtle, JSON and patch; a patch says it in comments."""
    died = 'item:review :path ".//li" has probably died (model.ttl:'
    text = _invoke(suspecting, "diff").stdout
    assert died in text
    assert "since run 2" in text
    assert text.endswith("12 objects suspected\n")
    assert ":suspected <http://library.example/book/b0#" in _invoke(suspecting, "diff", "--format", "ttl").stdout
    assert '"since": "run://2"' in _invoke(suspecting, "diff", "--format", "json").stdout
    for form in ("ttl", "patch"):
        assert 'item://review :path ".//li" has probably died' in _invoke(suspecting, "diff", "--format", form).stdout
    assert _invoke(suspecting, "diff", "--exit-code").exit_code == 1
