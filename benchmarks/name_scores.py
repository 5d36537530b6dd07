"""What scoring names costs at the end of a run: its share of the run's time, and memory.

    .venv/bin/python benchmarks/name_scores.py [--pages 10000] [--names 20]

Makes a site of that many pages with that many names each, crawls it from a folder, and prints both times of the one
run: as they passed, and of the processor, which other work on the machine disturbs less.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rdfcrawl.engine.run import derived, finish
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.recognise.lists.files import name_list
from rdfcrawl.store.files.lines import count_lines
from rdfcrawl.store.folder import open_store

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix recognise: <recognise://> .
<model:> :section <http://uni.example/index.html> .
<http://uni.example/index.html> :page <page://list> .
<page://list> :type type:links ; :path "//li/a" ; :target <page://person> .
<page://person> :type type:object ; :item <item://page> .
<item://page> :path "//main" ; :property <property://name> .
<property://name> :path "." ; :recognise recognise:person ; :optional true .
"""
FILLER = "the members of the group work on questions of search and language and write about what they found " * 3


def write_site(folder: Path, pages: int, names: int) -> None:
    """A start page with links to all others, each a list of names with some text."""
    chance = random.Random(1)
    site = folder / "uni.example"
    site.mkdir(parents=True)
    listed = name_list(None)
    counted = [(word, *listed.counts(word)) for word in listed.words if word.isalpha() and len(word) > 3]
    given = [word.capitalize() for word, first, last in counted if first > 200 and first > 3 * last]
    family = [word.capitalize() for word, first, last in counted if last > 30 and last > 3 * first]
    links = "".join(f'<li><a href="{page}.html">{page}</a></li>' for page in range(pages))
    (site / "index.html").write_text(f"<html><body><ul>{links}</ul></body></html>")
    people = [f"{chance.choice(given)} {chance.choice(family)}" for _ in range(2 * pages)]
    for page in range(pages):
        rows = "".join(f"<li>{name}</li>" for name in chance.sample(people, names))
        (site / f"{page}.html").write_text(f"<html><body><main><p>{FILLER}</p><ul>{rows}</ul></main></body></html>")


def processor() -> float:
    """The seconds that the processor has worked for this process and for those of it that have ended."""
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime


def timed(function: Callable[..., Any], spent: list[float]) -> Callable[..., Any]:
    """The function, adding up the seconds that it takes."""

    def measured(*arguments: Any) -> Any:
        before, started, worked = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.perf_counter(), processor()
        try:
            return function(*arguments)
        finally:
            spent.extend((time.perf_counter() - started, processor() - worked))
            after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
            print(f"memory of the process: {before / 1024:.0f} MB before scoring, at most {after / 1024:.0f} MB")

    return measured


def main() -> None:
    """Crawl the site and print what scoring took."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=10_000)
    parser.add_argument("--names", type=int, default=20)
    arguments = parser.parse_args()
    spent: list[float] = []
    finish.write_derived = timed(derived.write_derived, spent)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_site(folder / "site", arguments.pages, arguments.names)
        (folder / "model.ttl").write_text(MODEL)
        store = open_store(folder / "store")
        started, worked = time.perf_counter(), processor()
        options = RunOptions(replay=str(folder / "site"), record=False)
        report = asyncio.run(run_model(load_model(folder / "model.ttl"), store, options))
        whole, work = time.perf_counter() - started, processor() - worked
        triples = count_lines(store.runs.derived(report.record.id))
    print(f"{arguments.pages:,} pages, {report.record.counts.triples:,} triples of the run, {triples:,} derived")
    for what, total, scoring in (("time", whole, spent[0]), ("processor time", work, spent[1])):
        crawl = total - scoring
        print(f"{what}: crawl {crawl:.1f} s, scoring {scoring:.1f} s, {scoring / crawl:.1%} of it")


if __name__ == "__main__":
    main()
