"""What a run shows while it is under way and while it is finished, and what it writes to its log."""

from __future__ import annotations

import re
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live

from rdfcrawl.cli.crawl.crawling import _Display
from rdfcrawl.engine.crawl.progress import Progress, SectionProgress
from tests.commands import Command

_ROOT = Path(__file__).parents[2]
_RUN = ("run", str(_ROOT / "models/bundestag.ttl"), "--replay", str(_ROOT / "examples/sites"), "--engine", "http")


def test_a_file_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """A stage is announced after some silent seconds, so short runs do not mention it."""
    display = _Display(None)
    display.finishing("sorting 3 triples")
    display._last_line -= 60
    display.finishing("sorting 1,203,400 triples")
    display.finishing("clearing the queue")
    assert capsys.readouterr().err == "Finishing: sorting 1,203,400 triples\n"


def test_a_stage_that_takes_long_says_how_far_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    """As a share of what it has to do, as often as everything else is said."""
    display = _Display(None)
    display.finishing("sorting 1,203,400 triples")
    display.advance(0.2)
    display._last_line -= 60
    display.advance(0.374)
    display.advance(0.5)
    assert capsys.readouterr().err == "Finishing: sorting 1,203,400 triples, 37%\n"


def test_a_terminal_shows_the_stage_in_place_of_the_table() -> None:
    """It stands there until the next one."""
    shown = StringIO()
    with Live(console=Console(file=shown, force_terminal=True), auto_refresh=False) as live:
        _Display(live).finishing("sorting triples")
        live.refresh()
    assert "Finishing: sorting triples" in shown.getvalue()


@pytest.mark.parametrize(
    ("read", "queued", "seconds", "said"),
    [
        (19, 1000, 1.0, ""),
        (100, 0, 10.0, ""),
        (100, 50, 10.0, ", at least 5 s left"),
        (100, 6000, 10.0, ", at least 10 min left"),
        (100, 90000, 10.0, ", at least 2.5 h left"),
    ],
)
def test_the_time_left_is_estimated_from_what_is_known(
    read: int, queued: int, seconds: float, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Pages that are not known yet come on top, so it is the least; a few pages say nothing yet."""
    display = _Display(None)
    display._last_line -= 60
    section = SectionProgress("http://site.example/", read, queued)
    display.progress(Progress(1, (section,), problems=0, triples=0, seconds=seconds, read_now=read))
    assert capsys.readouterr().err.rstrip("\n").endswith(f"0 problems{said}")


def test_a_log_keeps_every_page_with_its_time_whatever_is_shown(tmp_path: Path) -> None:
    """Two quiet runs: nothing on the terminal, both in the log, with how they ended."""
    log = tmp_path / "night.log"
    for _ in range(2):
        command = Command(*_RUN, "--store", str(tmp_path / "store"), "--quiet", "--log", str(log))
        assert command.wait() == 0
        assert (command.printed, command.said) == ("", "")
    lines = log.read_text(encoding="utf-8").splitlines()
    assert all(re.match(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} ", line) for line in lines)
    said = [line.partition(" ")[2] for line in lines]
    assert len([line for line in said if re.fullmatch(r"run \d+ starts", line)]) == 2
    assert len([line for line in said if "fundstellen50000" in line and "over HTTP" in line]) == 14
    assert said.count("done") == 2


def test_a_log_that_cannot_be_written_is_said_before_anything_is_read(tmp_path: Path) -> None:
    """Neither a missing folder nor a folder in its place costs a run."""
    for log, reason in ((tmp_path / "no/x.log", "does not exist"), (tmp_path, "cannot be written: Is a directory")):
        command = Command(*_RUN, "--store", str(tmp_path / "store"), "--log", str(log))
        assert command.wait() == 2
        assert reason in command.said
    assert not (tmp_path / "store").exists()
