"""A store: the folder of the run files, the queue and the archive, and two triple stores, data and changes.

The triple stores are copies of the run files. Opening a store brings them up to date first, so neither a crash between
writing a file and the index nor a lost index needs any care. A run file that is damaged is restored from its copy, or
left out, and the user is told.
"""

from __future__ import annotations

import logging
import os
import shutil
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import DamagedFile, StoreBusy, StoreError
from rdfcrawl.rdf.servers import NoAnswer, Refused, is_address
from rdfcrawl.store.contents import ContentsPlan, Unreadable, carry_out, plan_changes, plan_data
from rdfcrawl.store.files.lines import Advance, Keeps, count_lines, unwatched, write_sorted
from rdfcrawl.store.files.whole import (
    NOT_WRITABLE,
    fingerprint,
    is_full_disk,
    remove_leftovers,
    write_whole,
    written_whole,
)
from rdfcrawl.store.index import BrokenIndex, Index, IndexDraft, Reader
from rdfcrawl.store.location import DEFAULT_LOCATION, location_of
from rdfcrawl.store.marker import MARKER, check_format, store_name, write_marker
from rdfcrawl.store.notices import say_once
from rdfcrawl.store.preloading import Preloading
from rdfcrawl.store.runs.integrity import restore_file, tell_damages
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.unread import NOTHING_UNREAD, Unread, write_unread
from rdfcrawl.store.triples import EMPTY, Held, TripleStore

WRITER_WAIT_SECONDS = 600.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Store:
    """A store that is open; it holds no resources."""

    folder: Path
    data: TripleStore
    changes: TripleStore

    @property
    def runs(self) -> RunFiles:
        """The files of the runs."""
        return RunFiles(self.folder / "runs")

    @property
    def queue(self) -> Path:
        """The file of the frontier."""
        return self.folder / "queue.sqlite"

    @property
    def archive(self) -> Path:
        """The folder of the recorded pages."""
        return self.folder / "archive"

    def refresh(self, advance: Advance = unwatched, preloading: Preloading | None = None) -> None:
        """Bring both triple stores up to date with the run files; what is preloaded is on its way into the data."""
        for target in (self.data, self.changes):
            self.refresh_one(target, advance=advance, preloading=preloading if target is self.data else None)

    def local(self) -> Store:
        """The same runs with indexes in the folder itself, wherever else copies of them are."""
        return replace(self, data=Index(self.folder / "data"), changes=Index(self.folder / "changes"))

    @contextmanager
    def read(self, index: Index) -> Iterator[Reader]:
        """Open one of this store's indexes for reading, up to date, and rebuilt if it was broken.

        In a store that cannot be written, an index is read as it is.
        """
        self.refresh_to_read(index, wait=0.0 if index.generation() else WRITER_WAIT_SECONDS)
        try:
            reader = index.read()
        except BrokenIndex as error:
            _log.warning("%s; it is made anew from the run files", error)
            self.refresh_to_read(index, anew=True)
            reader = index.read()
        with reader:
            yield reader

    def refresh_to_read(self, index: Index, wait: float = WRITER_WAIT_SECONDS, anew: bool = False) -> None:
        """Bring an index up to date before it is read; where it cannot be written, say what it holds instead."""
        try:
            self.refresh_one(index, wait, anew)
        except OSError as error:
            if error.errno not in NOT_WRITABLE and not is_full_disk(error):
                raise
            held = index.held().graphs
            known = [record for record in self.runs.records() if record.iri in held]
            if anew or not index.generation():
                raise StoreError(
                    f"{index.location} cannot be built here, because it cannot be written ({error.strerror}): "
                    "ask the store something where it can be"
                ) from error
            last = max(known, key=lambda record: record.order, default=None)
            seen = f"up to run {last.id} of {last.started:%Y-%m-%d %H:%M}" if last else "without any run"
            say_once(f"{index.location} cannot be written ({error.strerror}); it is read as it is, {seen}")

    def refresh_one(
        self,
        target: TripleStore,
        wait: float = WRITER_WAIT_SECONDS,
        anew: bool = False,
        advance: Advance = unwatched,
        preloading: Preloading | None = None,
    ) -> None:
        """Bring one of the triple stores up to date; ``anew`` takes nothing over from what it holds.

        Without ``wait``, what another process is just doing is left to it.
        """
        prepared = preloading.draft(advance) if preloading is not None else None
        try:
            self._hold(target, wait, anew, advance, prepared)
        except (Refused, NoAnswer) as error:
            kept = f"Nothing is lost: it is kept in {self.runs.folder}, and the same command brings it there later."
            raise StoreError(f"{error}\n{kept}") from error

    def _hold(
        self, target: TripleStore, wait: float, anew: bool, advance: Advance, prepared: IndexDraft | None
    ) -> None:
        held = EMPTY if anew else target.held()
        plan = self._plan(target, held)
        if not anew and held.key == plan.key:
            tell_damages(self.runs, plan.damaged)
            return
        with target.writing(wait) as mine:
            if not mine:
                if wait:
                    raise StoreBusy(f"another process has been writing to {target.location} for {wait:.0f} seconds")
                return
            for path in plan.damaged:
                restore_file(self.runs, path)
            tell_damages(self.runs, self._bring_up_to_date(target, anew, advance, prepared))

    def _bring_up_to_date(
        self, target: TripleStore, anew: bool, advance: Advance, prepared: IndexDraft | None
    ) -> set[Path]:
        """Make a triple store hold what can be read; returns the files that cannot."""
        unreadable: set[Path] = set()
        while True:
            # Another process may have brought runs and loaded them while we waited.
            held = EMPTY if anew else target.held()
            now = self._plan(target, held, unreadable)
            try:
                if anew or held.key != now.key:
                    name = "data" if target is self.data else "changes"
                    remove_leftovers(self.folder, f"{name}-parts-")
                    with tempfile.TemporaryDirectory(prefix=f".{name}-parts-", dir=self.folder) as parts:
                        wanted = carry_out(now, Path(parts))
                        if prepared is not None and isinstance(target, Index):
                            target.hold(wanted, anew, advance, prepared)
                        else:
                            target.hold(wanted, anew, advance)
                return unreadable | set(now.damaged)
            except DamagedFile as damage:
                if damage.path in unreadable:
                    raise
                if not restore_file(self.runs, damage.path):
                    unreadable.add(damage.path)

    def _plan(self, target: TripleStore, held: Held, unreadable: Collection[Path] = ()) -> ContentsPlan:
        """What a triple store should hold; of a damaged file no more than it has already."""
        planned = plan_data if target is self.data else plan_changes
        plan = planned(self.runs, Unreadable(frozenset(unreadable), held.graphs))
        unheld = [file for file in plan.files if held.graphs.get(file.graph) != file.fingerprint]
        lost = {file.path for file in (*unheld, *plan.carried) if file.path in plan.damaged}
        return planned(self.runs, Unreadable(frozenset({*unreadable, *lost}), held.graphs)) if lost else plan


def open_folder(folder: Path, create: bool = True) -> Path:
    """Make sure that a folder is a store; a missing one is created, unless ``create`` is false."""
    if (folder / MARKER).exists():
        check_format(folder)
    elif not create and not folder.exists():
        raise StoreError(f"there is no store at {folder}: `rdfcrawl run MODEL` makes one, --store names another place")
    elif folder.exists() and not folder.is_dir():
        raise StoreError(f"{folder} is a file; a store is a folder or the address of a SPARQL endpoint")
    elif folder.exists() and any(not path.name.startswith(f".{MARKER}") for path in folder.iterdir()):
        raise StoreError(f"{folder} holds other files and is no store; name an empty or a new folder")
    else:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            write_marker(folder)
        except OSError as error:
            raise StoreError(f"no store can be made at {folder}: {error.strerror}") from error
    return folder


def open_store(location: str | Path | None = None, changes: str | None = None, create: bool = True) -> Store:
    """Open a store: a folder, or the address of a SPARQL endpoint for the data, and another one for the changes.

    A missing folder is created, unless ``create`` is false. With an endpoint, the run files, the queue and the archive
    are in ``RDFCRAWL_FOLDER`` or ``rdfcrawl-data``.
    """
    place = location_of(None if location is None else str(location))
    changes = changes or os.environ.get("RDFCRAWL_CHANGES")
    remote = is_address(place)
    if remote and changes and is_address(changes) and _is_same_server(place, changes):
        raise StoreError(f"data and changes name their graphs alike; {place} can hold only one of them")
    folder = Path(os.environ.get("RDFCRAWL_FOLDER") or DEFAULT_LOCATION) if remote else Path(place)
    open_folder(folder, create or remote)
    return Store(
        folder,
        _remote(place, folder, "data") if remote else Index(folder / "data"),
        _changes(changes, folder, place if remote else None),
    )


def _changes(location: str | None, folder: Path, data: str | None) -> TripleStore:
    if location is None:
        return Index(folder / "changes")
    if is_address(location):
        return _remote(location, folder, "changes", data)
    index = Index(Path(location))
    if index.path.exists() and not index.path.is_dir():
        raise StoreError(
            f"{index.path} is a file; changes are stored in a folder or at the address of a SPARQL endpoint"
        )
    if index.path.resolve() == (folder / "data").resolve():
        raise StoreError(f"{index.path} holds the data of this store; name another folder for its changes")
    if index.is_foreign:
        raise StoreError(f"{index.path} holds other files and no changes; name an empty or a new folder")
    return index


def _is_same_server(data: str, changes: str) -> bool:
    """Whether two addresses name one data set, however they are spelled."""
    from rdfcrawl.store.remote.endpoints import CHANGES, endpoints_of

    return endpoints_of(data).update == endpoints_of(changes, CHANGES).update


def _remote(address: str, folder: Path, name: str, data: str | None = None) -> TripleStore:
    # What asks servers takes long to import, and most stores are folders.
    from rdfcrawl.rdf.endpoint import ServerAccess
    from rdfcrawl.store.remote.endpoints import CHANGES, DATA, credentials_at, endpoints_of
    from rdfcrawl.store.remote.server import RemoteStore

    variables = DATA if name == "data" else CHANGES
    access = ServerAccess(credentials_at(address, variables, data), variables)
    owner = f"{store_name(folder)}/{name}"
    return RemoteStore(endpoints_of(address, variables), owner, folder / f"{name}.lock", access)


def write_graph(store: Store, run: int, lines: Path, keeps: Keeps | None = None, advance: Advance = unwatched) -> int:
    """Write the graph of a run, sorted, from its unsorted N-Quads, and return how many triples it has."""
    runs = store.runs
    runs.folder.mkdir(parents=True, exist_ok=True)
    remove_leftovers(runs.folder, f"{run}.")
    graph = runs.graph(run)
    # The unsorted lines may be gone when a crash came after all files were written.
    if graph.exists() and not lines.exists():
        return count_lines(graph)
    return write_sorted(lines, graph, keeps=keeps, advance=advance)


def write_links(store: Store, run: int, lines: Path, keeps: Keeps | None = None) -> None:
    """Write the links of a run, sorted, from their unsorted N-Quads; a run without any has no such file."""
    if lines.exists() and lines.stat().st_size:
        write_sorted(lines, store.runs.links(run), keeps=keeps)


def finish_run(
    store: Store,
    record: RunRecord,
    lines: Path | int,
    record_lines: Path | bytes,
    model_turtle: str,
    unread: Unread = NOTHING_UNREAD,
) -> RunRecord:
    """Make a run part of the store: write its files and bring them to its servers; returns the record as written.

    ``lines`` are the unsorted N-Quads of the run's graph, or the number of its triples if ``write_graph`` has written
    it, and ``record_lines`` those of its record. Called again after a crash, it resumes where it was: the record is the
    last of the files, and the indexes follow the files.
    """
    runs = store.runs
    triples = lines if isinstance(lines, int) else write_graph(store, record.id, lines)
    write_whole(runs.model(record.id), model_turtle.encode())
    if isinstance(record_lines, Path):
        with written_whole(runs.record_graph(record.id)) as copy, record_lines.open("rb") as source:
            shutil.copyfileobj(source, copy)
    else:
        write_whole(runs.record_graph(record.id), record_lines)
    write_unread(runs.unread(record.id), record.id, unread)
    written = [RunFile.GRAPH, RunFile.RECORD, *((RunFile.UNREAD,) if unread else ())]
    if runs.links(record.id).exists():
        written.append(RunFile.LINKS)
    if runs.derived(record.id).exists():
        written.append(RunFile.DERIVED)
    checksums = {file: fingerprint(runs.path(record.id, file)) for file in written}
    finished = replace(record, counts=replace(record.counts, triples=triples), checksums=checksums)
    runs.write_record(finished)
    for target in (store.data, store.changes):
        # An index here follows the files when it is next opened. A server may refuse, and then the run has not ended.
        if not isinstance(target, Index):
            store.refresh_one(target)
    return finished
