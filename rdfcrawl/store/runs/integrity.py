"""The files of runs are checked before they are used, and rewritten from an equal copy if one is left.

A copy is in the index, and in a run that replayed the archive of the damaged one. The checksum in the run's record
decides whether it is equal: the index keeps values, not their spelling, and another model finds other triples.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import pyoxigraph as ox

from rdfcrawl.errors import DamagedFile, StoreError
from rdfcrawl.rdf.graphs import derived_iri, links_iri, record_iri, run_iri
from rdfcrawl.rdf.lines import ending
from rdfcrawl.store.files.damage import diagnosed, find_damage, is_changed
from rdfcrawl.store.files.lines import read_lines, write_sorted
from rdfcrawl.store.files.whole import fingerprint, sync_folder, write_whole
from rdfcrawl.store.index import Index
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.record import CARRIED_FILES, RunFile, RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.triples import GraphFile

_READ_AGAIN: Final = {
    RunFile.GRAPH: run_iri,
    RunFile.UNREAD: record_iri,
    RunFile.LINKS: links_iri,
    RunFile.DERIVED: derived_iri,
}
"""The files that a replay of a run's archive has as well, with the names of their graphs."""

KNOWN_STATE: Final = (RunFile.GRAPH, *CARRIED_FILES.values())
"""The files of what is known after a run: what it has found, and what it carries on."""


def ensure_whole(runs: RunFiles, record: RunRecord, files: Sequence[RunFile] = KNOWN_STATE) -> None:
    """Make sure that these files of a run, where it has them, are intact or restored; raises ``DamagedFile``."""
    for file in files:
        if not runs.has_file(record, file):
            continue
        damage = find_damage(runs.path(record.id, file), record.checksums.get(file, ""))
        if damage is not None and not restore(runs, record, file):
            raise advised(runs, record, damage)


def with_checksums(runs: RunFiles, record: RunRecord, files: Sequence[RunFile]) -> RunRecord:
    """The record with the checksums of these files as they are; those that are not there have none."""
    checksums = {file: made for file, made in record.checksums.items() if file not in files}
    for file in files:
        if (path := runs.path(record.id, file)).exists():
            checksums[file] = fingerprint(path)
    return replace(record, checksums=checksums)


def is_damaged(runs: RunFiles, record: RunRecord, file: RunFile) -> bool:
    """Whether a file is plainly not what was written, as its size and its end show."""
    checksum = record.checksums.get(file)
    return checksum is not None and is_changed(runs.path(record.id, file), checksum)


def restore(runs: RunFiles, record: RunRecord, file: RunFile) -> bool:
    """Rewrite a damaged file from an equal copy; returns whether there was one, and room for it."""
    checksum = record.checksums.get(file)
    if not checksum:
        return False
    try:
        return _restored(runs, record, file, checksum)
    except OSError as error:
        say_once(f"{runs.path(record.id, file)} is damaged and cannot be rewritten: {error.strerror}")
        return False


def _restored(runs: RunFiles, record: RunRecord, file: RunFile, checksum: str) -> bool:
    path = runs.path(record.id, file)
    with tempfile.TemporaryDirectory(prefix=f".{path.name}.", dir=runs.folder) as folder:
        lines, ordered = Path(folder, "lines.nq"), Path(folder, "ordered.nq.gz")
        for name in _copies(runs, record, file, lines):
            write_sorted(lines, ordered)
            if fingerprint(ordered) == checksum:
                if path.suffix == ".gz":
                    os.replace(ordered, path)
                    sync_folder(path.parent)
                else:
                    write_whole(path, b"".join(line + b"\n" for line in read_lines(ordered)))
                say_once(f"{path} was damaged and has been restored from {name}; nothing is lost")
                return True
    return False


def restore_file(runs: RunFiles, path: Path) -> bool:
    """Rewrite the damaged file with this path, if there is an equal copy."""
    record, file = _owner(runs, path)
    return record is not None and file is not None and restore(runs, record, file)


def tell_damages(runs: RunFiles, paths: Iterable[Path]) -> None:
    """Tell the user what can be done about damaged files."""
    for path in sorted(paths):
        record, _ = _owner(runs, path)
        if record is not None and not _is_read_again(runs, record):
            say_once(str(advised(runs, record, diagnosed(path))))


def advised(runs: RunFiles, record: RunRecord, damage: DamagedFile) -> DamagedFile:
    """The damage, with what can be done about it."""
    store = runs.folder.parent
    if damage.path in (runs.path(record.id, file) for file in (RunFile.CHANGES, *CARRIED_FILES.values())):
        remedy = "the next run rebuilds it"
    elif damage.path == runs.navigation(record.id):
        remedy = f"`rdfcrawl navigation {record.id} --store {store}` makes it again"
    elif (store / "archive" / f"{record.observed}.warc.gz").exists():
        remedy = (
            f"`rdfcrawl run {runs.model(record.id)} --replay run:{record.id} --store {store}` "
            "reads the run again from its archive"
        )
    else:
        remedy = f"run {record.id} has no archive to read it from again; only a backup can restore the file"
    return DamagedFile(damage.path, damage.reason, damage.line, remedy)


def _owner(runs: RunFiles, path: Path) -> tuple[RunRecord | None, RunFile | None]:
    """The run that a file belongs to, and which of its files it is."""
    run = int(path.name.partition(".")[0])
    return runs.find_record(run), next((file for file in RunFile if runs.path(run, file) == path), None)


def _is_read_again(runs: RunFiles, record: RunRecord) -> bool:
    """Whether another run has replayed the archive of this one, so that this one is not missed."""
    return any(
        other.observed == record.observed
        and other.order > record.order
        and other.state is RunState.COMPLETE
        and record.addresses <= other.addresses
        for other in runs.records()
    )


def _copies(runs: RunFiles, record: RunRecord, file: RunFile, target: Path) -> Iterator[str]:
    """Write possible copies of a file to ``target``, one after the other; yields where each is from."""
    store = runs.folder.parent
    if file is RunFile.CHANGES and _write_indexed(Index(store / "changes"), record.iri, target):
        yield "the index of the changes"
    if file is RunFile.GRAPH and _write_indexed(Index(store / "data"), record.iri, target):
        yield "the index"
    if file is RunFile.LINKS and _write_indexed(Index(store / "data"), links_iri(record.id), target):
        yield "the index"
    if file is RunFile.DERIVED and _write_indexed(Index(store / "data"), derived_iri(record.id), target):
        yield "the index"
    if file in _READ_AGAIN:
        name = _READ_AGAIN[file]
        for other in runs.records():
            path = runs.path(other.id, file)
            if other.observed == record.observed and other.id != record.id and not find_damage(path):
                copy = GraphFile.of(name(record.id), path, written=name(other.id))
                with target.open("wb") as lines:
                    lines.writelines(copy.renamed(line + b"\n") for line in read_lines(copy.path))
                yield f"run {other.id}, which replayed its archive"


def _write_indexed(index: Index, graph: str, target: Path) -> bool:
    """Write the lines of a graph from an index; returns whether the index has it."""
    triples = target.with_suffix(".nt")
    try:
        with index.read() as reader:
            if graph not in reader.held.graphs:
                return False
            reader.store.dump(triples, ox.RdfFormat.N_TRIPLES, from_graph=ox.NamedNode(graph))
    except (StoreError, OSError, RuntimeError):
        # An index that is missing, or broken as well, has no copy.
        return False
    with triples.open("rb") as lines, target.open("wb") as file:
        file.writelines(line.removesuffix(b" .\n") + ending(graph) + b"\n" for line in lines)
    return True
