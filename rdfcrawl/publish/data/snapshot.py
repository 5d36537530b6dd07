"""One state of a store, open for reading; and the successor that takes its place when a run has finished."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cached_property
from typing import TypeVar

import pyoxigraph as ox

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from rdfcrawl.publish.data.run_times import RunTimes
from rdfcrawl.publish.data.schema import Schema, make_schema
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.folder import Store
from rdfcrawl.store.index import Index, Reader
from rdfcrawl.store.query.prepare import known_prefixes
from rdfcrawl.store.runs.record import RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SnapshotVersion:
    """What a snapshot depends on: the generations of both indexes, and the folder of the run files."""

    data: int
    changes: int
    files: int


class Snapshot:
    """Everything that pages are made of, in one state. Costly results are computed once and kept in ``kept``."""

    def __init__(self, files: RunFiles, data: Reader, changes: Reader, version: SnapshotVersion) -> None:
        self.files = files
        self.data = data
        self.changes = changes
        self.version = version
        self.records: Sequence[RunRecord] = files.records()
        self.by_id: Mapping[int, RunRecord] = {record.id: record for record in self.records}
        self.kept: dict[object, object] = {}
        self.prepared = threading.Event()
        """Is set when what readers would have to wait for has been prepared, or could not be."""
        self._locks: dict[object, threading.Lock] = {}

    @cached_property
    def graphs(self) -> tuple[ox.NamedNode, ...]:
        """The graphs that make up the current state."""
        return tuple(ox.NamedNode(graph) for graph in self.data.held.default)

    @cached_property
    def complete(self) -> Sequence[RunRecord]:
        """The complete runs that still have a graph, in the order in which they saw the site."""
        held = self.data.held.graphs
        found = (record for record in self.records if record.state is RunState.COMPLETE and record.iri in held)
        return sorted(found, key=lambda record: record.order)

    @cached_property
    def current(self) -> Sequence[RunRecord]:
        """The runs that are the latest of some section, newest first."""
        return [self.by_id[found.run] for found in current_runs(self.complete)]

    @cached_property
    def items(self) -> frozenset[str]:
        """The predicates that lead to objects, in all runs."""
        return frozenset(name for record in self.records for name in record.model.predicates.items)

    @cached_property
    def properties(self) -> frozenset[str]:
        """The predicates of values, in all runs."""
        return frozenset(name for record in self.records for name in record.model.predicates.properties)

    @cached_property
    def schema(self) -> Schema:
        """What the models of the current runs say, and what earlier ones left behind."""
        models = (self.model(record) for record in self.current)
        known = [model for model in models if model is not None]
        return make_schema(known, known_prefixes(self.records), self.properties)

    @cached_property
    def times(self) -> RunTimes:
        """When each run began, in words that tell them apart."""
        return RunTimes.of(self.records)

    def before(self, record: RunRecord) -> Sequence[RunRecord]:
        """The complete runs before a run, oldest first."""
        return [earlier for earlier in self.complete if earlier.order < record.order]

    @property
    def modified(self) -> datetime:
        """When the newest complete run ended, or something that a run suspected was accepted."""
        return max((changed_at(record) for record in self.complete), default=datetime.fromtimestamp(0, UTC))

    def model(self, record: RunRecord) -> Model | None:
        """The model that a run used; ``None`` if its copy can no longer be read."""

        def load() -> Model | None:
            try:
                return load_model(self.files.model(record.id))
            except (RdfcrawlError, OSError) as error:
                _log.warning("the model of run %s cannot be read: %s", record.id, error)
                return None

        return self.keep(("model", record.model.digest), load)

    def keep(self, key: object, find: Callable[[], T]) -> T:
        """What was found for a key before, otherwise what ``find`` finds now."""
        if key not in self.kept:
            # One lock for each key: who waits for one thing should not keep others from another.
            with self._locks.setdefault(key, threading.Lock()):
                if key not in self.kept:
                    self.kept[key] = find()
        return self.kept[key]  # type: ignore[return-value]

    def keep_within(self, key: object, find: Callable[[], T], seconds: float) -> T | None:
        """The same; ``None`` if somebody else is still looking for it after so many seconds."""
        lock = self._locks.setdefault(key, threading.Lock())
        if key not in self.kept:
            if not lock.acquire(timeout=seconds):
                return None
            lock.release()
        return self.keep(key, find)


class Snapshots:
    """The current snapshot of a store; readers of an old one keep it open until they are done."""

    def __init__(self, store: Store, prepare: Callable[[Snapshot], None] = lambda _: None) -> None:
        if not (isinstance(store.data, Index) and isinstance(store.changes, Index)):
            raise UsageError("serve reads from a folder; a SPARQL endpoint publishes what it stores itself")
        self._store = store
        self._indexes = store.data, store.changes
        self._prepare = prepare
        self._lock = threading.Lock()
        self._users: dict[Snapshot, int] = {}
        self._stacks: dict[Snapshot, ExitStack] = {}
        self._current = self._open()

    @contextmanager
    def using(self) -> Iterator[Snapshot]:
        """The current snapshot, which stays open for as long as it is used."""
        with self._lock:
            snapshot = self._current
            self._users[snapshot] += 1
        try:
            yield snapshot
        finally:
            self._release(snapshot)

    def follow(self) -> bool:
        """Catch up with the store; returns whether anything has changed."""
        if self._version() == self._current.version:
            return False
        successor = self._open(self._current)
        with self._lock:
            old, self._current = self._current, successor
        self._release(old)
        return True

    def close(self) -> None:
        """Close the store."""
        self._release(self._current)

    def _open(self, before: Snapshot | None = None) -> Snapshot:
        version = self._version()
        with ExitStack() as stack:
            changes = stack.enter_context(self._store.read(self._indexes[1]))
            if any(graph not in self._indexes[0].held().graphs for graph in changes.held.graphs):
                # The run whose changes are here may just be loaded by somebody else; who sees the one sees the other.
                self._store.refresh_to_read(self._indexes[0])
            data = stack.enter_context(self._store.read(self._indexes[0]))
            # Bringing an index up to date publishes a generation itself.
            opened = SnapshotVersion(data.generation, changes.generation, version.files)
            snapshot = Snapshot(self._store.runs, data, changes, opened)
            if before and (before.version.data, before.version.changes) == (opened.data, opened.changes):
                # A run has begun; of what is published nothing is different.
                snapshot.kept.update(before.kept)
            if before is not None:
                # Those who read the one before can go on with it; of the first one, most can be read at once.
                self._prepare(snapshot)
            self._stacks[snapshot] = stack.pop_all()
        self._users[snapshot] = 1
        return snapshot

    def _release(self, snapshot: Snapshot) -> None:
        with self._lock:
            self._users[snapshot] -= 1
            finished = self._users[snapshot] == 0
            if finished:
                del self._users[snapshot]
                stack = self._stacks.pop(snapshot)
        if finished:
            stack.close()

    def _version(self) -> SnapshotVersion:
        folder = self._store.runs.folder
        changed = folder.stat().st_mtime_ns if folder.is_dir() else 0
        return SnapshotVersion(self._indexes[0].generation(), self._indexes[1].generation(), changed)


def ended_at(record: RunRecord) -> datetime:
    """When a run ended; for one that has not, when it began."""
    return record.ended or record.started


def changed_at(record: RunRecord) -> datetime:
    """When what is known of a run last changed: at its end, or when something that it suspected was accepted."""
    return max((ended_at(record), *(one.accepted for one in record.suspicions if one.accepted is not None)))
