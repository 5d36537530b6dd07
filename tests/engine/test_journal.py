"""The files that a run writes while it goes on."""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.engine.journal import Journal
from rdfcrawl.engine.problem import Problem, ProblemKind

PROBLEM = Problem(ProblemKind.MISFIT, "http://site.example/a", "page://a", "„x“ is no number", property="p:a", raw="x")


def test_what_was_not_acknowledged_is_cut_off(tmp_path: Path) -> None:
    """After a crash the files go on exactly where the last acknowledgement left them."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(["<a:s> <a:p> <a:o>"], [PROBLEM])
    lines, problems = journal.sync()
    journal.write(["<a:s> <a:p> <a:lost>", "<a:half"], [PROBLEM])
    journal.close()

    again = Journal(tmp_path, "<run://1>", lines=lines, problems=problems)
    again.write(["<a:s> <a:p> <a:more>"], [])
    again.sync()
    assert again.triples_path.read_text() == "<a:s> <a:p> <a:o> <run://1> .\n<a:s> <a:p> <a:more> <run://1> .\n"
    assert list(again.problems()) == [PROBLEM]
    again.close()


def test_a_new_run_begins_with_empty_files(tmp_path: Path) -> None:
    """What an abandoned run left in the folder is no part of it."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(["<a:s> <a:p> <a:o>"], [PROBLEM])
    journal.close()
    again = Journal(tmp_path, "<run://1>")
    assert again.sync() == (0, 0)
    assert list(again.problems()) == []
    again.close()


def test_lengths_are_in_bytes(tmp_path: Path) -> None:
    """Characters beyond ASCII do not confuse the cut."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(['<a:s> <a:p> "Müsli 漢字"'], [PROBLEM])
    lengths = journal.sync()
    journal.close()
    assert lengths == (journal.triples_path.stat().st_size, journal.problems_path.stat().st_size)


def test_problems_come_back_whole(tmp_path: Path) -> None:
    """Every field survives, the missing ones as missing."""
    bare = Problem(ProblemKind.LOOP, "http://site.example/b", "page://b", "line\nbreak")
    journal = Journal(tmp_path, "<run://1>")
    journal.write([], [PROBLEM, bare])
    assert list(journal.problems()) == [PROBLEM, bare]
    journal.close()


def test_a_run_that_has_ended_leaves_no_files(tmp_path: Path) -> None:
    """Its folder goes with it."""
    journal = Journal(tmp_path / "work" / "1", "<run://1>")
    journal.write(["<a:s> <a:p> <a:o>"], [])
    journal.remove()
    assert not (tmp_path / "work" / "1").exists()
