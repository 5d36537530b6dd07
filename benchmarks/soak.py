"""Crawls a site that fails in every way, run after run for half an hour: memory and open files must stay flat.

``python benchmarks/soak.py --minutes 30``. Every run has the same faults at other pages; after each one the process's
memory, its open files, and what the run lost or falsely removed are written as one line.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import os
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.versioning.changes import ChangeKind
from rdfcrawl.versioning.recording import record_changes
from tests.crawling import unloaded_store
from tests.faults.faulty_server import FAULTS, FaultySite, faulty_site

THINGS = 400
LIMITS = RunLimits(response_seconds=2.0, body_bytes=1_000_000, aside_seconds=0.05)
WARM_UP = 3


@dataclass(slots=True)
class Soak:
    """What is counted over all runs."""

    runs: int = 0
    pages: int = 0
    faults: int = 0
    removed: int = 0
    lost: int = 0
    memory: list[float] = field(default_factory=list)
    files: list[int] = field(default_factory=list)

    def line(self, seconds: float) -> str:
        """How it stands."""
        return (
            f"{seconds / 60:6.1f} min  run {self.runs:4}  {self.pages:7,} pages  {self.pages / seconds:6.1f} pages/s  "
            f"{self.faults:6,} faults  {self.memory[-1]:6.1f} MiB  {self.files[-1]:3} open files  "
            f"{self.lost} lost  {self.removed} falsely removed"
        )


def resident_mebibytes() -> float:
    """The memory that the process holds now; where the system does not say, the most that it ever held."""
    status = Path("/proc/self/statm")
    if status.exists():
        return int(status.read_text().split()[1]) * resource.getpagesize() / 1024**2
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def faults_of(number: int) -> Iterator[tuple[str, str]]:
    """One page for every fault, others in each run."""
    for position, fault in enumerate(FAULTS):
        yield f"/thing/{(number * 17 + position * 23) % THINGS}", fault


async def soak(minutes: float, site: FaultySite, folder: Path) -> Soak:
    """Crawl until the time is over."""
    model_path = folder / "things.ttl"
    model_path.write_text(site.turtle, encoding="utf-8")
    model, store = load_model(model_path), unloaded_store(folder / "store")
    counted = Soak()
    begun = time.monotonic()
    while time.monotonic() - begun < minutes * 60:
        site.faults = dict(faults_of(counted.runs)) if counted.runs else {}
        options = RunOptions(engine=Engine.HTTP, record=False, limits=LIMITS)
        report = await run_model(model, store, options)
        changes = await asyncio.to_thread(record_changes, store.runs, report.record.id)
        counted.runs += 1
        counted.pages += sum(report.record.counts.pages.values())
        counted.faults += len(site.faults)
        counted.removed += changes.counts.get(ChangeKind.REMOVED, 0)
        counted.lost += THINGS - report.record.counts.objects["item://thing"] - len(site.faults)
        gc.collect()
        counted.memory.append(resident_mebibytes())
        counted.files.append(len(os.listdir("/proc/self/fd")))
        print(counted.line(time.monotonic() - begun), flush=True)
    return counted


async def main(minutes: float) -> int:
    """Give 0 if memory and files stayed flat and nothing was lost."""
    with tempfile.TemporaryDirectory() as folder:
        async with faulty_site(THINGS) as site:
            counted = await soak(minutes, site, Path(folder))
    settled = counted.memory[WARM_UP:] or counted.memory
    growth = settled[-1] - settled[0]
    files = counted.files[WARM_UP:] or counted.files
    print(f"after the first {WARM_UP} runs: memory {growth:+.1f} MiB, open files {files[-1] - files[0]:+}")
    return 1 if counted.lost or counted.removed else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    sys.exit(asyncio.run(main(parser.parse_args().minutes)))
