"""What is known of a run besides its graph: when and how it ran, with which model, what it counted, what it needs.

The record is small, whatever happened in the run: every command reads those of all runs. What grows with a run is in
separate files, of which the record has the checksums.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.store.location import without_folders
from rdfcrawl.store.runs.old_record import is_old, renewed
from rdfcrawl.store.runs.suspicion import Suspicion

REPLAYED_RUN: Final = "run:"
"""How ``replay`` begins if a run was made from the archive of another one; the number of that run follows."""


NAMING: Final = 2
"""How objects are named today; 1 is by ``:id`` addresses without their fragment and by the raw texts of a ``:key``."""


class RunFile(StrEnum):
    """The files of a run that hold RDF."""

    GRAPH = "graph"
    CARRIED = "carried"
    SUSPECTED = "suspected"
    UNREAD = "unread"
    RECORD = "record"
    CHANGES = "changes"
    LINKS = "links"
    DERIVED = "derived"
    NAVIGATION = "navigation"


class CarryReason(StrEnum):
    """Why a run carries on something that it has not found: why that is not known to be gone."""

    UNREAD = "unread"
    """Its page, or the list that led to it, could not be read."""
    SUSPECTED = "suspected"
    """So much disappeared at once that a selector of the model has probably died."""


CARRIED_FILES: Final = {CarryReason.UNREAD: RunFile.CARRIED, CarryReason.SUSPECTED: RunFile.SUSPECTED}
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

    @property
    def name(self) -> str:
        """The source as it is published: of a file its name, because its folders are nobody's business."""
        return without_folders(self.source)


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How a run read the site: with which engine, and from which archive or folder if not from the network."""

    engine: str = "auto"
    replay: str | None = None


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Pages by engine, objects by the predicate that leads to them, problems by kind, and the triples of the graph.

    ``changes`` are the changes by kind, those of objects, of values and of the model apart.
    """

    pages: Mapping[str, int] = field(default_factory=dict)
    objects: Mapping[str, int] = field(default_factory=dict)
    problems: Mapping[str, int] = field(default_factory=dict)
    triples: int = 0
    changes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of one run. ``id`` is the second in which it began.

    ``needed_archives`` are the names of other runs' archives that the archive of this run refers to, ``pruned`` is when
    the run's graph was pruned, ``checksums`` are the fingerprints of the run's files as they were written, and
    ``notes`` tell people what was unusual. ``naming`` is the version of the rules that named the run's objects, and
    ``sources`` that of the rules by which the record says from which pages they were read, 0 if it does not.
    ``suspicions`` are the disappearances that the run has not believed, those that were accepted later among them.
    ``alerts`` is set if the model says whom to tell.
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
    sources: int = 0
    suspicions: tuple[Suspicion, ...] = ()
    alerts: bool = False

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
    def seconds(self) -> float:
        """How long the run took, if it has ended."""
        return (self.ended - self.started).total_seconds() if self.ended is not None else 0.0

    def end(self) -> datetime:
        """The moment at which the run ends if it ends now, which is never before it began.

        One that begins in the second in which another began is numbered, and so dated, a second later.
        """
        return max(datetime.now(UTC), self.started)

    @property
    def standing(self) -> str:
        """How far the run came, for people: one that has ended is complete only if all of its sections are."""
        if self.state is not RunState.COMPLETE or all(section.complete for section in self.sections):
            return self.state.value
        return "incomplete"

    @property
    def is_pruned(self) -> bool:
        """Whether the graph of the run was pruned."""
        return self.pruned is not None

    @property
    def open_suspicions(self) -> tuple[Suspicion, ...]:
        """The suspicions that nobody has accepted."""
        return tuple(suspicion for suspicion in self.suspicions if suspicion.is_open)

    def to_json(self) -> str:
        """The record as the text of its file."""
        values = asdict(self)
        if not self.suspicions:
            # Most runs have none, and versions that do not know them can then read the record.
            del values["suspicions"]
        if not self.alerts:
            del values["alerts"]
        return json.dumps(values, default=_jsonable, ensure_ascii=False, indent=1)

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
        values["suspicions"] = tuple(Suspicion.from_json(one) for one in values.get("suspicions", ()))
        values["checksums"] = {RunFile(name): made for name, made in values["checksums"].items()}
        return cls(**values)


def _jsonable(value: object) -> str:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"a run record cannot hold a {type(value).__name__}")
