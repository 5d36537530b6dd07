"""The diff of two graphs of a million triples with 1 % changes, against ``comm`` on the same two sorted files.

Prints both times, their ratio and the diff's peak memory. Exits with 1 when the diff takes more than three
times as long as ``comm``, or 200 MB. Run it with ``python benchmarks/diff_against_comm.py``.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

TRIPLES = 1_000_000
CHANGED = 0.01
ROUNDS = 5
MOST_TIMES_COMM = 3.0
MOST_MEGABYTES = 200
PROPERTIES = ("author", "date", "description", "label", "rating")

DIFF = """
import resource, sys
from time import perf_counter
from rdfcrawl.versioning.blocks import read_blocks
from rdfcrawl.versioning.changes import Scope, changes
from rdfcrawl.versioning.diff import diff
begin = perf_counter()
scope = Scope(properties=frozenset(f"<property://book/{name}>" for name in sys.argv[3].split(",")))
with open(sys.argv[1], "rb") as old, open(sys.argv[2], "rb") as new:
    found = sum(1 for change in changes(diff(read_blocks(old), read_blocks(new)), scope))
print(perf_counter() - begin, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, found)
"""


def main() -> int:
    """Measure and print; the exit code says whether both bounds hold."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "old.nt"), Path(folder, "new.nt")
        changed = _write_graphs(old, new)
        # Taking turns spreads the machine's moods over both.
        rounds = [(_time_comm(old, new), _time_diff(old, new)) for _ in range(ROUNDS)]
    comm = min(seconds for seconds, _ in rounds)
    seconds, megabytes, found = min(measured for _, measured in rounds)
    print(f"triples   {TRIPLES:,} against {TRIPLES:,}, {changed:,} changed, {found:,} changes found")
    print(f"comm      {comm:.3f} s")
    print(f"diff      {seconds:.3f} s, {seconds / comm:.2f} times comm (at most {MOST_TIMES_COMM:.0f})")
    print(f"memory    {megabytes} MB (at most {MOST_MEGABYTES})")
    return int(seconds > MOST_TIMES_COMM * comm or megabytes > MOST_MEGABYTES or found != changed)


def _write_graphs(old: Path, new: Path) -> int:
    # Written as they come, which is already their order: what this process held would count as the diff's memory.
    chance = random.Random(1)
    changed = 0
    with old.open("w") as before, new.open("w") as after:
        for number in range(TRIPLES // len(PROPERTIES)):
            for name in PROPERTIES:
                start = f"<https://books.example/catalogue/{number:07}/index.html> <property://book/{name}>"
                value = f"{name} {chance.getrandbits(64):x} of book {number}"
                before.write(f'{start} "{value}" .\n')
                if chance.random() < CHANGED:
                    changed += 1
                    value = f"{chance.getrandbits(64):x} is the new {name}"
                after.write(f'{start} "{value}" .\n')
    return changed


def _time_comm(old: Path, new: Path) -> float:
    begin = perf_counter()
    subprocess.run(["comm", "-3", old, new], stdout=subprocess.DEVNULL, env=os.environ | {"LC_ALL": "C"}, check=True)
    return perf_counter() - begin


def _time_diff(old: Path, new: Path) -> tuple[float, int, int]:
    command = [sys.executable, "-c", DIFF, str(old), str(new), ",".join(PROPERTIES)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    seconds, megabytes, found = output.split()
    return float(seconds), int(megabytes), int(found)


if __name__ == "__main__":
    sys.exit(main())
