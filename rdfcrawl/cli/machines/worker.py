"""``rdfcrawl worker``: reads pages for every run of a queue, until it is told to end."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path
from time import monotonic
from typing import Annotated, Final

import typer

from rdfcrawl.cli.console import counted, err
from rdfcrawl.cli.crawl.options import AllowEnv
from rdfcrawl.engine.machines.taking_part import WorkerOptions, WorkerState, take_part, worker_name
from rdfcrawl.engine.memory import look_for_garbage_rarely
from rdfcrawl.errors import UsageError

_LINE_SECONDS: Final = 60.0

Queue = Annotated[
    str | None,
    typer.Option(
        envvar="RDFCRAWL_QUEUE",
        metavar="ADDRESS",
        help="The queue in PostgreSQL, such as postgresql:///?service=crawl.",
    ),
]
"""The option of commands that use nothing but a queue."""


def worker(
    *,
    queue: Queue = None,
    archive: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Archive what is fetched here: the folder archive of the store, mounted."),
    ] = None,
    concurrency: Annotated[
        int | None, typer.Option(min=1, help="Read at most this many pages at once in a run.")
    ] = None,
    allow_env: AllowEnv = None,
) -> None:
    """Take part in every run of a queue, until SIGTERM or Ctrl-C; what is not read then is given back."""
    options = WorkerOptions(concurrency, archive, tuple(allow_env or ()))
    asyncio.run(_until_signalled(address_of(queue), options))


def address_of(queue: str | None) -> str:
    """The address that was given; raises ``UsageError`` if none was."""
    if queue is None:
        raise UsageError("no queue is named; use --queue postgresql:///?service=crawl, or set RDFCRAWL_QUEUE")
    return queue


async def _until_signalled(address: str, options: WorkerOptions) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    look_for_garbage_rarely()
    state = WorkerState(worker_name())
    err.print(f"Worker {state.name} starts.")
    telling = asyncio.create_task(_tell(state))
    try:
        await take_part(address, options, state, notice=lambda text: err.print(f"Note: {text}"), stop=stop)
    finally:
        telling.cancel()
    err.print(f"Worker {state.name} has left; it has read {counted(state.pages, 'page')}.")


async def _tell(state: WorkerState) -> None:
    """One line a minute about what the worker is doing."""
    before, begun = 0, monotonic()
    while True:
        await asyncio.sleep(_LINE_SECONDS)
        rate = (state.pages - before) / (monotonic() - begun)
        before, begun = state.pages, monotonic()
        runs = f"in {counted(len(state.runs), 'run')}" if state.runs else "waiting for a run"
        err.print(
            f"{state.name}: {runs}, {counted(state.pages, 'page')} read, {rate:.1f} pages/s, "
            f"{counted(state.problems, 'problem')}"
        )
