"""The lane in which a site is crawled again after one article in a hundred has changed."""

from __future__ import annotations

from pathlib import Path

from measuring.compare import triples_of
from measuring.measured import Failed
from measuring.results import Goal, Lane, Run, Series, ratio
from measuring.tools import RDFCRAWL, emptied
from sites.shop import Shop, write_changed

from lane.crawl_lanes import open_shop, run_once


def recrawl_lane(objects: int, rounds: int, work: Path) -> Lane:
    """Lane 4: the second run against the first, and against a first run over the changed site."""
    before, after = Shop(objects), Shop(objects, version=2)
    first: list[Run] = []
    second: list[Run] = []
    with open_shop(before, emptied(work / "pages")) as site:
        for number in range(rounds):
            store = emptied(work / "rdfcrawl")
            write_changed(before, work / "pages")
            first.append(run_once(RDFCRAWL, site, store))
            changed = write_changed(after, work / "pages")
            second.append(run_once(RDFCRAWL, site, store))
            print(f"  round {number + 1}: {first[-1].seconds:.2f} s, then {second[-1].seconds:.2f} s", flush=True)
        anew = emptied(work / "anew")
        RDFCRAWL.crawl(site.start, anew)
    if triples_of(RDFCRAWL.result(store)) != triples_of(RDFCRAWL.result(anew)):
        raise Failed("the second run has found other triples than a first run over the same site")
    series = tuple(
        Series(name, RDFCRAWL.version, RDFCRAWL.lines, before.pages, tuple(runs))
        for name, runs in (("first run", first), ("second run", second))
    )
    faster = ratio("the first run's time / the second's", series[0], series[1])
    cheaper = ratio("the second run's CPU / the first's", series[1], series[0], "cpu")
    return Lane(
        name="recrawl",
        title="The same site again",
        site=f"{objects:,} articles, {changed:,} of them changed",
        rounds=rounds,
        series=series,
        ratios=(faster, cheaper),
        goals=(
            Goal("times as fast as the first run", faster.value, 3.0, at_least=True),
            Goal("times the CPU of the first run", cheaper.value, 0.25, at_least=False),
        ),
        notes=("The second run has found the same triples as a first run over the changed site.",),
    )
