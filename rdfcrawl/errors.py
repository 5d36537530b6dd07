"""The errors that stop a command, as a tree.

::

    RdfcrawlError
    ├── ModelError        the model is wrong; carries every finding (exit code 2)
    ├── UsageError        the command cannot be carried out as given (exit code 2)
    ├── StoreError        a store cannot be opened, read or written (exit code 2)
    │   ├── StoreBusy     another process is using it
    │   └── DamagedFile   a file of a run is not as it was written
    ├── NameListError     a list of names cannot be read (exit code 2)
    ├── BrowserMissing    a page needs a browser and none is installed (exit code 2)
    ├── NothingToDraft    pages were read, and nothing on them can be described by a model (exit code 1)
    ├── Stopped           stopped before the end; the same command resumes (exit code 3)
    └── Interrupted       Ctrl-C, in a command that has nothing to resume (exit code 130, as in shells)

Expected trouble on a site (a missing value, an unreachable page) is not an exception but a
``Problem``: the run reports it and continues.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from rdfcrawl.metamodel.check.findings import Finding

_LONGEST_QUOTE: Final = 80
_UNSEEN: Final = re.compile(
    # Control characters but for tabs and line ends; what reverses the order of writing; line ends that few know of;
    # characters that stand for no character.
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\U000e0000-\U000e007f]"
)
_PICTURES: Final = 0x2400
"""Where Unicode has a picture of each of the first control characters."""


class RdfcrawlError(Exception):
    """The base of all errors that rdfcrawl raises deliberately; its text can be shown to users."""

    exit_code = 2


class ModelError(RdfcrawlError):
    """The model has errors; ``findings`` holds all of them, warnings included."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        self.findings = tuple(findings)
        super().__init__("\n".join(str(finding) for finding in self.findings))


class UsageError(RdfcrawlError):
    """The command, as given, cannot be carried out."""


class StoreError(RdfcrawlError):
    """A store cannot be opened, read or written."""


class StoreBusy(StoreError):
    """Another process is crawling the same sections of the same store."""


class DamagedFile(StoreError):
    """A file of a run is not as it was written; ``remedy`` says what can be done about it."""

    def __init__(self, path: Path, reason: str, line: int | None = None, remedy: str = "") -> None:
        self.path = path
        self.reason = reason
        self.line = line
        place = f" at line {line}" if line else ""
        super().__init__(f"{path} is damaged{place} ({reason})" + (f"; {remedy}" if remedy else ""))


class BrowserMissing(RdfcrawlError):
    """A page needs a browser and no Chromium was found."""


class NothingToDraft(RdfcrawlError):
    """The pages were read, but have nothing that a model could describe; its text says what they have instead."""

    exit_code = 1


class Stopped(RdfcrawlError):
    """The run was stopped before its end; running the same command again resumes it."""

    exit_code = 3


class Interrupted(RdfcrawlError):
    """Somebody pressed Ctrl-C while a command was at work that does not stop by itself."""

    exit_code = 130


def quoted(text: str) -> str:
    """The text as a message quotes it: on one line, and shortened if it is long."""
    shown = printable(text).replace("\n", "↵")
    return f'"{shown}"' if len(shown) <= _LONGEST_QUOTE else f'"{shown[: _LONGEST_QUOTE - 1]}…"'


def printable(text: str) -> str:
    """The text with nothing in it that a terminal or a reader would take for more than text."""
    return text if text.isprintable() else _UNSEEN.sub(_seen, text)


def _seen(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(_PICTURES + code) if code < 0x20 else f"\\u{code:04x}"
