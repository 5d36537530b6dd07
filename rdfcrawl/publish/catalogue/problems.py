"""The problems of runs, put in order once: those of a run that had many are kept in a file beside the catalogue.

A run that has ended never changes, and so the file outlasts the states; it goes when its run has gone.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from rdfcrawl.publish.data.problems import ProblemChoice, ProblemShelf, ProblemShelves, read_problem, read_shelves
from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.runs.problems import ProblemGroup, ReportedProblem
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.triples import size_of

MANY: Final = 1_000_000
"""So many bytes of a record are read in a moment; the problems of a longer one are kept in order."""
_log = logging.getLogger(__name__)


def problem_groups(snapshot: Snapshot, record: RunRecord) -> tuple[ProblemGroup, ...]:
    """The problems of a run, the largest group first."""
    return snapshot.keep(("problem groups", record.id), lambda: tuple(_groups(snapshot, record)))


def chosen_problems(
    snapshot: Snapshot, record: RunRecord, choice: ProblemChoice | None, start: int, at_most: int
) -> list[ReportedProblem]:
    """A part of the chosen problems, or of all, in the order of their addresses; only that part is read whole."""
    names = shelves_of(snapshot, record).part(choice, start, at_most)
    return [read_problem(snapshot, record, name) for name in names]


def shelves_of(snapshot: Snapshot, record: RunRecord) -> ProblemShelves:
    """The problems of a run in order."""
    return snapshot.keep(("problems", record.id), lambda: _shelves(snapshot, record))


def _groups(snapshot: Snapshot, record: RunRecord) -> Iterator[ProblemGroup]:
    for shelf in sorted(shelves_of(snapshot, record).shelves, key=lambda shelf: -shelf.count):
        examples = tuple(read_problem(snapshot, record, name) for name in shelf.first)
        choice = shelf.choice
        yield ProblemGroup(choice.kind, choice.page, choice.property, shelf.count, examples)


def _shelves(snapshot: Snapshot, record: RunRecord) -> ProblemShelves:
    mark = snapshot.data.held.graphs.get(record_iri(record.id))
    if mark is None or size_of(mark) <= MANY:
        return read_shelves(snapshot, record)
    path = snapshot.files.folder.parent / "catalogue" / "problems" / f"{record.id}-{mark}"
    if path.exists():
        try:
            return _opened(path)
        except (OSError, ValueError, KeyError) as error:
            _log.warning("%s cannot be read (%s); it is made anew", path, error)
    shelves = read_shelves(snapshot, record)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_others(snapshot, path)
        write_whole(path, _written(shelves))
        return _opened(path)
    except OSError as error:
        _log.info("%s cannot be written (%s)", path, error)
        return shelves


def _written(shelves: ProblemShelves) -> bytes:
    """A line that says what there is, and then the names of each group."""
    heads, parts, start = [], [], 0
    for number, shelf in enumerate(shelves.shelves):
        parts.append("\n".join(shelves.names(number)).encode())
        heads.append(asdict(shelf) | {"start": start, "length": len(parts[-1])})
        start += len(parts[-1])
    return b"\n".join([json.dumps(heads).encode(), b"".join(parts)])


def _opened(path: Path) -> ProblemShelves:
    with path.open("rb") as file:
        line = file.readline()
    heads = json.loads(line)
    if len(line) + sum(head["length"] for head in heads) != path.stat().st_size:
        raise ValueError("it is not as long as it should be")

    def names(number: int) -> Sequence[str]:
        with path.open("rb") as file:
            file.seek(len(line) + heads[number]["start"])
            return file.read(heads[number]["length"]).decode().split("\n")

    shelves = [ProblemShelf(ProblemChoice(**head["choice"]), head["count"], head["first"]) for head in heads]
    return ProblemShelves(shelves, names)


def _remove_others(snapshot: Snapshot, path: Path) -> None:
    """Remove what is there of runs that are gone, and of this one as it was before."""
    own = path.name.partition("-")[0]
    for other in path.parent.iterdir():
        run = other.name.partition("-")[0]
        if run == own or not (run.isdigit() and int(run) in snapshot.by_id):
            other.unlink(missing_ok=True)
