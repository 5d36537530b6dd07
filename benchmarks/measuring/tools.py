"""The tools that are compared: how each is started, where its result is, and how much its user had to write."""

from __future__ import annotations

import ast
import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from sites.shop import MODEL

from measuring.environments import PEERS, chromium, python_of
from measuring.measured import Taken, measure


class Tool(Protocol):
    """Something that crawls the shop."""

    @property
    def name(self) -> str:
        """The name, unique within a lane."""

    @property
    def version(self) -> str:
        """What was measured, with versions."""

    @property
    def lines(self) -> int:
        """The lines that the user had to write, without blank lines, comments and docstrings."""

    def crawl(self, start: str, work: Path) -> Taken:
        """Crawl everything from the start address; ``work`` is an empty folder for the result."""

    def result(self, work: Path) -> Path:
        """The file of what was found, for ``compare``."""


@dataclass(frozen=True, slots=True)
class Rdfcrawl:
    """rdfcrawl with its default settings, but for the engine where a lane asks for one."""

    name: str = "rdfcrawl"
    engine: str | None = None
    model: str = MODEL

    @property
    def version(self) -> str:
        """The installed version."""
        from rdfcrawl.version import VERSION

        return f"rdfcrawl {VERSION}"

    @property
    def lines(self) -> int:
        """The lines of the model."""
        return sum(1 for line in self.model.splitlines() if line.strip() and not line.lstrip().startswith("#"))

    def crawl(self, start: str, work: Path) -> Taken:
        """Run the model into the store in ``work``; a store that is there gets its next run."""
        model = work / "model.ttl"
        model.write_text(self.model.format(start=start))
        command = [sys.executable, "-m", "rdfcrawl", "run", str(model), "--store", str(work / "store")]
        if self.engine:
            command += ["--engine", self.engine]
        return measure(command, work=work, environment={"RDFCRAWL_CHROMIUM": chromium()})

    def result(self, work: Path) -> Path:
        """The graph of the latest run."""
        graphs = [path for path in (work / "store" / "runs").iterdir() if re.fullmatch(r"\d+\.nq\.gz", path.name)]
        return max(graphs, key=lambda path: int(path.name.partition(".")[0]))


@dataclass(frozen=True, slots=True)
class Peer:
    """A program of ``peers/`` in the environment of its folder."""

    name: str
    folder: str
    program: str = "crawl.py"
    output: str = "result.jsonl"

    @property
    def version(self) -> str:
        """The pinned requirements."""
        return ", ".join((PEERS / self.folder / "requirements.txt").read_text().split())

    @property
    def lines(self) -> int:
        """The lines of the program."""
        return _lines_of_program((PEERS / self.folder / self.program).read_text())

    def crawl(self, start: str, work: Path) -> Taken:
        """Run the program."""
        command = [str(python_of(self.folder)), str(PEERS / self.folder / self.program), start, str(self.result(work))]
        return measure(command, work=work, environment={"CHROMIUM": chromium()} if self.needs_browser else {})

    @property
    def needs_browser(self) -> bool:
        """Whether the program asks for a Chromium."""
        return "CHROMIUM" in (PEERS / self.folder / self.program).read_text()

    def result(self, work: Path) -> Path:
        """What the program has written."""
        return work / self.output


RDFCRAWL = Rdfcrawl()
RDFCRAWL_BROWSER = Rdfcrawl("rdfcrawl, browser only", engine="browser")
BARE = Peer("aiohttp + lxml", "bare")
SCRAPY = Peer("Scrapy", "scrapy")
SCRAPY_RDFLIB = Peer("Scrapy + rdflib", "scrapy_rdflib", output="result.nq")
SCRAPY_PLAYWRIGHT = Peer("scrapy-playwright", "scrapy_playwright")
CRAWLEE = Peer("Crawlee", "crawlee")
CRAWLEE_ADAPTIVE = Peer("Crawlee, adaptive", "crawlee", program="adaptive.py")


def emptied(folder: Path) -> Path:
    """The folder, new and empty."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def _lines_of_program(source: str) -> int:
    written = {
        number
        for number, line in enumerate(source.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#")
    }
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            match node.body:
                case [ast.Expr(value=ast.Constant(value=str())) as docstring, *_]:
                    written -= set(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))
    return len(written)
