"""How much the browser costs where it is not needed: 200 pages of which 5 need it, ``auto`` against ``browser``.

``python benchmarks/auto_against_browser.py [--objects 196] [--scripted 0.045]`` prints the ratio of one alternating
series in one run, and whether both gave the same triples.
"""

from __future__ import annotations

import argparse
import gzip
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from server import served
from shop import MODEL, Shop, write


def crawl(model: Path, store: Path, engine: str) -> tuple[float, bytes]:
    """Seconds of one run, and its graph without the run's name."""
    begun = time.monotonic()
    command = [sys.executable, "-m", "rdfcrawl", "run", str(model), "--store", str(store), "--engine", engine]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    seconds = time.monotonic() - begun
    [graph] = [path for path in (store / "runs").glob("*.nq.gz") if "carried" not in path.name]
    name = graph.name.removesuffix(".nq.gz")
    return seconds, gzip.decompress(graph.read_bytes()).replace(f"run://{name}".encode(), b"")


def main() -> None:
    """Alternate the two engines and compare."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--objects", type=int, default=196)
    parser.add_argument("--scripted", type=float, default=0.045)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    shop = Shop(options.objects, scripted=options.scripted)
    need = sum(shop.needs_script(article) for article in range(shop.objects))
    seconds: dict[str, list[float]] = {"auto": [], "browser": []}
    graphs: set[bytes] = set()
    with tempfile.TemporaryDirectory(prefix="rdfcrawl-bench-") as work:
        Path(work).chmod(0o755)
        write(shop, Path(work) / "pages")
        with served(Path(work) / "pages") as (address, _):
            model = Path(work) / "shop.ttl"
            model.write_text(MODEL.format(start=f"{address}/list/0"))
            for number in range(options.rounds):
                for engine, taken in seconds.items():
                    took, graph = crawl(model, Path(work) / f"{engine}-{number}", engine)
                    taken.append(took)
                    graphs.add(graph)
    medians = {engine: statistics.median(taken) for engine, taken in seconds.items()}
    print(f"{shop.pages} pages, {need} need a script; the graphs are {'the same' if len(graphs) == 1 else 'DIFFERENT'}")
    for engine, taken in seconds.items():
        print(f"{engine:8} {medians[engine]:6.1f} s (from {min(taken):.1f} to {max(taken):.1f})")
    print(f"auto is {medians['browser'] / medians['auto']:.1f} times faster")


if __name__ == "__main__":
    main()
