"""The record of a run that is under way."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.run.archives import needed_archives
from rdfcrawl.engine.run.job import Job
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunRecord, RunSettings, RunState, SectionRecord


def record_of(job: Job, run: int) -> RunRecord:
    """The record of a run that has just begun or is resumed."""
    items = job.model.items()
    predicates = Predicates(
        tuple(sorted({item.predicate for item in items})),
        tuple(sorted({prop.predicate for item in items for prop in item.properties})),
    )
    return RunRecord(
        id=run,
        state=RunState.RUNNING,
        started=datetime.fromtimestamp(run, UTC),
        model=ModelUsed(job.model.digest, job.options.source, dict(job.model.prefixes), predicates),
        sections=tuple(SectionRecord(section.address, complete=False) for section in job.sections),
        settings=RunSettings(job.options.engine.value, job.replay.name if job.replay else None),
        notes=_notes(job, run),
        alerts=bool(job.model.alerts),
    )


def with_archives(job: Job, record: RunRecord, recorder: WarcRecorder | None) -> RunRecord:
    """The record with the archives of other runs that this one needs."""
    return replace(record, needed_archives=needed_archives(job.store, record, recorder))


def write_abandoned(job: Job, record: RunRecord) -> None:
    """Close the record of a run that is not resumed."""
    job.store.runs.write_record(replace(record, state=RunState.ABANDONED, ended=record.end()))


def _notes(job: Job, run: int) -> dict[str, str]:
    """What was unusual about any start of the run, for readers of its record."""
    said = {
        "robots": "robots.txt was ignored" if job.options.ignore_robots else "",
        "insecure": "certificates were not verified" if job.options.insecure else "",
        "private": "private networks were allowed" if job.options.allow_private else "",
    }
    earlier = job.store.runs.find_record(run)
    return {**(earlier.notes if earlier else {}), **{name: text for name, text in said.items() if text}}
