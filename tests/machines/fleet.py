"""Leaders and workers as processes of their own, on one machine, with a queue in PostgreSQL between them."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from rdfcrawl.engine.frontier.postgres import frontier
from rdfcrawl.engine.machines import leading
from tests.commands import Command
from tests.faults.test_kill_points import graphs

Before = Callable[[], None]


def impatient(then: Before | None = None) -> None:
    """Take a worker for dead after two seconds, in this process."""
    frontier.LEASE_SECONDS = 2.0  # type: ignore[misc]
    frontier._REAP_SECONDS = 0.2  # type: ignore[misc]
    leading.HEARTBEAT_SECONDS = 0.4  # type: ignore[misc]
    if then is not None:
        then()


def worker(queue: str, *options: str, first: Before | None = None) -> Command:
    """A worker that has just been started."""
    return Command("worker", "--queue", queue, *options, first=first or impatient)


def leader(queue: str, model: Path, store: Path, *options: str, first: Before | None = None) -> Command:
    """A run that has just been started, which leaves the reading to workers unless it is told otherwise."""
    return Command("run", str(model), "--store", str(store), "--queue", queue, *options, first=first or impatient)


@asynccontextmanager
async def fleet(queue: str, count: int, *options: str, first: Before | None = None) -> AsyncIterator[Sequence[Command]]:
    """Some workers, which leave properly in the end."""
    commands = [worker(queue, *options, first=first) for _ in range(count)]
    try:
        yield commands
    finally:
        for command in commands:
            os.kill(command.pid, signal.SIGTERM)
        ended = [(await command.ended(), command.said) for command in commands]
    assert all(code == 0 for code, _ in ended), ended


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    while not condition():  # noqa: ASYNC110 - what is waited for happens in other processes
        await asyncio.sleep(0.01)


async def crawled(model: Path, store: Path, *options: str) -> set[bytes]:
    """The graph of an undisturbed run with SQLite."""
    command = Command("run", str(model), "--store", str(store), *options)
    assert await command.ended() in (0, 1), command.said
    return graphs(store)


async def crawled_together(queue: str, count: int, model: Path, store: Path, *options: str) -> set[bytes]:
    """The graph of a run that workers have read."""
    async with fleet(queue, count):
        command = leader(queue, model, store, "--no-crawl", *options)
        assert await command.ended() in (0, 1), command.said
    return graphs(store)
