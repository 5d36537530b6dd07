"""The lane without a crawl: triples into the store, the diff of two graphs, a page of results from ``serve``."""

from __future__ import annotations

import gzip
import re
import shutil
import statistics
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from measuring.environments import HERE
from measuring.measured import Failed, measure
from measuring.results import Lane, Ratio
from measuring.tools import RDFCRAWL, emptied
from sites.shop import Shop

from lane.crawl_lanes import open_shop

REQUESTS = 50
ACCEPT = {"Accept": "text/html, application/sparql-results+json"}
ASK = "ASK { ?s ?p ?o }"
RESULTS_PAGE = """
SELECT ?article ?name ?price WHERE {
  GRAPH ?run { ?article <property://article/name> ?name ; <property://article/price> ?price }
} ORDER BY ?name LIMIT 50
"""


def store_lane(objects: int, rounds: int, work: Path) -> Lane:
    """Lane 5: what the store takes to be loaded, compared and asked."""
    place = emptied(work / "rdfcrawl")
    with open_shop(Shop(objects), emptied(work / "pages")) as site:
        RDFCRAWL.crawl(site.start, place)
    quads = work / "run.nq"
    with gzip.open(RDFCRAWL.result(place)) as packed, quads.open("wb") as plain:
        shutil.copyfileobj(packed, plain)
    with quads.open("rb") as lines:
        triples = sum(1 for _ in lines)
    own, peer = _load_alternating(place, quads, rounds, work)
    loading = _ratio("rdfcrawl's loading time / oxigraph load's", own, peer)
    compared, figures = _diff_against_comm()
    with _serving([sys.executable, "-m", "rdfcrawl", "serve", "--port", "0", "--store", str(place / "store")]) as home:
        pages = {
            "the home page": home,
            "the list of articles": f"{home}class?{urllib.parse.urlencode({'item': 'item://article'})}",
            "50 rows by SPARQL": f"{home}sparql?{urllib.parse.urlencode({'query': RESULTS_PAGE})}",
        }
        served = {f"serve: {name}": _milliseconds(address) for name, address in pages.items()}
    return Lane(
        name="store",
        title="Store, diff and pages",
        site=f"{objects:,} articles, {triples:,} triples",
        rounds=rounds,
        ratios=(loading, compared),
        figures={
            "into the store": _rate(triples, own),
            "into Oxigraph with its own command": _rate(triples, peer),
            **figures,
            **served,
        },
        notes=("Loading: the index is deleted, and the next query makes it anew from the run files.",),
    )


def _load_alternating(place: Path, quads: Path, rounds: int, work: Path) -> tuple[list[float], list[float]]:
    """Seconds to load the same triples with rdfcrawl and with Oxigraph's own command, start-up included in both."""
    oxigraph = str(Path(sys.executable).parent / "oxigraph")
    own: list[float] = []
    peer: list[float] = []
    for number in range(rounds):
        # A query opens the data alone, so that only their index is made anew.
        shutil.rmtree(place / "store" / "data")
        query = [sys.executable, "-m", "rdfcrawl", "query", ASK, "--store", str(place / "store")]
        own.append(measure(query, work=work).seconds)
        target = emptied(work / "oxigraph")
        load = [oxigraph, "load", "--location", str(target), "--file", str(quads)]
        peer.append(measure(load, work=work).seconds)
        print(f"  round {number + 1}: rdfcrawl {own[-1]:.2f} s, oxigraph load {peer[-1]:.2f} s", flush=True)
    return own, peer


def _diff_against_comm() -> tuple[Ratio, dict[str, str]]:
    """What the benchmark of the diff says; it holds itself to its own bounds."""
    command = [sys.executable, str(HERE / "diff_against_comm.py")]
    output = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    figures = dict(line.split(maxsplit=1) for line in output.splitlines() if line.strip())
    found = re.search(r"([\d.]+) times comm", output)
    if found is None:
        raise Failed(f"{' '.join(command)} has no result:\n{output}")
    value = float(found[1])
    return Ratio("the diff's time / comm's, of the fastest rounds", value, value, value), {
        f"diff of a million triples, {name}": value for name, value in figures.items()
    }


@contextmanager
def _serving(command: list[str]) -> Iterator[str]:
    """Start a server that says its address on its first line of output; gives the address."""
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        found = re.search(r"http://\S+", process.stderr.readline())
        if found is None:
            raise SystemExit(f"{' '.join(command)} did not say its address")
        yield found[0]
    finally:
        process.terminate()
        process.wait()


def _milliseconds(address: str) -> str:
    """How long the address takes to answer, asked again and again."""
    taken = []
    for _ in range(REQUESTS):
        begun = time.perf_counter()
        with urllib.request.urlopen(urllib.request.Request(address, headers=ACCEPT)) as answer:
            answer.read()
        taken.append((time.perf_counter() - begun) * 1000)
    taken.sort()
    return f"{statistics.median(taken):.1f} ms (95 of 100 within {taken[int(REQUESTS * 0.95)]:.1f} ms)"


def _ratio(what: str, more: list[float], less: list[float]) -> Ratio:
    each = [a / b for a, b in zip(more, less, strict=True)]
    return Ratio(what, statistics.median(more) / statistics.median(less), min(each), max(each))


def _rate(triples: int, seconds: list[float]) -> str:
    fastest, slowest = triples / min(seconds), triples / max(seconds)
    return f"{triples / statistics.median(seconds):,.0f} triples/s (from {slowest:,.0f} to {fastest:,.0f})"
