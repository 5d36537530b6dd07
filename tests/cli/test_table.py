"""Tables on a terminal and in a file."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

import pytest

from rdfcrawl.cli.output.table import fitted

MANY = 2000
PRINT = f"""
from rdfcrawl.cli.output.table import print_table
print_table(["name", "n"], [["x" * 90 + "日本", str(number)] for number in range({MANY})], [False, True])
"""


def on_a_terminal(code: str, columns: int) -> list[str]:
    """What a program prints on a terminal of that width."""
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns)}
    with subprocess.Popen([sys.executable, "-c", code], stdout=theirs, env=environment):
        os.close(theirs)
        written = b""
        try:
            while chunk := os.read(ours, 1 << 16):
                written += chunk
        except OSError:
            # How a terminal says that the other side is gone.
            os.close(ours)
    return written.decode().splitlines()


def test_many_rows_on_a_terminal_are_clipped_to_its_width() -> None:
    """Each row is one line that fits; what is cut off is marked."""
    header, rule, *rows = on_a_terminal(PRINT, columns=40)
    assert (header, len(rule)) == ("name" + " " * 35 + "n", 40)
    assert len(rows) == MANY
    assert rows[7] == "x" * 33 + "…" + "  " + "   7"


def test_rows_in_a_file_stay_whole() -> None:
    """However long they are; wide characters count twice."""
    done = subprocess.run([sys.executable, "-c", PRINT], capture_output=True, text=True, check=True)
    header, _, *rows = done.stdout.splitlines()
    assert header == "name" + " " * 95 + "n"
    assert rows[-1] == "x" * 90 + "日本  1999"


@pytest.mark.parametrize(
    ("widths", "room", "expected"),
    [
        ([5, 5], 20, [5, 5]),
        ([100, 5], 20, [15, 5]),
        ([100, 4, 200], 30, [13, 4, 13]),
        ([9, 9, 9], 2, [1, 1, 1]),
    ],
)
def test_wide_columns_share_what_narrow_ones_leave(widths: list[int], room: int, expected: list[int]) -> None:
    """Every column keeps at least one character."""
    assert fitted(widths, room) == expected
