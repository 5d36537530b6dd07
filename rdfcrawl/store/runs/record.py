"""What is known of a run besides its graph: when and how it ran, with which model, what it counted, what it needs.

The record is small, whatever happened in the run: every command reads those of all runs. What grows with a run is in
separate files, of which the record has the checksums.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.runs.old_record import is_old, renewed

REPLAYED_RUN: Final = "run:"
"""How ``replay`` begins if a run was made from the archive of another one; the number of that run follows."""


NAMING: Final = 2
"""How objects are named today; 1 is by ``:id`` addresses without their fragment and by the raw texts of a ``:key``."""


class RunFile(StrEnum):
    """The files of a run that hold RDF."""

    GRAPH = "graph"
    CARRIED = "carried"
    UNREAD = "unread"
    RECORD = "record"
    CHANGES = "changes"
    DERIVED = "derived"


class CarryReason(StrEnum):
    """Why a run carries on something that it has not found: why that is not known to be gone."""

    UNREAD = "unread"
    """Its page, or the list that led to it, could not be read."""


CARRIED_FILES: Final = {CarryReason.UNREAD: RunFile.CARRIED}
"""What a run carries on, a file for each reason. Together with its graph this is what the run knows."""


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
class Predicates:
    """The predicates that a run's model writes, by what they lead to; only these are compared."""

    items: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ModelUsed:
    """The model that a run used: where it came from, and the parts of it that are needed without reading its copy."""

    digest: str
    source: str
    prefixes: Mapping[str, str] = field(default_factory=dict)
    predicates: Predicates = Predicates()


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run read the site: with which engine, and from which archive or folder if not from the network."""

    engine: str = "auto"
    replay: str | None = None


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Pages by engine, objects by the predicate that leads to them, problems by kind, and the triples of the graph."""

    pages: Mapping[str, int] = field(default_factory=dict)
    objects: Mapping[str, int] = field(default_factory=dict)
    problems: Mapping[str, int] = field(default_factory=dict)
    triples: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of one run. ``id`` is the second in which it began.

    ``needed_archives`` are the names of other runs' archives that the archive of this run refers to, ``pruned`` is when
    the run's graph was pruned, ``checksums`` are the fingerprints of the run's files as they were written, and
    ``notes`` tell people what was unusual. ``naming`` is the version of the rules that named the run's objects.
    """

    id: int
    state: RunState
    started: datetime
    model: ModelUsed
    sections: tuple[SectionRecord, ...]
    ended: datetime | None = None
    settings: RunSettings = RunSettings()
    counts: RunCounts = field(default_factory=RunCounts)
    needed_archives: tuple[str, ...] = ()
    pruned: datetime | None = None
    checksums: Mapping[RunFile, str] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    naming: int = NAMING

    @property
    def iri(self) -> str:
        """The name of the run's graph, in the data and in the changes."""
        return run_iri(self.id)

    @property
    def addresses(self) -> frozenset[str]:
        """The addresses of the sections that the run covers."""
        return frozenset(section.address for section in self.sections)

    @property
    def observed(self) -> int:
        """The run in which the site itself was seen: another one if this run replays its archive."""
        replay = self.settings.replay or ""
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
        """Whether the graph of the run was pruned."""
        return self.pruned is not None

    def to_json(self) -> str:
        """The record as the text of its file."""
        return json.dumps(asdict(self), default=_jsonable, ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> RunRecord:
        """The record that ``to_json`` wrote, in this or the previous version."""
        values: dict[str, Any] = json.loads(text)
        if is_old(values):
            values = renewed(values)
        values.setdefault("naming", 1)
        model = values["model"]
        predicates = Predicates(*(tuple(model["predicates"][name]) for name in ("items", "properties")))
        values["model"] = ModelUsed(**{**model, "predicates": predicates})
        values["state"] = RunState(values["state"])
        for moment in ("started", "ended", "pruned"):
            values[moment] = datetime.fromisoformat(values[moment]) if values[moment] else None
        values["sections"] = tuple(SectionRecord(**section) for section in values["sections"])
        values["settings"] = RunSettings(**values["settings"])
        values["counts"] = RunCounts(**values["counts"])
        values["needed_archives"] = tuple(values["needed_archives"])
        values["checksums"] = {RunFile(name): made for name, made in values["checksums"].items()}
        return cls(**values)


def _jsonable(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a run record cannot hold a {type(value).__name__}")
