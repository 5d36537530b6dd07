"""List pages to be read by workers, and who reads them."""

from __future__ import annotations

import asyncio
import os
import sys
from contextlib import aclosing
from pathlib import Path
from typing import Final

from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model, Page
from tests.thing_site import ThingSite

_WORKER: Final = b".engine.workers."


def things(folder: Path, path: str = "//li/a") -> tuple[Model, Page]:
    """A model of a list, and the page of the list."""
    file = folder / "model.ttl"
    file.write_text(ThingSite(address="http://site.example").turtle().replace('"//li/a"', f'"{path}"'))
    model = load_model(file)
    return model, model.page("page://list")


def listing(entries: int, beginning: str = "", number: int = 0) -> Fetched:
    """A list page that begins with some markup."""
    links = "".join(f"<li><a href='/thing/{number}/{entry}'>x</a>" for entry in range(entries))
    headers = {"content-type": "text/html"}
    return Fetched(f"http://site.example/list?{number}", 200, headers, (beginning + links).encode())


def workers_of(process: int) -> set[int]:
    """The numbers of the worker processes that a process has."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return {int(child) for child in children if _WORKER in _command_of(Path(f"/proc/{child}"))}


def _command_of(process: Path) -> bytes:
    """The command of a process; it has none for a moment while it begins, and none when it has ended."""
    while not (command := (process / "cmdline").read_bytes()) and ") Z " not in (process / "stat").read_text():
        pass
    return command


def crawl() -> None:
    """Read a page, then one that may take for ever; say who reads it."""

    async def reading() -> None:
        model = load_model(Path(sys.argv[1]))
        page = model.page("page://list")
        async with aclosing(WorkerPool.started(RunLimits(), model, processes=1)) as pool:
            await pool.read(page, [listing(3)])
            print(*workers_of(os.getpid()), flush=True)
            await pool.read(page, [listing(3000)])
            await asyncio.Event().wait()

    asyncio.run(reading())
