"""Ways to damage files, stores to damage, and what the commands say of them."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path

from typer.testing import CliRunner, Result

from rdfcrawl import api
from rdfcrawl.cli import app
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions
from rdfcrawl.store.folder import Store, open_store
from tests.thing_site import ThingSite

OPTIONS = RunOptions(engine=Engine.HTTP)
THINGS = 40


def edited(path: Path, edit: Callable[[list[bytes]], list[bytes]]) -> None:
    """Unpack a file, edit its lines, and pack it again, so that only its content is wrong."""
    path.write_bytes(gzip.compress(b"".join(edit(gzip.decompress(path.read_bytes()).splitlines(keepends=True)))))


def flipped(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place in range(len(content) // 2, len(content) // 2 + 8):
        content[place] ^= 0xFF
    path.write_bytes(content)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut in the middle": lambda path: os.truncate(path, path.stat().st_size // 2),
    "cut at its end": lambda path: os.truncate(path, path.stat().st_size - 3),
    "bits flipped": flipped,
    "a garbage line": lambda path: edited(path, lambda lines: [*lines[:7], b"garbage\n", *lines[7:]]),
    "a line with spaces": lambda path: edited(path, lambda lines: [*lines[:7], b"some more garbage .\n", *lines[7:]]),
    "a broken line": lambda path: edited(path, lambda lines: [*lines[:7], lines[7][5:], *lines[8:]]),
    "a lost line": lambda path: edited(path, lambda lines: lines[:7] + lines[8:]),
    "swapped lines": lambda path: edited(path, lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]]),
    "another file": lambda path: path.write_bytes(b"nonsense"),
    "empty": lambda path: path.write_bytes(b""),
    "missing": lambda path: path.unlink(),
}
FEW = ("cut in the middle", "bits flipped", "a line with spaces", "missing")
"""The damages that are noticed in different ways, for tests that take longer."""
TWO = ("cut in the middle", "missing")
"""A file that is there and one that is not."""
ONE = TWO[:1]
"""For tests that crawl: others show that each damage is noticed."""
WITH_A_LINE = {"a garbage line": 8, "a line with spaces": 8, "a broken line": 8, "swapped lines": 8}

PLAIN_DAMAGES: dict[str, Callable[[Path], object]] = {
    "cut": lambda path: os.truncate(path, path.stat().st_size - 10),
    "garbage": lambda path: path.write_bytes(b"garbage\n" + path.read_bytes()),
    "empty": lambda path: path.write_bytes(b""),
    "missing": lambda path: path.unlink(),
}


async def crawled(site: ThingSite, folder: Path, *things: int) -> Store:
    """A store in which a site was crawled so often, each time with so many things."""
    for number in things:
        site.things = number
        await api.run(site.model(folder.parent), store=folder, options=OPTIONS)
    return open_store(folder)


def call(store: Store, *arguments: str) -> Result:
    return CliRunner().invoke(app, [*arguments, "--store", str(store.folder)])


def answers(store: Store) -> dict[str, str]:
    """What every command that reads a store prints; each ends well."""
    first, second, third = store.runs.ids()
    section = store.runs.read_record(first).sections[0].address
    commands = [
        ["runs"],
        ["diff"],
        ["diff", str(first), str(second)],
        ["diff", str(second), str(third)],
        ["diff", "--format", "patch"],
        ["history", section.replace("/list", f"/thing/{THINGS - 1}")],
        ["export"],
        ["export", "--run", "all"],
        ["export", "--run", str(second)],
        ["query", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o"],
        ["query", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o", "--run", str(second)],
        ["query", "SELECT ?s ?p ?o { ?s ?p ?o } ORDER BY ?s ?p ?o", "--changes"],
    ]
    results = {" ".join(command): call(store, *command) for command in commands}
    assert {name: result.exception for name, result in results.items()} == dict.fromkeys(results)
    return {name: result.stdout for name, result in results.items()}
