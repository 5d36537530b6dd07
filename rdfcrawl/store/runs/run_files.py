"""The files of the runs: the source of truth, from which everything else can be rebuilt.

::

    runs/ID.nq.gz           the run's graph <run://ID>: sorted, distinct lines, compressed
    runs/ID.carried.nq.gz   what the run carries on from earlier ones, because it could not see whether they are gone
    runs/ID.suspected.nq.gz what the run carries on, because so much of it disappeared at once that it is not believed
    runs/ID.unread.nq.gz    what the run could not read, if there was anything
    runs/ID.record.nq       the run's record in RDF, problems included, in the graph <record://ID>
    runs/ID.links.nq.gz     the links between the pages that the run has surveyed, in the graph <links://ID>
    runs/ID.changes.nq      the changes since the runs before, in the graph <run://ID> of the changes
    runs/ID.derived.nq.gz   what was computed from the run, the scores of names, in the graph <derived://ID>
    runs/ID.navigation.nq.gz which links of a survey are navigation, its menus and its site map, in <navigation://ID>
    runs/ID.model.ttl       the model as it was
    runs/ID.json            the record; a run without it does not exist

The record has a checksum of each file that holds RDF, so that a file which is damaged later is noticed. It has none of
the navigation: that is made and made again from the archive when somebody asks, and the record stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile, UsageError
from rdfcrawl.store.files.whole import fingerprint, write_whole
from rdfcrawl.store.marker import raise_format
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.runs.old_record import unread_within
from rdfcrawl.store.runs.record import RunFile, RunRecord, RunState
from rdfcrawl.store.runs.unread import NOTHING_UNREAD, Unread, load_unread, write_unread

_RECORD_NAME = re.compile(r"(\d+)\.json")
_LOST_RECORD = "until it is restored from a backup, the run is left out"
_RUN_NAME = re.compile(r"(?:run://)?(\d+)")


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The folder of the run files."""

    folder: Path

    def path(self, run: int, file: RunFile) -> Path:
        """One of the files of a run that hold RDF."""
        return {
            RunFile.GRAPH: self.graph,
            RunFile.CARRIED: self.carried,
            RunFile.SUSPECTED: self.suspected,
            RunFile.UNREAD: self.unread,
            RunFile.RECORD: self.record_graph,
            RunFile.CHANGES: self.changes,
            RunFile.LINKS: self.links,
            RunFile.DERIVED: self.derived,
            RunFile.NAVIGATION: self.navigation,
        }[file](run)

    def graph(self, run: int) -> Path:
        """The file of the run's graph."""
        return self.folder / f"{run}.nq.gz"

    def carried(self, run: int) -> Path:
        """The file of what the run could not see, as it was last observed."""
        return self.folder / f"{run}.carried.nq.gz"

    def suspected(self, run: int) -> Path:
        """The file of what the run has not found and does not believe to be gone."""
        return self.folder / f"{run}.suspected.nq.gz"

    def unread(self, run: int) -> Path:
        """The file of what the run could not read."""
        return self.folder / f"{run}.unread.nq.gz"

    def record_graph(self, run: int) -> Path:
        """The file of the run's record in RDF."""
        return self.folder / f"{run}.record.nq"

    def changes(self, run: int) -> Path:
        """The file of the run's changes."""
        return self.folder / f"{run}.changes.nq"

    def links(self, run: int) -> Path:
        """The file of the links between the pages that the run has surveyed."""
        return self.folder / f"{run}.links.nq.gz"

    def derived(self, run: int) -> Path:
        """The file of what was computed from the run."""
        return self.folder / f"{run}.derived.nq.gz"

    def navigation(self, run: int) -> Path:
        """The file of what was found out about the navigation of the site that the run has surveyed."""
        return self.folder / f"{run}.navigation.nq.gz"

    def model(self, run: int) -> Path:
        """The file of the model that the run used."""
        return self.folder / f"{run}.model.ttl"

    def record(self, run: int) -> Path:
        """The file of the run's record."""
        return self.folder / f"{run}.json"

    def ids(self) -> list[int]:
        """The runs that have a record, oldest first."""
        if not self.folder.is_dir():
            return []
        return sorted(int(match[1]) for path in self.folder.iterdir() if (match := _RECORD_NAME.fullmatch(path.name)))

    def read_record(self, run: int) -> RunRecord:
        """The record of one run."""
        path = self.record(run)
        try:
            return RunRecord.from_json(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise UsageError(f"there is no run {run} in {self.folder}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise DamagedFile(path, f"it is not a run record: {error}", remedy=_LOST_RECORD) from error

    def find_record(self, run: int) -> RunRecord | None:
        """The record of one run, if there is one that can be read."""
        try:
            return self.read_record(run)
        except (DamagedFile, UsageError):
            return None

    def write_record(self, record: RunRecord) -> None:
        """Write a record in place of the run's earlier one."""
        self.folder.mkdir(parents=True, exist_ok=True)
        if RunFile.UNREAD not in record.checksums and (unread := self._unread_in_record(record.id)):
            # The first versions kept it in the record, which is about to be replaced.
            write_unread(self.unread(record.id), record.id, unread)
            made = fingerprint(self.unread(record.id))
            record = replace(record, checksums={**record.checksums, RunFile.UNREAD: made})
        raise_format(self.folder.parent)
        write_whole(self.record(record.id), record.to_json().encode())

    def read_unread(self, record: RunRecord) -> Unread:
        """What a run could not read; its file must have been found intact."""
        if RunFile.UNREAD in record.checksums:
            return load_unread(self.unread(record.id))
        return self._unread_in_record(record.id)

    def has_file(self, record: RunRecord, file: RunFile) -> bool:
        """Whether a run has a file, or should have it."""
        return file in record.checksums or self.path(record.id, file).exists()

    def has_graph(self, record: RunRecord) -> bool:
        """Whether a run has a graph, or should have one."""
        is_complete = record.state is RunState.COMPLETE and not record.is_pruned
        return self.graph(record.id).exists() or (is_complete and RunFile.GRAPH in record.checksums)

    def records(self) -> list[RunRecord]:
        """All records that can be read, oldest first; the user is told of those that cannot."""
        found, lost = self._read_records()
        for damage in lost.values():
            say_once(str(damage))
        return found

    def lost_records(self) -> dict[int, DamagedFile]:
        """The runs whose records cannot be read, and why."""
        return self._read_records()[1]

    def _read_records(self) -> tuple[list[RunRecord], dict[int, DamagedFile]]:
        found, lost = [], {}
        for run in self.ids():
            try:
                found.append(self.read_record(run))
            except DamagedFile as damage:
                lost[run] = damage
            except UsageError:
                # It was removed since the folder was listed.
                continue
        return found, lost

    def _unread_in_record(self, run: int) -> Unread:
        try:
            return unread_within(self.record(run).read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError):
            return NOTHING_UNREAD

    def resolve(self, name: str) -> RunRecord:
        """The run that a number, ``run://…``, ``latest`` or ``previous`` names."""
        return resolve_run(name, self.records())


def resolve_run(name: str, records: Sequence[RunRecord]) -> RunRecord:
    """The run that a name means; ``latest`` and ``previous`` count complete runs only."""
    if match := _RUN_NAME.fullmatch(name):
        for record in records:
            if record.id == int(match[1]):
                return record
        raise UsageError(f"there is no run {match[1]}; {_known(records)}")
    positions = {"latest": 1, "previous": 2}
    if name not in positions:
        raise UsageError(f"{name!r} is not a run; a run is a number, run://NUMBER, latest or previous")
    complete = sorted((record for record in records if record.state is RunState.COMPLETE), key=lambda run: run.order)
    if len(complete) < positions[name]:
        ended = {0: "none has ended", 1: "only one has ended"}[len(complete)]
        raise UsageError(f"there is no {name} run: {ended} so far")
    return complete[-positions[name]]


def no_graph(record: RunRecord) -> str:
    """Why the graph of a run cannot be used."""
    if record.is_pruned:
        return f"the graph of run {record.id} was pruned"
    if record.state is RunState.COMPLETE:
        return f"the graph of run {record.id} is lost"
    return f"run {record.id} is {record.state}; it has no graph yet"


def _known(records: Sequence[RunRecord]) -> str:
    if not records:
        return "there are no runs yet"
    names = ", ".join(str(record.id) for record in records[-5:])
    return f"the runs are {names}" if len(records) <= 5 else f"the latest are {names}"
