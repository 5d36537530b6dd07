"""How long small commands take, as multiples of ``python -c "import rdflib"`` in the same run.

``python benchmarks/start.py`` runs each command a few times, in turn, and takes the fastest of each. The goals
stand for a machine on which importing rdflib takes 0.2 seconds.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter

ROOT = Path(__file__).parents[1]
CASE = ROOT / "tests" / "cases" / "extract" / "empty-values"
ROUNDS = 7
RDFLIB = "import rdflib"


def commands(store: Path) -> dict[str, tuple[list[str], float | None]]:
    """What is measured, and the most multiples that are wanted."""
    rdfcrawl = [sys.executable, "-m", "rdfcrawl"]
    crawl = ["run", str(CASE / "model.ttl"), "--engine", "http", "--replay", str(CASE / "pages"), "--store", str(store)]
    return {
        RDFLIB: ([sys.executable, "-c", RDFLIB], None),
        "rdfcrawl --help": ([*rdfcrawl, "--help"], 1.5),
        "rdfcrawl check": ([*rdfcrawl, "check", str(CASE / "model.ttl")], 2.0),
        "rdfcrawl run": ([*rdfcrawl, *crawl], 4.0),
    }


def seconds(command: list[str], environment: dict[str, str]) -> float:
    """How long a command takes; a run with problems ends with 1, and has run all the same."""
    begun = perf_counter()
    ended = subprocess.run(command, env=environment, capture_output=True, check=False)
    assert ended.returncode in (0, 1), ended.stderr.decode()
    return perf_counter() - begun


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        # An installed package has its bytecode, and so have we here, whatever the environment says.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment |= {
            "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode")),
            "RDFCRAWL_CACHE": str(Path(folder, "cache")),
        }
        wanted = commands(Path(folder, "store"))
        first = {name: seconds(command, environment) for name, (command, _) in wanted.items()}
        best = dict.fromkeys(wanted, float("inf"))
        for _ in range(ROUNDS):
            for name, (command, _) in wanted.items():
                best[name] = min(best[name], seconds(command, environment))
    for name, (_, goal) in wanted.items():
        times = best[name] / best[RDFLIB]
        verdict = "" if goal is None else f"  wanted {goal:.1f}: {'met' if times <= goal else 'missed'}"
        print(f"{name:20} {best[name]:6.2f} s  {times:5.2f} times  (the first time {first[name]:.2f} s){verdict}")


if __name__ == "__main__":
    main()
