"""How well and how fast names of persons are recognised on labelled pages.

    .venv/bin/python benchmarks/names.py FOLDER_OR_TAR [--misses] [--recogniser IRI] [--names LIST]

The pages are ``NNN.html`` with the names that they show in ``NNN.names.txt``, one a line. Two names are the same if
they have the same words, whatever their order, case and accents; what stands in brackets and titles do not count.
Micro F1 counts names, macro F1 is the mean over pages. Every third page was kept aside while the recogniser was tuned:
their figures are printed apart.
"""

from __future__ import annotations

import argparse
import contextlib
import re
import tarfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from rdfcrawl.engine.document.lines import lines_of
from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.recognise.finds import Recogniser
from rdfcrawl.recognise.folding import folded
from rdfcrawl.recognise.recognisers import recogniser

Key = tuple[str, ...]
TITLES = re.compile(r",\s*(?:S\.J\.|Ph\.?D\.?|M\.?D\.?|M\.A\.)\s*$")


@dataclass(slots=True)
class Score:
    """Counts of one page or of many."""

    right: int = 0
    wrong: int = 0
    missed: int = 0

    def __iadd__(self, other: Score) -> Score:
        self.right += other.right
        self.wrong += other.wrong
        self.missed += other.missed
        return self

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; a page without names that shows none is perfect."""
        total = 2 * self.right + self.wrong + self.missed
        return 2 * self.right / total if total else 1.0


@dataclass(slots=True)
class Group:
    """The scores of some of the pages."""

    label: str
    total: Score = field(default_factory=Score)
    pages: list[float] = field(default_factory=list)

    def add(self, score: Score) -> None:
        self.total += score
        self.pages.append(score.f1)

    def __str__(self) -> str:
        macro = sum(self.pages) / len(self.pages) if self.pages else 0.0
        total = self.total
        return (
            f"{self.label:<28} {len(self.pages):>3} pages   micro F1 {total.f1:.4f}   macro F1 {macro:.4f}   "
            f"right {total.right:,} wrong {total.wrong:,} missed {total.missed:,}"
        )


@dataclass(slots=True)
class Clock:
    """Processor time, taken in turns on the same pages."""

    parsing: float = 0.0
    reading: float = 0.0
    recognising: float = 0.0


def key(name: str) -> Key:
    """The words of a name, sorted."""
    # Some labels were saved in the wrong encoding.
    with contextlib.suppress(UnicodeError):
        name = name.encode("latin-1").decode()
    return tuple(sorted(re.findall(r"[^\W\d_]+", folded(re.sub(r"\([^)]*\)", " ", name)))))


def pages(source: Path) -> Iterator[tuple[str, bytes, bytes]]:
    """The name, the page and the labels of every pair, sorted."""
    files: dict[str, bytes] = {}
    if source.is_dir():
        files = {str(path.name): path.read_bytes() for path in source.rglob("*.*") if path.is_file()}
    else:
        with tarfile.open(source) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                if content is not None:
                    files[Path(member.name).name] = content.read()
    for name in sorted(files):
        if name.endswith(".html") and (labels := files.get(name.removesuffix(".html") + ".names.txt")) is not None:
            yield name, files[name], labels


def labelled(content: bytes) -> dict[Key, str]:
    """The names that a page shows."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return {key(TITLES.sub("", line)): line.strip() for line in text.splitlines() if line.strip()}


def recognised(body: bytes, using: Recogniser, clock: Clock) -> dict[Key, str]:
    """The names that the recogniser finds."""
    started = time.process_time()
    document = parse(body, "http://localhost/")
    parsed = time.process_time()
    document.text_of(document.root)
    read = time.process_time()
    finds = using.finds(lines_of(document.root)[0])
    clock.recognising += time.process_time() - read
    clock.reading += read - parsed
    clock.parsing += parsed - started
    return {key(find.value): find.value for find in finds}


def main() -> None:
    """Recognise the names of all pages and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path, help="a folder or a tar file with pages and labels")
    parser.add_argument("--recogniser", default="recognise://person")
    parser.add_argument("--names", help="a list of names instead of the packaged one")
    parser.add_argument("--misses", action="store_true", help="print what was found wrongly and what was missed")
    arguments = parser.parse_args()
    using = recogniser(arguments.recogniser, arguments.names)
    using.finds([])
    # As in the processes that read pages.
    look_for_garbage_rarely()
    every, tuned, aside, clock = Group("all"), Group("tuned on"), Group("kept aside (every third)"), Clock()
    for number, (name, body, labels) in enumerate(pages(arguments.source)):
        wanted, found = labelled(labels), recognised(body, using, clock)
        right = len(wanted.keys() & found.keys())
        score = Score(right, len(found) - right, len(wanted) - right)
        every.add(score)
        (tuned if number % 3 else aside).add(score)
        if arguments.misses and score.f1 < 1:
            wrong = [text for which, text in found.items() if which not in wanted]
            missed = [text for which, text in wanted.items() if which not in found]
            print(f"{name} {score.f1:.3f}  wrong {wrong[:8]}  missed {missed[:8]}")
    if not every.pages:
        raise SystemExit(f"{arguments.source}: no NNN.html with NNN.names.txt beside it")
    print(*(every, tuned, aside), sep="\n")
    twice = 2 * (clock.parsing + clock.reading)
    print(
        f"processor time: parsing {clock.parsing:.2f} s, reading {clock.reading:.2f} s, "
        f"recognising {clock.recognising:.2f} s: {clock.recognising / twice:.2f} of parsing and reading twice"
    )


if __name__ == "__main__":
    main()
