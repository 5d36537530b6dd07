"""The lanes in which sites are crawled: static pages, script pages, mixed pages, larger and larger sites."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from measuring.compare import differences, facts_of, triples_of
from measuring.measured import Failed
from measuring.results import Goal, Lane, Ratio, Run, Series, alternate, ratio
from measuring.tools import (
    BARE,
    CRAWLEE,
    CRAWLEE_ADAPTIVE,
    RDFCRAWL,
    RDFCRAWL_BROWSER,
    SCRAPY,
    SCRAPY_PLAYWRIGHT,
    SCRAPY_RDFLIB,
    Tool,
    emptied,
)
from sites.server import served
from sites.shop import Shop, write

WARM_UP_OBJECTS = 20
SIZES = (1_000, 10_000, 100_000)
LARGEST_REPEATED = 1_000
LARGE_SITE = 10_000
LARGE_SITE_GOAL = 5.0
SMALL_SITE_GOAL = 3.5
"""How many times as fast as Scrapy a crawl of static pages is to be; start and end weigh less in a large one."""


@dataclass(frozen=True, slots=True)
class Site:
    """A shop that is being served."""

    shop: Shop
    start: str
    log: Path

    def requests(self) -> int:
        """The requests that the server has had so far."""
        return self.log.read_bytes().count(b"\n")


@contextmanager
def open_shop(shop: Shop, folder: Path) -> Iterator[Site]:
    """Write a shop and serve it."""
    write(shop, folder)
    with served(folder) as (address, log):
        yield Site(shop, f"{address}/list/0", log)


def run_once(tool: Tool, site: Site, work: Path) -> Run:
    """One measured crawl."""
    before = site.requests()
    taken = tool.crawl(site.start, work)
    return Run(taken.seconds, taken.cpu, taken.megabytes, site.requests() - before)


def crawl_alternating(tools: Sequence[Tool], shop: Shop, rounds: int, work: Path) -> tuple[dict[str, Series], str]:
    """Crawl a shop with all tools in turn; all must find the same. Gives the series by name and what was compared."""
    by_name = {tool.name: tool for tool in tools}
    runs: dict[str, list[Run]] = {name: [] for name in by_name}
    _warm_up(tools, shop, work)
    with open_shop(shop, emptied(work / "pages")) as site:
        agreement = ""
        for number, name in alternate(list(by_name), rounds):
            folder = emptied(work / name)
            runs[name].append(run_once(by_name[name], site, folder))
            print(f"  round {number + 1}: {name} {runs[name][-1].seconds:.2f} s", flush=True)
            if min(map(len, runs.values())) == 1 and max(map(len, runs.values())) == 1:
                agreement = check_agreement(tools, work)
    pages = shop.pages
    series = {name: Series(name, by_name[name].version, by_name[name].lines, pages, tuple(runs[name])) for name in runs}
    return series, agreement


def check_agreement(tools: Sequence[Tool], work: Path) -> str:
    """Compare what the tools have found; raises ``Failed`` where they do not agree."""
    first, *others = tools
    expected = facts_of(first.result(work / first.name))
    for other in others:
        if lines := differences(expected, facts_of(other.result(work / other.name))):
            raise Failed("\n".join([f"{first.name} and {other.name} do not agree:", *lines]))
    files = {tool.name: tool.result(work / tool.name) for tool in tools}
    quads = [path for path in files.values() if ".nq" in path.suffixes]
    for path in quads[1:]:
        if triples_of(path) != triples_of(quads[0]):
            raise Failed(f"{path} and {quads[0]} hold other triples")
    return f"All tools have found the same {len(expected):,} values."


def _warm_up(tools: Sequence[Tool], shop: Shop, work: Path) -> None:
    """One small crawl each, not measured: what is compiled or read from disk once is then there for everybody."""
    small = Shop(WARM_UP_OBJECTS, scripted=shop.scripted)
    with open_shop(small, emptied(work / "warm-up")) as site:
        for tool in tools:
            print(f"  warming up {tool.name}", flush=True)
            tool.crawl(site.start, emptied(work / tool.name))


def static_lane(objects: int, rounds: int, work: Path) -> Lane:
    """Lane 1: pages that need no browser."""
    shop = Shop(objects)
    found, agreement = crawl_alternating((RDFCRAWL, SCRAPY, SCRAPY_RDFLIB, BARE), shop, rounds, work)
    own = found[RDFCRAWL.name]
    scrapy = ratio("Scrapy's time / rdfcrawl's", found[SCRAPY.name], own)
    triples = ratio("Scrapy + rdflib's time / rdfcrawl's", found[SCRAPY_RDFLIB.name], own)
    minimum = ratio("rdfcrawl's CPU / aiohttp + lxml's", own, found[BARE.name], "cpu")
    wanted = LARGE_SITE_GOAL if objects >= LARGE_SITE else SMALL_SITE_GOAL
    return Lane(
        name="static",
        title="Static pages",
        site=_described(shop),
        rounds=rounds,
        series=tuple(found.values()),
        ratios=(scrapy, triples, minimum),
        goals=(
            Goal("times as fast as Scrapy with JSON lines", scrapy.value, wanted, at_least=True),
            Goal("times as fast as Scrapy with rdflib", triples.value, 5.0, at_least=True),
            Goal("times the CPU of the bare minimum", minimum.value, 1.6, at_least=False),
        ),
        notes=(agreement,),
    )


def scripted_lane(objects: int, rounds: int, work: Path) -> Lane:
    """Lane 2: articles that are only there once a script has run."""
    shop = Shop(objects, scripted=1.0)
    found, agreement = crawl_alternating((RDFCRAWL, SCRAPY_PLAYWRIGHT, CRAWLEE), shop, rounds, work)
    own = found[RDFCRAWL.name]
    ratios = tuple(ratio(f"{name}'s time / rdfcrawl's", found[name], own) for name in list(found)[1:])
    return Lane(
        name="scripted",
        title="Script pages",
        site=_described(shop),
        rounds=rounds,
        series=tuple(found.values()),
        ratios=ratios,
        goals=(Goal("times as fast as the fastest other", min(one.value for one in ratios), 1.0, at_least=True),),
        notes=(agreement,),
    )


def mixed_lane(objects: int, rounds: int, work: Path) -> Lane:
    """Lane 3: one article in twenty needs a script."""
    shop = Shop(objects, scripted=0.05)
    found, agreement = crawl_alternating((RDFCRAWL, RDFCRAWL_BROWSER, CRAWLEE_ADAPTIVE), shop, rounds, work)
    own = found[RDFCRAWL.name]
    ratios = tuple(ratio(f"{name}: time / rdfcrawl's", found[name], own) for name in list(found)[1:])
    return Lane(
        name="mixed",
        title="Mixed pages",
        site=_described(shop),
        rounds=rounds,
        series=tuple(found.values()),
        ratios=ratios,
        goals=(Goal("times as fast as the browser alone", ratios[0].value, 8.0, at_least=True),),
        notes=(agreement,),
    )


def scaling_lane(sizes: Sequence[int], rounds: int, work: Path) -> Lane:
    """Whether a page of a large site costs more than one of a small site."""
    series = [_scaled(objects, rounds if objects <= LARGEST_REPEATED else 1, work) for objects in sizes]
    smallest, largest = series[0], series[-1]
    cpu = growth("CPU per page, largest / smallest", smallest, largest, lambda run, pages: run.cpu / pages)
    time = growth("time per page, largest / smallest", smallest, largest, lambda run, pages: run.seconds / pages)
    memory = growth("peak memory, largest / smallest", smallest, largest, lambda run, _: run.megabytes)
    goals = (
        Goal("times the time per page", time.value, 1.15, at_least=False),
        Goal("times the memory", memory.value, 1.2, at_least=False),
    )
    several = len(series) > 1
    return Lane(
        name="scaling",
        title="Larger and larger sites",
        site=", ".join(f"{objects:,}" for objects in sizes) + " articles",
        rounds=rounds,
        series=tuple(series),
        ratios=(cpu, time, memory) if several else (),
        goals=goals if several else (),
        notes=(f"Sites of more than {LARGEST_REPEATED:,} articles are crawled once.",),
    )


def growth(what: str, smallest: Series, largest: Series, cost: Callable[[Run, int], float]) -> Ratio:
    """How many times as much a run of the largest site costs, by ``cost`` of a run and its pages."""
    before = [cost(run, smallest.pages) for run in smallest.runs]
    after = [cost(run, largest.pages) for run in largest.runs]
    value = statistics.median(after) / statistics.median(before)
    return Ratio(what, value, min(after) / max(before), max(after) / min(before))


def _scaled(objects: int, rounds: int, work: Path) -> Series:
    shop = Shop(objects)
    with open_shop(shop, emptied(work / "pages")) as site:
        runs = []
        for _ in range(rounds):
            runs.append(run_once(RDFCRAWL, site, emptied(work / "rdfcrawl")))
            print(f"  {objects:,} articles: {runs[-1].seconds:.2f} s", flush=True)
    return Series(f"rdfcrawl, {objects:,} articles", RDFCRAWL.version, RDFCRAWL.lines, shop.pages, tuple(runs))


def _described(shop: Shop) -> str:
    scripted = sum(shop.needs_script(article) for article in range(shop.objects))
    return f"{shop.objects:,} articles, {shop.lists:,} list pages" + (f", {scripted:,} by script" if scripted else "")
