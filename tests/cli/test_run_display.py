"""What a run shows while it is finished."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console
from rich.live import Live

from rdfcrawl.cli.run import _Display


def test_a_file_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    """A stage is announced after some silent seconds, so short runs do not mention it."""
    display = _Display(None)
    display.finishing("sorting 3 triples")
    display._last_line -= 60
    display.finishing("sorting 1,203,400 triples")
    display.finishing("clearing the queue")
    assert capsys.readouterr().err == "Finishing: sorting 1,203,400 triples\n"


def test_a_terminal_shows_the_stage_in_place_of_the_table() -> None:
    """It stands there until the next one."""
    shown = StringIO()
    with Live(console=Console(file=shown, force_terminal=True), auto_refresh=False) as live:
        _Display(live).finishing("sorting triples")
        live.refresh()
    assert "Finishing: sorting triples" in shown.getvalue()
