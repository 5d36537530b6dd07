"""What is known of a run beside its graph: when, with which model, how complete, and what could not be read."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from rdfcrawl.rdf.graphs import run_iri

REPLAYED_RUN: Final = "run:"
"""How ``replay`` begins where a run was made from the archive of another one; its number follows."""

PRUNED: Final = "pruned"
"""The note that a run's graph was given up, and when."""

_NEEDED_ARCHIVES: Final = "needed archives"


class RunFile(StrEnum):
    """The files of a run that hold RDF."""

    GRAPH = "graph"
    CARRIED = "carried"
    RECORD = "record"
    CHANGES = "changes"


class RunState(StrEnum):
    """How far a run has come."""

    RUNNING = "running"
    STOPPED = "stopped"
    COMPLETE = "complete"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class SectionRecord:
    """How much of a section a run has read; ``reasons`` counts what kept it from being complete."""

    address: str
    complete: bool = True
    objects: int = 0
    reasons: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Unread:
    """What a run did not get to see, so that its absence says nothing.

    ``objects`` are the IRIs of objects whose own page could not be read; ``lists`` are pairs of an
    enclosing object (or section) and the predicate to the objects of a list that was not read to its end.
    """

    objects: tuple[str, ...] = ()
    lists: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Predicates:
    """The predicates that a run's model writes, by what they lead to; only these are compared."""

    items: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of one run. ``id`` is the second in which it began.

    ``checksums`` are the fingerprints of the run's files, as they were written.
    """

    id: int
    state: RunState
    started: datetime
    model_digest: str
    model_source: str
    sections: tuple[SectionRecord, ...]
    ended: datetime | None = None
    engine: str = "auto"
    replay: str | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)
    predicates: Predicates = Predicates()
    pages: Mapping[str, int] = field(default_factory=dict)
    objects: Mapping[str, int] = field(default_factory=dict)
    problems: Mapping[str, int] = field(default_factory=dict)
    triples: int = 0
    unread: Unread = Unread()
    notes: Mapping[str, str] = field(default_factory=dict)
    checksums: Mapping[RunFile, str] = field(default_factory=dict)

    @property
    def iri(self) -> str:
        """The name of the run's graph, in the data and in the changes."""
        return run_iri(self.id)

    @property
    def observed(self) -> int:
        """The run in which the site itself was seen: another one, where this run replays its archive."""
        replay = self.replay or ""
        return int(replay.removeprefix(REPLAYED_RUN)) if replay.startswith(REPLAYED_RUN) else self.id

    @property
    def seen_at(self) -> datetime:
        """When the site looked like this: a replay of a run is as old as that run."""
        return self.started if self.observed == self.id else datetime.fromtimestamp(self.observed, UTC)

    @property
    def order(self) -> tuple[int, int]:
        """The place of this run among others, by when the site was seen and then by when it was read."""
        return self.observed, self.id

    @property
    def is_pruned(self) -> bool:
        """Whether the graph of the run was given up."""
        return PRUNED in self.notes

    @property
    def needed_archives(self) -> frozenset[str]:
        """The names of other runs' archives that the archive of this run refers to."""
        return frozenset(self.notes.get(_NEEDED_ARCHIVES, "").split())

    def with_needed_archives(self, names: Iterable[str]) -> RunRecord:
        """The record with a note of these archives."""
        notes = {name: note for name, note in self.notes.items() if name != _NEEDED_ARCHIVES}
        needed = " ".join(sorted(names))
        return replace(self, notes={**notes, _NEEDED_ARCHIVES: needed} if needed else notes)

    def to_json(self) -> str:
        """The record as the text of its file."""
        return json.dumps(asdict(self), default=_jsonable, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> RunRecord:
        """The record that ``to_json`` wrote."""
        values: dict[str, Any] = json.loads(text)
        values["state"] = RunState(values["state"])
        values["started"] = datetime.fromisoformat(values["started"])
        values["ended"] = datetime.fromisoformat(values["ended"]) if values["ended"] else None
        values["sections"] = tuple(SectionRecord(**section) for section in values["sections"])
        values["predicates"] = Predicates(*(tuple(values["predicates"][name]) for name in ("items", "properties")))
        unread = values["unread"]
        values["unread"] = Unread(
            tuple(unread["objects"]), tuple((parent, predicate) for parent, predicate in unread["lists"])
        )
        values["checksums"] = {RunFile(name): made for name, made in values.get("checksums", {}).items()}
        return cls(**values)


def _jsonable(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a run record cannot hold a {type(value).__name__}")
