"""What criteria cost: the same survey of 1,000 pages without any and with 300, in turns, in one run.

    .venv/bin/python benchmarks/criteria.py [--pages 1000] [--criteria 300] [--rounds 3]

The pages are replayed from a folder, so that neither a network nor a server hides anything. Prints the seconds of the
processor and of the clock, each as the median of all rounds, and their ratios; the bound is 1.5.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from sites.linked_site import LinkedSite, start_path, write_site

HOST = "linked.example"
WORDS = (
    *(
        "paper",
        "deadline",
        "committee",
        "review",
        "session",
        "keynote",
        "author",
        "topic",
        "abstract",
        "track",
        "panel",
    ),
    *("river", "stone", "garden", "winter", "letter", "bridge", "market", "silver", "window", "forest", "castle"),
)
_FRONT = f"""@prefix : <predicate://> . @prefix type: <type://> . @prefix part: <part://> .
<model:> :section <http://{HOST}{start_path()}> . <http://{HOST}{start_path()}> :page <page://site> .
<page://site> :type type:site"""


def criteria(count: int) -> str:
    """So many criteria: nine of ten plain texts, the others expressions, near texts and dates, some in the head."""
    chance = random.Random(7)
    found = []
    for number in range(count):
        one, other = chance.sample(WORDS, 2)
        match number % 20:
            case 0:
                found.append(f'[ :matches "{one}s? (of|for) {other}( {number})?" ]')
            case 1:
                found.append(f'[ :near ( "{one} {number}" "{other}" ) ]')
            case 2:
                found.append(f'[ :all ( "{one} {number}" [ :containsDate true ] ) ]')
            case 3:
                found.append(f'[ :contains "{one} {number}" ; :in part:head ]')
            case _:
                found.append(f'[ :contains "{one} {other} {number % 7}" ; :weight {number} ]')
    return f" ; :threshold 5 ; :criterion {' , '.join(found)}"


def write_pages(folder: Path, pages: int) -> None:
    """The pages, each with three hundred words more than its links have."""
    write_site(LinkedSite(pages), folder)
    for number, path in enumerate(sorted(path for path in folder.rglob("*") if path.is_file())):
        chance = random.Random(number)
        words = (" ".join(chance.choices(WORDS, k=60)) for _ in range(5))
        text = "".join(f"<p>{paragraph} {number % 7}, until {number % 28 + 1} May 2027.</p>" for paragraph in words)
        path.write_text(path.read_text().replace("</body>", f"{text}</body>"))


def measured(model: Path, pages: Path) -> tuple[float, float]:
    """The seconds of the processor and of the clock that one run takes."""
    with tempfile.TemporaryDirectory() as store:
        command = [sys.executable, "-m", "rdfcrawl", "run", str(model), "--replay", str(pages), "--engine", "http"]
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
        subprocess.run([*command, "--no-record", "--store", store], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return used, time.monotonic() - begun


def main() -> None:
    """Measure in turns and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--criteria", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pages, models = Path(folder) / "pages", {}
        write_pages(pages / HOST, asked.pages)
        for name, said in (("without", ""), ("with", criteria(asked.criteria))):
            models[name] = Path(folder) / f"{name}.ttl"
            models[name].write_text(f"{_FRONT}{said} .")
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in models}
        for _ in range(asked.rounds):
            for name, model in models.items():
                taken[name].append(measured(model, pages))
    medians = {name: [statistics.median(column) for column in zip(*rows, strict=True)] for name, rows in taken.items()}
    for name, (used, clock) in medians.items():
        print(f"{name:>8}: {used:.2f} s of the processor, {clock:.2f} s of the clock")
    used, clock = (after / before for before, after in zip(medians["without"], medians["with"], strict=True))
    print(f"   ratio: {used:.2f} of the processor, {clock:.2f} of the clock")


if __name__ == "__main__":
    main()
