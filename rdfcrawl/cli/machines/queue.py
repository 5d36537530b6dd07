"""``rdfcrawl queue``: what a queue looks like: runs, workers, hosts."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from dataclasses import asdict
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from rdfcrawl.cli.console import counted, hand_over, say
from rdfcrawl.cli.machines.worker import Queue, address_of
from rdfcrawl.cli.output.table import print_table
from rdfcrawl.engine.frontier.opening import open_shared

if TYPE_CHECKING:
    from rdfcrawl.engine.frontier.postgres.state import QueueState


class QueueFormat(StrEnum):
    """How the state of a queue is printed."""

    TEXT = "text"
    JSON = "json"


def queue(
    *,
    queue: Queue = None,
    output: Annotated[QueueFormat, typer.Option("--format", help="How to print it.")] = QueueFormat.TEXT,
    hosts: Annotated[int, typer.Option(min=0, help="Show at most this many hosts, those with most pages first.")] = 20,
) -> None:
    """Show the runs of a queue, its workers with their last sign of life, and the hosts with their pace."""
    state = asyncio.run(_state(address_of(queue), hosts))
    if output is QueueFormat.JSON:
        hand_over(json.dumps(asdict(state), ensure_ascii=False, indent=1))
        return
    _print_runs(state)
    _print_workers(state)
    _print_hosts(state)


async def _state(address: str, hosts: int) -> QueueState:
    async with aclosing(await open_shared(address, lambda text: say(f"Note: {text}", to_err=True))) as opened:
        return await opened.state(hosts)


def _print_runs(state: QueueState) -> None:
    if not state.runs:
        say("No run is under way.")
        return
    rows = [
        (
            *(str(one.run), one.version, _ago(one.begun_ago)),
            *(f"{one.queued:,}", f"{one.claimed:,}", _ago(one.oldest_claim)),
            *(f"{one.done:,}", f"{one.failed:,}", f"{one.blocks:,}"),
        )
        for one in state.runs
    ]
    columns = ("run", "version", "begun", "queued", "claimed", "oldest claim", "read", "failed", "to collect")
    print_table(columns, rows, (False, False, True, True, True, True, True, True, True))


def _print_workers(state: QueueState) -> None:
    say("")
    if not state.workers:
        say("There are no workers.")
        return
    rows = [
        (
            *(one.name, one.machine, "–" if one.run is None else str(one.run), _life(one.is_alive, one.lease_left)),
            *(_ago(one.begun_ago), f"{one.claimed:,}", _ago(one.oldest_claim)),
        )
        for one in state.workers
    ]
    columns = ("worker", "machine", "run", "sign of life", "begun", "claimed", "oldest claim")
    print_table(columns, rows, (False, False, False, False, True, True, True))


def _print_hosts(state: QueueState) -> None:
    if state.hosts:
        say("")
        rows = [
            (
                *(one.host, str(one.run), f"{one.waiting:,}", f"{one.claimed:,}", str(one.shared)),
                *("" if one.bound is None else f"{one.bound:.1f}", _ahead(one.left_alone)),
            )
            for one in state.hosts
        ]
        columns = ("host", "run", "waiting", "claimed", "at once", "at most", "left alone")
        print_table(columns, rows, (False, False, True, True, True, True, True))
    if state.turns:
        say("")
        turns = [(one.machine, f"{one.delay:g} s", _ahead(one.next_in)) for one in state.turns]
        print_table(("asked at a pace", "every", "next turn"), turns, (False, True, True))


def _life(is_alive: bool, lease_left: float) -> str:
    return f"for {lease_left:.0f} s more" if is_alive else "gone"


def _ago(seconds: float | None) -> str:
    return "" if seconds is None else f"{_span(seconds)} ago"


def _ahead(seconds: float | None) -> str:
    return "" if not seconds or seconds < 0 else f"in {_span(seconds)}"


def _span(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    if not minutes:
        return f"{rest} s"
    return f"{minutes} min" if minutes < 120 else counted(minutes // 60, "hour")
