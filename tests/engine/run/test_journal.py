"""The files that a run writes while it goes on."""

from __future__ import annotations

from pathlib import Path

import pytest

from rdfcrawl.engine.frontier.entries import Lengths
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.journal import Journal, remove_journal
from rdfcrawl.errors import DamagedFile

PROBLEM = Problem(ProblemKind.MISFIT, "http://site.example/a", "page://a", "„x“ is no number", property="p:a", raw="x")


def test_what_was_not_acknowledged_is_cut_off(tmp_path: Path) -> None:
    """After a crash the files go on exactly where the last acknowledgement left them."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(["<a:s> <a:p> <a:o>"], [PROBLEM])
    valid = journal.sync()
    journal.write(["<a:s> <a:p> <a:lost>", "<a:half"], [PROBLEM])
    journal.close()

    again = Journal(tmp_path, "<run://1>", valid=valid)
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
    assert again.sync() == Lengths(0, 0)
    assert list(again.problems()) == []
    again.close()


def test_lengths_are_in_bytes(tmp_path: Path) -> None:
    """Characters beyond ASCII do not confuse the cut."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(['<a:s> <a:p> "Müsli 漢字"'], [PROBLEM])
    lengths = journal.sync()
    journal.close()
    assert lengths == Lengths(journal.triples_path.stat().st_size, journal.problems_path.stat().st_size)


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
    journal.close()
    remove_journal(tmp_path / "work" / "1")
    assert not (tmp_path / "work" / "1").exists()


def test_what_others_have_had_acknowledged_is_taken_over(tmp_path: Path) -> None:
    """Not what they wrote after it; the next start cuts it off again if it was not acknowledged here."""
    other = Journal(tmp_path, "<run://1>", worker="other")
    other.write(["<a:s> <a:p> <a:other>"], [PROBLEM])
    valid = other.sync()
    other.write(["<a:s> <a:p> <a:lost>"], [PROBLEM])
    other.close()
    main = Journal(tmp_path, "<run://1>")
    main.write(["<a:s> <a:p> <a:main>"], [])
    own = main.sync()
    main.take_over("other", valid)
    main.take_over("idle", Lengths())
    main.sync()
    assert main.triples_path.read_text() == "<a:s> <a:p> <a:main> <run://1> .\n<a:s> <a:p> <a:other> <run://1> .\n"
    assert list(main.problems()) == [PROBLEM]
    main.close()
    again = Journal(tmp_path, "<run://1>", valid=own)
    assert again.triples_path.read_text() == "<a:s> <a:p> <a:main> <run://1> .\n"
    again.close()


def test_the_files_of_the_version_before_are_found(tmp_path: Path) -> None:
    """They lay in the folder of the run itself; what was acknowledged of them counts, wherever the move was cut off."""
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "problems.jsonl").write_text("")
    (tmp_path / "triples.nq").write_text("<a:s> <a:p> <a:o> <run://1> .\n<a:half")
    journal = Journal(tmp_path, "<run://1>", valid=Lengths(30, 0))
    journal.write(["<a:s> <a:p> <a:more>"], [])
    journal.close()
    assert journal.triples_path.read_text() == "<a:s> <a:p> <a:o> <run://1> .\n<a:s> <a:p> <a:more> <run://1> .\n"
    assert [path.name for path in tmp_path.iterdir()] == ["main"]


@pytest.mark.parametrize("name", ["triples.nq", "problems.jsonl"])
def test_a_journal_that_lacks_acknowledged_bytes_is_refused(tmp_path: Path, name: str) -> None:
    """What is missing is neither filled with zero bytes nor passed over; the file stays as it was found."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(["<a:s> <a:p> <a:o>"], [PROBLEM])
    valid = journal.sync()
    journal.close()
    damaged = journal.folder / name
    damaged.write_bytes(damaged.read_bytes()[:10])

    with pytest.raises(DamagedFile, match=rf"{name} is damaged \(10 of \d+ bytes are left\).*--fresh"):
        Journal(tmp_path, "<run://1>", valid=valid)
    assert damaged.stat().st_size == 10


def test_what_another_worker_wrote_is_taken_over_whole_or_not_at_all(tmp_path: Path) -> None:
    """A short file of another worker is refused as well."""
    other = Journal(tmp_path, "<run://1>", worker="other")
    other.write(["<a:s> <a:p> <a:o>"], [])
    valid = other.sync()
    other.close()
    other.triples_path.unlink()
    journal = Journal(tmp_path, "<run://1>")
    with pytest.raises(DamagedFile, match=r"0 of 30 bytes"):
        journal.take_over("other", valid)
    journal.close()


def test_where_objects_were_read_survives_a_crash_without_its_half_line(tmp_path: Path) -> None:
    """What was noted of pages that are read again stays true; a line that was cut in the middle is none."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(["<a:s> <a:p> <a:o>", "<a:s> <a:q> <a:o>"], [], "http://site.example/list")
    valid = journal.sync()
    journal.write(["<a:t> <a:p> <a:o>"], [], "http://site.example/list?page=2")
    journal.close()
    with journal.sources_path.open("ab") as file:
        file.write(b"a:u  <http://site.ex")
    again = Journal(tmp_path, "<run://1>", valid=valid)
    again.close()
    assert again.sources_path.read_text() == "a:s  <http://site.example/list>\na:t  <http://site.example/list?page=2>\n"


def test_what_the_version_before_has_noted_is_taken_over(tmp_path: Path) -> None:
    """A run that it began is resumed: its statements become notes, but for the half of one."""
    journal = Journal(tmp_path, "<run://1>")
    journal.write(["<a:s#x> <a:p> <a:o>"], [], "http://site.example/a")
    valid = journal.sync()
    journal.close()
    read_from = "<predicate://record/readFrom> <http://site.example/b"
    old = journal.sources_path.with_name("sources.nt")
    old.write_text(f"<a:s> {read_from}>\n<a:s#y> {read_from}>\n<a:s#z> {read_from}")
    again = Journal(tmp_path, "<run://1>", valid=valid)
    again.close()
    found = again.sources_path.read_text().splitlines()
    assert found == ["a:s #x <http://site.example/a>", "a:s  <http://site.example/b>", "a:s #y <http://site.example/b>"]
    assert not old.exists()
