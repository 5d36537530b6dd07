"""What large runs take: sorted, compared, loaded and asked. ``python benchmarks/large_stores.py [TRIPLES…]``.

Prints one row of a table for each number of triples (a million by default), as docs/stores.md has them. What a step
takes is said twice, by the clock and in processor time: the latter hardly depends on what else the machine does.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

PROPERTIES = ("author", "date", "description", "label", "rating")
CHANGED = 0.01

SORT = """
import sys
from pathlib import Path
from rdfcrawl.store.files.lines import write_sorted
write_sorted(Path(sys.argv[1]), Path(sys.argv[2]))
"""
DIFF = """
import sys
from pathlib import Path
from rdfcrawl.store.files.whole import opened
from rdfcrawl.versioning.blocks import read_blocks
from rdfcrawl.versioning.changes import Scope, changes
from rdfcrawl.versioning.diff import diff
scope = Scope(properties=frozenset(f"<property://book/{name}>" for name in sys.argv[3].split(",")))
old, new = (read_blocks(opened(Path(path)), "run://1") for path in sys.argv[1:3])
print(sum(1 for change in changes(diff(old, new), scope)))
"""
LOAD = """
import sys
from pathlib import Path
import pyoxigraph as ox
from rdfcrawl.store.files.whole import opened
from rdfcrawl.store.loading import load_slice, slices
store = ox.Store(sys.argv[2])
with opened(Path(sys.argv[1])) as lines:
    for content in slices(lines):
        load_slice(store, content)
store.flush()
"""
ONE = "SELECT * { GRAPH ?run { <https://books.example/catalogue/0000007> ?p ?o } }"
ALL = "SELECT (count(*) AS ?many) { GRAPH ?run { ?book <property://book/rating> ?rating } }"
ASK = """
import sys
import pyoxigraph as ox
list(ox.Store.read_only(sys.argv[1]).query(sys.argv[2]))
"""
TOLD = """
import resource, sys
own, others = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
processor = own.ru_utime + own.ru_stime + others.ru_utime + others.ru_stime
print(processor, max(own.ru_maxrss, others.ru_maxrss) / 1024, file=sys.stderr)
"""


def main() -> None:
    """Measure the sizes of the command line."""
    print("| triples | run file | sort | diff | load | index | one object | count a property | memory |")
    print("|---:|---:|---:|---:|---:|---:|---:|---:|---:|")
    for size in [int(text) for text in sys.argv[1:]] or [1_000_000]:
        with tempfile.TemporaryDirectory(prefix="rdfcrawl-large-") as folder:
            print(_row(size, Path(folder)), flush=True)


def _row(size: int, folder: Path) -> str:
    plain, old, new, index = (folder / name for name in ("run.nq", "old.nq.gz", "new.nq.gz", "index"))
    _write(plain, size, changed=0.0)
    taken, memory = [], []

    def measured(program: str, *arguments: object) -> None:
        seconds, processor, most = _measure(program, *map(str, arguments))
        taken.append(f"{seconds:.1f} s ({processor:.1f} s)")
        memory.append(most)

    measured(SORT, plain, old)
    _write(plain, size, changed=CHANGED)
    _measure(SORT, str(plain), str(new))
    plain.unlink()
    measured(DIFF, old, new, ",".join(PROPERTIES))
    measured(LOAD, new, index)
    measured(ASK, index, ONE)
    measured(ASK, index, ALL)
    sort, diff, load, one, every = taken
    held = sum(path.stat().st_size for path in index.rglob("*") if path.is_file())
    return (
        f"| {size:,} | {old.stat().st_size / 1e6:.0f} MB | {sort} | {diff} | {load} | "
        f"{held / 1e6:,.0f} MB | {one} | {every} | {max(memory):,.0f} MB |"
    )


def _write(path: Path, size: int, *, changed: float) -> None:
    """Statements of objects in the order in which a crawl finds them, which is none."""
    chance, other = random.Random(1), random.Random(2)
    objects = list(range(size // len(PROPERTIES)))
    chance.shuffle(objects)
    with path.open("w") as file:
        for number in objects:
            for name in PROPERTIES:
                value = f"{name} {chance.getrandbits(64):x}"
                value = f"new {value}" if other.random() < changed else value
                subject = f"<https://books.example/catalogue/{number:07}>"
                file.write(f'{subject} <property://book/{name}> "{value}" <run://1> .\n')


def _measure(program: str, *arguments: str) -> tuple[float, float, float]:
    """Seconds, seconds of processor time, and the most memory in megabytes, of a Python program in its own process."""
    begun = perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program + TOLD, *arguments], capture_output=True, text=True, check=True
    )
    processor, memory = map(float, done.stderr.split()[-2:])
    return perf_counter() - begun, processor, memory


if __name__ == "__main__":
    main()
