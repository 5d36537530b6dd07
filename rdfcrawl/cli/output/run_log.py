"""What happens in a run, line by line in a file, with the time of day: for a run that nobody watches."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import TextIO

from rdfcrawl.cli.console import counted, how_read
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.progress import Observer, PageRead, Progress
from rdfcrawl.errors import UsageError, printable


class RunLog:
    """An observer that writes everything to a file and tells another observer."""

    def __init__(self, file: TextIO, other: Observer) -> None:
        self._file = file
        self._other = other

    def begin(self, run: int, *, resumed: bool) -> None:
        """Note the start."""
        self._write(f"run {run} {'resumes' if resumed else 'starts'}")
        self._other.begin(run, resumed=resumed)

    def page(self, page: PageRead) -> None:
        """Note a page and its problems."""
        for line in page_lines(page):
            self._write(line)
        self._other.page(page)

    def progress(self, progress: Progress) -> None:
        """Only the other one shows how far it is."""
        self._file.flush()
        self._other.progress(progress)

    def finishing(self, stage: str) -> None:
        """Note a stage of the end."""
        self._write(f"finishing: {stage}")
        self._other.finishing(stage)

    def advance(self, share: float) -> None:
        """Only the other one shows how far it is."""
        self._other.advance(share)

    def notice(self, text: str) -> None:
        """Note what the user should know."""
        self._write(f"note: {text}")
        self._other.notice(text)

    def end(self, text: str) -> None:
        """Note how it ended."""
        self._write(text)

    def _write(self, text: str) -> None:
        self._file.write(f"{datetime.now().astimezone():%Y-%m-%dT%H:%M:%S%z} {printable(text)}\n")


def open_log(path: Path) -> TextIO:
    """Open a log; what is in it stays, so that one file can hold the log of a nightly run."""
    try:
        return path.open("a", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--log {path} cannot be written: {error.strerror}") from error


def page_lines(page: PageRead) -> Iterator[str]:
    """A page that was read, and what is wrong with it."""
    how = "unchanged" if page.unchanged else "to be tried again" if page.again else counted(page.triples, "triple")
    yield f"{page.address}  {how_read(Engine(page.engine))}, {how}"
    for problem in page.problems:
        yield f"  {problem.kind.value}: {problem.reason}"
