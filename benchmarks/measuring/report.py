"""Writes ``docs/benchmarks.md`` and its charts from the results: ``PYTHONPATH=benchmarks python -m measuring.report``.

What a profile shows about a figure that was missed is kept in ``benchmarks/profile.md`` and becomes part of the page.
"""

from __future__ import annotations

from pathlib import Path

from measuring.chart import chart
from measuring.results import RESULTS, Lane, table

HERE = Path(__file__).resolve().parents[1]
DOCS = HERE.parent / "docs"
PROFILE = HERE / "profile.md"
LANES = (
    "static",
    "wide",
    "scripted",
    "mixed",
    "recrawl",
    "store",
    "pages",
    "scaling",
    "survey",
    "survey-scaling",
    "workers",
)

HEAD = """\
# Benchmarks

<!-- Written by benchmarks/measuring/report.py from benchmarks/results/*.json; do not edit by hand. -->

How fast rdfcrawl is, next to what people would use instead. `make bench` measures everything anew and writes this page;
`make bench ARGS='--lane static --objects 1000'` measures one lane.

- The site is a generated shop: paged lists, articles with nested offers, tracking parameters, optional values, German
  numbers and dates, HTML with its closing tags left out. nginx serves it on loopback, in a process of its own.
- All tools read the same fields with the same XPaths, 16 requests at once over HTTP and 4 tabs in the same Chromium.
  Crawlee's adaptive crawler has one setting for both: 4.
  A script compares what they found: a lane in which two tools differ by one value ends with an error.
- The peers are in `benchmarks/peers/`, written as their users write them, with logging, throttling, robots.txt and
  other extras off; rdfcrawl keeps to robots.txt. Each has an environment of its own with pinned versions.
- rdfcrawl runs with its default settings. Its time includes recording the pages, a queue that survives being killed,
  and the triples in a store that can be asked at the end.
- The tools take turns; a ratio is one of medians, with the least and the greatest of the rounds beside it. CPU is user
  and system time of all processes of a tool. Memory is the largest sum of their resident memory, in which
  what several processes share counts once.
- Lines written: the model or the program, without blank lines, comments and docstrings.
"""


def page(lanes: list[Lane], profile: str) -> str:
    """The whole page; lanes that were not measured are left out."""
    if not lanes:
        return HEAD + "\nNothing is measured yet: run `make bench`.\n"
    parts = [HEAD, "## What was to be shown\n", _goals(lanes)]
    parts += [_section(lane) for lane in lanes]
    if profile:
        parts.append(f"## What the profile shows\n\n{profile.strip()}\n")
    return "\n".join(parts)


def write_report() -> None:
    """Write the page and the charts."""
    lanes = [Lane.read(path) for name in LANES if (path := RESULTS / f"{name}.json").exists()]
    charts = DOCS / "benchmarks"
    for lane in lanes:
        if lane.series:
            charts.mkdir(parents=True, exist_ok=True)
            (charts / f"{lane.name}.svg").write_text(chart(lane), encoding="utf-8")
    profile = PROFILE.read_text(encoding="utf-8") if PROFILE.exists() else ""
    (DOCS / "benchmarks.md").write_text(page(lanes, profile), encoding="utf-8")


def _goals(lanes: list[Lane]) -> str:
    rows = [["lane", "site", "rdfcrawl is or takes", "found", "wanted", ""]]
    for lane in lanes:
        for goal in lane.goals:
            wanted = f"at {'least' if goal.at_least else 'most'} {goal.bound:g}"
            rows.append([lane.title, lane.site, goal.claim, f"{goal.found:.2f}", wanted, goal.verdict])
    return _markdown(rows)


def _section(lane: Lane) -> str:
    rounds = "1 round" if lane.rounds == 1 else f"{lane.rounds} rounds"
    lines = [f"## {lane.title}\n", f"{lane.site}. {rounds} on {lane.date}: {lane.machine}.\n"]
    if lane.series:
        lines += [f"![{lane.title}](benchmarks/{lane.name}.svg)\n", _markdown(table(lane))]
    if lane.figures:
        lines.append(_markdown([["figure", "found"], *([name, value] for name, value in lane.figures.items())]))
    lines += [f"- {ratio}" for ratio in lane.ratios]
    if lane.notes:
        lines += ["", *lane.notes]
    versions = dict.fromkeys(one.version for one in lane.series)
    if versions:
        lines += ["", f"Versions: {'; '.join(versions)}."]
    return "\n".join(lines) + "\n"


def _markdown(rows: list[list[str]]) -> str:
    head, *rest = [f"| {' | '.join(row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * len(rows[0]), *rest, ""])


if __name__ == "__main__":
    write_report()
