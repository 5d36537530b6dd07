"""The files that a run writes while it goes on: its triples and its problems, appended and cut back after a crash."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO

from rdfcrawl.engine.problem import Problem, ProblemKind


class Journal:
    """Two append-only files in a folder of the run's own."""

    def __init__(self, folder: Path, graph: str, *, lines: int = 0, problems: int = 0) -> None:
        """Open the journal, cut to what was acknowledged: ``lines`` and ``problems`` are lengths in bytes."""
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.triples_path = folder / "triples.nq"
        self.problems_path = folder / "problems.jsonl"
        self._ending = f" {graph} .\n"
        self._triples = _open_cut(self.triples_path, lines)
        self._problems = _open_cut(self.problems_path, problems)
        self._synced = (lines, problems)
        self._follower: Callable[[int], None] | None = None

    def followed_by(self, follower: Callable[[int], None]) -> None:
        """Tell somebody how many bytes of statements are on the disk, whenever there are more."""
        self._follower = follower

    def write(self, triples: Iterable[str], problems: Iterable[Problem]) -> None:
        """Append statements (without graph and dot) and problems; ``sync`` makes them safe."""
        ending = self._ending
        if text := "".join([triple + ending for triple in triples]):
            self._triples.write(text.encode())
        for problem in problems:
            self._problems.write(json.dumps(asdict(problem), ensure_ascii=False).encode() + b"\n")

    def sync(self) -> tuple[int, int]:
        """Bring everything to the disk and give the lengths of the two files."""
        lengths = self._triples.tell(), self._problems.tell()
        for file, length, synced in zip((self._triples, self._problems), lengths, self._synced, strict=True):
            if length != synced:
                file.flush()
                os.fdatasync(file.fileno())
        self._synced = lengths
        if self._follower is not None:
            self._follower(lengths[0])
        return lengths

    def problems(self) -> Iterator[Problem]:
        """Every problem so far."""
        self._problems.flush()
        with self.problems_path.open(encoding="utf-8") as lines:
            for line in lines:
                values = json.loads(line)
                yield Problem(**values | {"kind": ProblemKind(values["kind"])})

    def close(self) -> None:
        """Close the files; they stay for the next start."""
        self._triples.close()
        self._problems.close()

    def remove(self) -> None:
        """Remove the files of a run that has ended."""
        self.close()
        rmtree(self.folder, ignore_errors=True)


def _open_cut(path: Path, length: int) -> BinaryIO:
    file = path.open("r+b" if path.exists() else "w+b")
    file.truncate(length)
    file.seek(length)
    return file
