"""How much memory a long crawl takes: resident megabytes while 20,000 generated pages are read.

``python benchmarks/crawl_memory.py [--objects 20000]``; nginx serves the pages on loopback.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sites.server import served
from sites.shop import MODEL, Shop, write

EARLY_PAGES = 2000


def resident_megabytes(process: int) -> float:
    """The resident memory of a process now."""
    pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Crawl, watch, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=int, default=20_000)
    shop = Shop(parser.parse_args().objects)
    with tempfile.TemporaryDirectory(prefix="rdfcrawl-bench-") as work:
        folder = Path(work) / "pages"
        write(shop, folder)
        Path(work).chmod(0o755)
        with served(folder) as (address, log):
            model = Path(work) / "shop.ttl"
            model.write_text(MODEL.format(start=f"{address}/list/0"))
            command = [sys.executable, "-m", "rdfcrawl", "run", str(model), "--store", f"{work}/store"]
            begun = time.monotonic()
            process = subprocess.Popen(command)
            samples: list[tuple[int, float]] = []
            while process.poll() is None:
                done = log.read_bytes().count(b"\n")
                samples.append((done, resident_megabytes(process.pid)))
                time.sleep(0.5)
            seconds = time.monotonic() - begun
    early = max(memory for done, memory in samples if done <= EARLY_PAGES)
    reading = max(memory for done, memory in samples if done < shop.pages)
    peak = max(memory for _, memory in samples)
    print(f"{shop.pages:,} pages in {seconds:.1f} s ({shop.pages / seconds:.0f} pages/s)")
    print(f"resident after {EARLY_PAGES:,} pages: {early:.0f} MB")
    print(f"resident at the last page: {reading:.0f} MB ({reading / early:.2f} times)")
    print(f"resident at most, while the run is sorted and loaded: {peak:.0f} MB")


if __name__ == "__main__":
    main()
