"""The lanes in which a whole site is surveyed: next to Scrapy, and larger and larger sites."""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from measuring.compare import Fact, differences
from measuring.measured import Failed, Taken, measure
from measuring.results import Goal, Lane, Run, Series, alternate, ratio
from measuring.tools import Peer, Tool, emptied
from sites.linked_site import LINKS, LinkedSite, start_path, write_site
from sites.server import served

from lane.crawl_lanes import growth

SURVEY_SIZES = (5_000, 20_000, 50_000)
_SITE = "<predicate://site/"


@dataclass(frozen=True, slots=True)
class SurveyTool:
    """``rdfcrawl survey`` with its default settings."""

    name: str = "rdfcrawl survey"
    lines: int = 1

    @property
    def version(self) -> str:
        """The installed version."""
        from rdfcrawl.version import VERSION

        return f"rdfcrawl {VERSION}"

    def crawl(self, start: str, work: Path) -> Taken:
        """Survey the site into the store in ``work``."""
        command = [sys.executable, "-m", "rdfcrawl", "survey", start, "--store", str(work / "store")]
        return measure(command, work=work)

    def result(self, work: Path) -> Path:
        """The folder of the run files."""
        return work / "store" / "runs"


SURVEY = SurveyTool()
CRAWL_SPIDER = Peer("Scrapy CrawlSpider", "scrapy", program="survey.py")


def survey_lane(pages: int, rounds: int, work: Path) -> Lane:
    """A survey of a whole site, with its links, next to Scrapy's spider for whole sites."""
    site = LinkedSite(pages)
    tools: Sequence[Tool] = (SURVEY, CRAWL_SPIDER)
    runs: dict[str, list[Run]] = {tool.name: [] for tool in tools}
    note = ""
    with _served(LinkedSite(100), emptied(work / "warm-up")) as (start, _):
        for tool in tools:
            tool.crawl(start, emptied(work / tool.name))
    with _served(site, emptied(work / "pages")) as (start, log):
        by_name = {tool.name: tool for tool in tools}
        for number, name in alternate(list(by_name), rounds):
            runs[name].append(_run(by_name[name], start, log, emptied(work / name)))
            print(f"  round {number + 1}: {name} {runs[name][-1].seconds:.2f} s", flush=True)
            if all(len(done) == 1 for done in runs.values()):
                note = _agreement(work)
    series = [Series(one.name, one.version, one.lines, pages, tuple(runs[one.name])) for one in tools]
    faster = ratio("the CrawlSpider's time / rdfcrawl's", series[1], series[0])
    return Lane(
        name="survey",
        title="A survey of a whole site",
        site=f"{pages:,} pages of {LINKS} links each",
        rounds=rounds,
        series=tuple(series),
        ratios=(faster,),
        goals=(Goal("times as fast as a Scrapy CrawlSpider", faster.value, 2.5, at_least=True),),
        notes=(note, "rdfcrawl has facts and links in its store at the end, the CrawlSpider has JSON lines."),
    )


def survey_scaling_lane(sizes: Sequence[int], rounds: int, work: Path) -> Lane:
    """Whether a page of a large site costs more than one of a small site."""
    series = []
    for pages in sizes:
        with _served(LinkedSite(pages), emptied(work / "pages")) as (start, log):
            runs = [_run(SURVEY, start, log, emptied(work / "survey")) for _ in range(rounds)]
        series.append(Series(f"rdfcrawl survey, {pages:,} pages", SURVEY.version, SURVEY.lines, pages, tuple(runs)))
        print(f"  {pages:,} pages: {series[-1].median('seconds'):.2f} s", flush=True)
    time = growth("time per page, largest / smallest", series[0], series[-1], lambda run, pages: run.seconds / pages)
    memory = growth("peak memory, largest / smallest", series[0], series[-1], lambda run, _: run.megabytes)
    several = len(series) > 1
    return Lane(
        name="survey-scaling",
        title="Surveys of larger and larger sites",
        site=", ".join(f"{pages:,}" for pages in sizes) + " pages",
        rounds=rounds,
        series=tuple(series),
        ratios=(time, memory) if several else (),
        goals=(
            Goal("times the time per page", time.value, 1.15, at_least=False),
            Goal("times the memory", memory.value, 1.2, at_least=False),
        )
        if several
        else (),
    )


@contextmanager
def _served(site: LinkedSite, folder: Path) -> Iterator[tuple[str, Path]]:
    write_site(site, folder)
    with served(folder) as (address, log):
        yield f"{address}{start_path()}", log


def _run(tool: Tool, start: str, log: Path, work: Path) -> Run:
    before = log.read_bytes().count(b"\n")
    taken = tool.crawl(start, work)
    return Run(taken.seconds, taken.cpu, taken.megabytes, log.read_bytes().count(b"\n") - before)


def _agreement(work: Path) -> str:
    """Compare what the two have found; raises ``Failed`` where they do not agree."""
    own = frozenset(_facts_of_run(SURVEY.result(work / SURVEY.name)))
    other = frozenset(_facts_of_lines(CRAWL_SPIDER.result(work / CRAWL_SPIDER.name)))
    if lines := differences(own, other):
        raise Failed("\n".join(["the survey and the CrawlSpider do not agree:", *lines]))
    links = sum(name == "link" for _, name, _ in own)
    return f"Both have found the same {len(own) - links:,} facts and {links:,} links."


def _facts_of_run(runs: Path) -> Iterator[Fact]:
    for file in (*runs.glob("*[0-9].nq.gz"), *runs.glob("*.links.nq.gz")):
        for line in gzip.decompress(file.read_bytes()).decode().splitlines():
            subject, predicate, value = line.rsplit(" ", 2)[0].split(" ", 2)
            name = predicate.removeprefix(_SITE).rstrip(">")
            if name in ("status", "title", "bytes"):
                yield _path(subject[1:-1]), name, value.split('"')[1]
            elif name == "link":
                yield _path(subject[1:-1]), name, _path(value[1:-1])


def _facts_of_lines(path: Path) -> Iterator[Fact]:
    with path.open(encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            page = _path(record["url"])
            yield from ((page, name, str(record[name])) for name in ("status", "title", "bytes"))
            yield from ((page, "link", _path(link["url"])) for link in record["links"] if link["url"] != record["url"])


def _path(address: str) -> str:
    return urlsplit(address).path
