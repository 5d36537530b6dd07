"""What the lanes find, as values: runs, their medians, ratios with their spread, and the goals they are held to."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results"


@dataclass(frozen=True, slots=True)
class Run:
    """One run of one tool."""

    seconds: float
    cpu: float
    megabytes: float
    requests: int


@dataclass(frozen=True, slots=True)
class Series:
    """All runs of one tool in a lane; ``pages`` is what one run reads, ``lines`` what its user wrote."""

    name: str
    version: str
    lines: int
    pages: int
    runs: tuple[Run, ...]

    @property
    def is_peer(self) -> bool:
        """Whether this is another tool than rdfcrawl."""
        return not self.version.startswith("rdfcrawl ")

    def median(self, what: str) -> float:
        """The median of one figure of the runs."""
        return float(statistics.median(getattr(run, what) for run in self.runs))

    def spread(self, what: str) -> tuple[float, float]:
        """The least and the greatest of one figure of the runs."""
        values = [float(getattr(run, what)) for run in self.runs]
        return min(values), max(values)


@dataclass(frozen=True, slots=True)
class Ratio:
    """How many times as much one took as another: of the medians, and in the round where it was least and greatest."""

    what: str
    value: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.what}: {self.value:.2f} (from {self.low:.2f} to {self.high:.2f})"


@dataclass(frozen=True, slots=True)
class Goal:
    """A bound and what was found."""

    claim: str
    found: float
    bound: float
    at_least: bool

    @property
    def met(self) -> bool:
        """Whether what was found is within the bound."""
        return self.found >= self.bound if self.at_least else self.found <= self.bound

    def __str__(self) -> str:
        word = "at least" if self.at_least else "at most"
        return f"{self.claim}: {self.found:.2f} ({word} {self.bound:g}), {self.verdict}"

    @property
    def verdict(self) -> str:
        """Met, or missed by how much."""
        return "met" if self.met else f"missed by {abs(self.found - self.bound) / self.bound:.0%}"


@dataclass(frozen=True, slots=True)
class Lane:
    """The whole of a lane's result; ``figures`` is what is no crawl: a text for each name."""

    name: str
    title: str
    site: str
    rounds: int
    series: tuple[Series, ...] = ()
    ratios: tuple[Ratio, ...] = ()
    goals: tuple[Goal, ...] = ()
    figures: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    date: str = field(default_factory=lambda: datetime.now(UTC).date().isoformat())
    machine: str = field(default_factory=lambda: machine())

    def write(self, folder: Path = RESULTS) -> Path:
        """Write the result as JSON; gives the file."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.name}.json"
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path

    @classmethod
    def read(cls, path: Path) -> Lane:
        """The result that ``write`` has written."""
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        series = tuple(
            Series(**(one | {"runs": tuple(Run(**run) for run in one["runs"])})) for one in found.pop("series")
        )
        ratios = tuple(Ratio(**one) for one in found.pop("ratios"))
        goals = tuple(Goal(**one) for one in found.pop("goals"))
        return cls(series=series, ratios=ratios, goals=goals, notes=tuple(found.pop("notes")), **found)


def ratio(what: str, more: Series, less: Series, figure: str = "seconds") -> Ratio:
    """How many times as much ``more`` took as ``less``; runs of the same round are compared with each other."""
    pairs = [(getattr(a, figure), getattr(b, figure)) for a, b in zip(more.runs, less.runs, strict=False)]
    each = [a / b for a, b in pairs]
    return Ratio(what, more.median(figure) / less.median(figure), min(each), max(each))


def table(lane: Lane) -> list[list[str]]:
    """The series as rows of text, the first being the heading."""
    rows = [["tool", "seconds", "pages/s", "CPU s", "peak MB", "requests", "lines written"]]
    for one in lane.series:
        low, high = one.spread("seconds")
        seconds = one.median("seconds")
        rows.append(
            [
                one.name,
                f"{seconds:.2f} ({low:.2f} to {high:.2f})",
                f"{one.pages / seconds:.0f}",
                f"{one.median('cpu'):.2f}",
                f"{one.median('megabytes'):.0f}",
                f"{one.median('requests'):,.0f}",
                f"{one.lines}",
            ]
        )
    return rows


def as_text(lane: Lane) -> str:
    """The result for the terminal."""
    lines = [f"{lane.title} ({lane.site})"]
    rows = table(lane) if lane.series else []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))] if rows else []
    lines += ["  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    lines += [f"  {name}: {value}" for name, value in lane.figures.items()]
    for group in (lane.ratios, lane.goals, lane.notes):
        lines += [f"  {one}" for one in group]
    return "\n".join(lines)


def alternate(names: Sequence[str], rounds: int) -> list[tuple[int, str]]:
    """Who runs when: in each round everybody once, beginning with another one each time."""
    return [(number, names[(number + offset) % len(names)]) for number in range(rounds) for offset in range(len(names))]


def machine() -> str:
    """The machine in one line."""
    model = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    cores = len(os.sched_getaffinity(0))
    processor = model[1].strip() if model else platform.machine()
    return f"{cores} cores of {processor}, {memory:.0f} GB memory, Python {platform.python_version()}"
