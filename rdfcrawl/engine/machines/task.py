"""What a worker on another machine needs to know of a run, as text: model, sections, options; no secrets, no store."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.fetch.fetchers import Replay, archive_replay, folder_replay
from rdfcrawl.engine.frontier.protocol import SharedTask
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.archives import followed_archives
from rdfcrawl.engine.run.job import Job, ReadingJob, chosen_sections
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.store.runs.record import RunRecord

_TOLD = ("concurrency", "contact", "fresh", "ignore_robots", "allow_private", "insecure", "record")
"""The options that hold for all workers; what a model may have of the environment is for each machine to decide."""


@dataclass(frozen=True, slots=True)
class OfferedReading:
    """How a worker reads the pages of a run, whether they are archived, and which archives it may refer to."""

    reading: ReadingJob
    is_archived: bool
    earlier: tuple[str, ...]


def task_of(job: Job, record: RunRecord, *, is_archived: bool) -> SharedTask:
    """What workers are told of a run."""
    options, replay = job.options, job.replay
    said: dict[str, Any] = {
        "model": job.model.turtle,
        "digest": job.model.digest,
        "sections": [section.address for section in job.sections],
        "engine": options.engine.value,
        "limits": asdict(options.limits),
        "window": str(options.window) if options.window else None,
        "is_archived": is_archived,
        "earlier": [path.name for path in followed_archives(job.store, record)] if is_archived else [],
        **{name: getattr(options, name) for name in _TOLD},
    }
    if replay is not None:
        said["replay"] = {
            "name": replay.name,
            "is_archive": replay.is_archive,
            "places": [str(place.resolve()) for place in replay.places],
        }
    return SharedTask(json.dumps(said), options.limits.pages)


def offered_reading(task: str, run: int, allowed_variables: Collection[str]) -> OfferedReading:
    """What ``task_of`` told; raises ``RdfcrawlError`` where this machine cannot follow it."""
    said = json.loads(task)
    model = model_of_text(said["model"], f"the model of run {run}")
    if model.digest != said["digest"]:
        raise UsageError(f"the model of run {run} does not mean the same here; use the same version on all machines")
    options = replace(
        RunOptions(**{name: said[name] for name in _TOLD}),
        engine=Engine(said["engine"]),
        limits=RunLimits(**said["limits"]),
        window=said["window"],
        allowed_variables=tuple(allowed_variables),
    )
    sections = chosen_sections(model, said["sections"])
    reading = ReadingJob.reading(model, sections, options, _replay(said.get("replay"), run))
    return OfferedReading(reading, said["is_archived"], tuple(said["earlier"]))


def _replay(said: dict[str, Any] | None, run: int) -> Replay | None:
    if said is None:
        return None
    places = [Path(place) for place in said["places"]]
    for place in places:
        if not place.exists():
            raise UsageError(f"run {run} is read from {place}, which is not on this machine")
    return (archive_replay if said["is_archive"] else folder_replay)(said["name"], *places)
