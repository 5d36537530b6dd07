"""Runs that a test writes as it wants them."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.ntriples import split
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.folder import open_folder
from rdfcrawl.store.runs.record import ModelUsed, Predicates, RunFile, RunRecord, RunState, SectionRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.store.runs.unread import Unread, write_unread


class WrittenRuns:
    """Runs written without a crawl, in a real store folder."""

    def __init__(self, store: Path) -> None:
        self.store = open_folder(store)
        self.files = RunFiles(store / "runs")
        self.files.folder.mkdir()

    def add(
        self,
        run: int,
        model: str,
        lines: Iterable[str],
        sections: Iterable[str] | None = None,
        unread: Unread | None = None,
        state: RunState = RunState.COMPLETE,
    ) -> RunRecord:
        """Write a run of a model (Turtle) that has found these triples in some or all of the model's sections."""
        self.files.model(run).write_text(model, encoding="utf-8")
        read = load_model(self.files.model(run))
        covered = [section.address for section in read.sections] if sections is None else sections
        quads = sorted({f"{line[:-2]} <run://{run}> .\n".encode() for line in lines})
        self.files.graph(run).write_bytes(gzip.compress(b"".join(quads), mtime=0))
        predicates = Predicates(
            tuple(sorted({item.predicate for item in read.items()})),
            tuple(sorted({prop.predicate for item in read.items() for prop in item.properties})),
        )
        checksums = {}
        if unread:
            write_unread(self.files.unread(run), run, unread)
            checksums[RunFile.UNREAD] = fingerprint(self.files.unread(run))
        record = RunRecord(
            id=run,
            state=state,
            started=datetime.fromtimestamp(run, UTC),
            model=ModelUsed(read.digest, "model.ttl", read.prefixes, predicates),
            sections=tuple(SectionRecord(address) for address in covered),
            checksums=checksums,
            alerts=bool(read.alerts),
        )
        self.files.write_record(record)
        return record

    def recorded(self, run: int) -> list[str]:
        """The changes that were recorded for a run, as triples."""
        quads = self.files.changes(run).read_text(encoding="utf-8").splitlines()
        return ["{} {} {} .".format(*split(quad)) for quad in quads]
