"""Measures rdfcrawl next to its peers and writes the results: ``python benchmarks/lanes.py [--lane NAME]…``.

Lanes: static, wide, scripted, mixed, recrawl, store, scaling, survey, survey-scaling, workers. Each prints its figures,
keeps them as JSON in ``benchmarks/results`` and renews ``docs/benchmarks.md``. All of them
take about an hour.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lane.crawl_lanes import SIZES, mixed_lane, scaling_lane, scripted_lane, static_lane
from lane.recrawl_lane import recrawl_lane
from lane.store_lane import store_lane
from lane.survey_lane import SURVEY_SIZES, survey_lane, survey_scaling_lane
from lane.wide_lane import wide_lane
from lane.workers_lane import workers_lane
from measuring.environments import python_of, require_nginx
from measuring.measured import Failed
from measuring.report import write_report
from measuring.results import RESULTS, Lane, as_text


@dataclass(frozen=True, slots=True)
class Plan:
    """How a lane is run, the number of articles it has by default, and the environments it needs."""

    run: Callable[[int, int, Path], Lane]
    objects: int
    peers: tuple[str, ...] = ()


def _scaling(objects: int, rounds: int, work: Path) -> Lane:
    return scaling_lane([size for size in SIZES if size <= objects] or [objects], rounds, work)


def _survey_scaling(pages: int, rounds: int, work: Path) -> Lane:
    return survey_scaling_lane([size for size in SURVEY_SIZES if size <= pages] or [pages], rounds, work)


PLANS = {
    "static": Plan(static_lane, 10_000, ("bare", "scrapy", "scrapy_rdflib")),
    "wide": Plan(wide_lane, 2_000, ("scrapy",)),
    "scripted": Plan(scripted_lane, 200, ("scrapy_playwright", "crawlee")),
    "mixed": Plan(mixed_lane, 500, ("crawlee",)),
    "recrawl": Plan(recrawl_lane, 10_000),
    "store": Plan(store_lane, 10_000),
    "scaling": Plan(_scaling, SIZES[-1]),
    "survey": Plan(survey_lane, 20_000, ("scrapy",)),
    "survey-scaling": Plan(_survey_scaling, SURVEY_SIZES[-1]),
    "workers": Plan(workers_lane, 5_000),
}


def main() -> int:
    """Run the lanes of the command line; the exit code says whether all of them came to a result."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lane", action="append", choices=PLANS, help="only this lane; can be given several times")
    parser.add_argument("--objects", type=int, help="articles or pages of the site; for scaling the largest site")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--no-report", action="store_true", help="only print: keep results and page as they are")
    options = parser.parse_args()
    chosen = options.lane or list(PLANS)
    require_nginx()
    for peer in dict.fromkeys(peer for name in chosen for peer in PLANS[name].peers):
        python_of(peer)
    failures = [name for name in chosen if not _run(name, options)]
    if failures:
        print(f"No result: {', '.join(failures)}", file=sys.stderr)
    return 1 if failures else 0


def _run(name: str, options: argparse.Namespace) -> bool:
    plan = PLANS[name]
    print(f"Lane {name}", flush=True)
    with tempfile.TemporaryDirectory(prefix="rdfcrawl-bench-") as work:
        Path(work).chmod(0o755)
        try:
            lane = plan.run(options.objects or plan.objects, options.rounds, Path(work))
        except Failed as error:
            print(f"  {error}", file=sys.stderr)
            return False
    print(as_text(lane), flush=True)
    if not options.no_report:
        lane.write(RESULTS)
        write_report()
    return True


if __name__ == "__main__":
    sys.exit(main())
