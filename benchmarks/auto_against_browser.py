"""How much the browser costs where it is not needed: 200 pages of which 5 need it, ``auto`` against ``browser``.

``python benchmarks/auto_against_browser.py [--objects 196] [--scripted 0.045]`` alternates the two in one run and
prints the ratios of the medians: of the whole command, and of the crawl alone, from the first page to the loaded store
(the command also starts an interpreter and reads the model, which takes as long either way). Both must give the same
triples.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sites.server import served
from sites.shop import MODEL, Shop, write

import rdfcrawl


def crawl_here(model: str, store: str, engine: str) -> None:
    """Crawl in this process and print the seconds from the first page to the loaded store."""
    described = rdfcrawl.load_model(model)
    options = rdfcrawl.RunOptions(engine=rdfcrawl.Engine(engine))
    run = rdfcrawl.run
    begun = time.monotonic()
    asyncio.run(run(described, store=store, options=options))
    print(time.monotonic() - begun)


def crawl(model: Path, store: Path, engine: str) -> tuple[float, float, bytes]:
    """Seconds of the whole command and of the crawl, and the graph without the run's name."""
    begun = time.monotonic()
    command = [sys.executable, __file__, "--crawl", str(model), str(store), engine]
    crawled = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - begun
    [graph] = [path for path in (store / "runs").glob("*.nq.gz") if path.name.count(".") == 2]
    name = graph.name.removesuffix(".nq.gz")
    triples = gzip.decompress(graph.read_bytes()).replace(f"run://{name}".encode(), b"")
    return seconds, float(crawled.stdout), triples


def main() -> None:
    """Alternate the two engines and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=196)
    parser.add_argument("--scripted", type=float, default=0.045)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--crawl", nargs=3, metavar=("MODEL", "STORE", "ENGINE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.crawl:
        crawl_here(*options.crawl)
        return
    shop = Shop(options.objects, scripted=options.scripted)
    need = sum(shop.needs_script(article) for article in range(shop.objects))
    taken: dict[str, list[tuple[float, float]]] = {"auto": [], "browser": []}
    graphs: set[bytes] = set()
    with tempfile.TemporaryDirectory(prefix="rdfcrawl-bench-") as work:
        Path(work).chmod(0o755)
        write(shop, Path(work) / "pages")
        with served(Path(work) / "pages") as (address, _):
            model = Path(work) / "shop.ttl"
            model.write_text(MODEL.format(start=f"{address}/list/0"))
            for number in range(options.rounds):
                for engine, times in taken.items():
                    whole, crawled, graph = crawl(model, Path(work) / f"{engine}-{number}", engine)
                    times.append((whole, crawled))
                    graphs.add(graph)
    print(f"{shop.pages} pages, {need} need a script; the graphs are {'the same' if len(graphs) == 1 else 'DIFFERENT'}")
    for place, what in enumerate(("whole command", "crawl alone")):
        medians = {}
        for engine, all_times in taken.items():
            seconds = [times[place] for times in all_times]
            medians[engine] = statistics.median(seconds)
            spread = f"from {min(seconds):.1f} to {max(seconds):.1f}"
            print(f"{what}: {engine:8} {medians[engine]:6.1f} s ({spread})")
        print(f"{what}: auto is {medians['browser'] / medians['auto']:.1f} times faster")


if __name__ == "__main__":
    main()
