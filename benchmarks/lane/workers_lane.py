"""The lane with a queue in PostgreSQL: against SQLite, four workers against one, and what the server takes."""

from __future__ import annotations

import asyncio
import os
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from measuring.compare import triples_of
from measuring.environments import HERE
from measuring.measured import Failed, Taken, measure
from measuring.results import Goal, Lane, Ratio, Run, Series, ratio
from measuring.tools import RDFCRAWL, Rdfcrawl, emptied
from sites.server import free_port
from sites.shop import MODEL, Shop

from lane.crawl_lanes import open_shop, run_once

sys.path.insert(0, str(HERE.parent))

from rdfcrawl.engine.extract.extraction import Follow
from rdfcrawl.engine.frontier.entries import NOTHING_VALID, Counted, Outcome, PageResult
from rdfcrawl.engine.frontier.opening import open_shared
from rdfcrawl.engine.frontier.postgres.queue import PostgresQueue
from rdfcrawl.engine.frontier.protocol import Frontier
from rdfcrawl.metamodel.model import Section
from tests.postgres_server import PostgresServer, controlled_server

WORKERS = 4
AT_ONCE = 8
ANSWER_SECONDS = 0.2
SLOW_PAGES = 2_000
QUEUED_PAGES = 100_000
CLAIMED_AT_ONCE = 32


@dataclass(frozen=True, slots=True)
class WithQueue(Rdfcrawl):
    """rdfcrawl with a queue in PostgreSQL; without ``reads`` workers do the reading."""

    name: str = "rdfcrawl, PostgreSQL"
    queue: str = ""
    options: tuple[str, ...] = ()

    def crawl(self, start: str, work: Path) -> Taken:
        """Run the model into the store in ``work``."""
        model = work / "model.ttl"
        model.write_text(MODEL.format(start=start))
        command = [sys.executable, "-m", "rdfcrawl", "run", str(model), "--store", str(work / "store")]
        return measure([*command, "--queue", self.queue, *self.options], work=work)


def workers_lane(objects: int, rounds: int, work: Path) -> Lane:
    """One process with either queue, four workers against one, and how claims fare in a long queue."""
    with controlled_server(fsync=True) as server:
        alone, shared, server_share = _alternating(server, objects, rounds, work)
        one, four = _on_a_slow_site(server, work)
        first, last = asyncio.run(_claims(server))
    slower = ratio("pages a second with PostgreSQL / with SQLite", alone, shared)
    scaled = Ratio(
        f"pages a second with {WORKERS} workers / with one, at a slow site", four / one, four / one, four / one
    )
    return Lane(
        name="workers",
        title="Many machines",
        site=f"{objects:,} articles; a site that answers after {ANSWER_SECONDS * 1000:.0f} ms, {SLOW_PAGES:,} articles",
        rounds=rounds,
        series=(alone, shared),
        ratios=(slower, scaled),
        goals=(
            Goal("pages a second of one process with PostgreSQL, against SQLite", slower.value, 0.8, at_least=True),
            Goal(f"{WORKERS} workers against one at a slow site", scaled.value, 3.4, at_least=True),
            Goal(
                "time of a claim in the last tenth of the queue, against the first", last / first, 1.5, at_least=False
            ),
            Goal("PostgreSQL's processor time, against the crawl's", server_share, 0.15, at_least=False),
        ),
        figures={
            "one worker at the slow site": f"{one:.0f} pages/s",
            f"{WORKERS} workers at the slow site": f"{four:.0f} pages/s",
            f"a claim of {CLAIMED_AT_ONCE} pages, first tenth of {QUEUED_PAGES:,}": f"{first * 1000:.2f} ms",
            f"a claim of {CLAIMED_AT_ONCE} pages, last tenth": f"{last * 1000:.2f} ms",
        },
        notes=(
            "All processes and the server share one machine; the server waits for the disk as it does by default.",
            f"At the slow site each worker reads {AT_ONCE} pages at once, and the host gets as many from all together.",
        ),
    )


def _alternating(server: PostgresServer, objects: int, rounds: int, work: Path) -> tuple[Series, Series, float]:
    shop, tool = Shop(objects), WithQueue()
    runs: dict[str, list[Run]] = {"alone": [], "shared": []}
    taken_by_server = 0.0
    with open_shop(shop, emptied(work / "pages")) as site:
        for number in range(rounds):
            runs["alone"].append(run_once(RDFCRAWL, site, emptied(work / "alone")))
            # The queue keeps pages as they were, as the store of the other does, and that begins anew.
            tool = WithQueue(queue=f"{server.address}&options=-csearch_path%3Dround_{number}")
            asyncio.run(_prepare(tool.queue))
            before = _processor_seconds(server.process)
            runs["shared"].append(run_once(tool, site, emptied(work / "shared")))
            taken_by_server += _processor_seconds(server.process) - before
            times = ", ".join(f"{name} {some[-1].seconds:.2f} s" for name, some in runs.items())
            print(f"  round {number + 1}: {times}", flush=True)
    if triples_of(RDFCRAWL.result(work / "alone")) != triples_of(tool.result(work / "shared")):
        raise Failed("the two queues have led to different triples")
    made = {
        "alone": Series("rdfcrawl, SQLite", RDFCRAWL.version, RDFCRAWL.lines, shop.pages, tuple(runs["alone"])),
        "shared": Series(tool.name, tool.version, tool.lines, shop.pages, tuple(runs["shared"])),
    }
    return made["alone"], made["shared"], taken_by_server / sum(run.cpu for run in runs["shared"])


def _on_a_slow_site(server: PostgresServer, work: Path) -> tuple[float, float]:
    """Pages a second with one worker and with four, from the first request to the last."""
    rates = []
    for count in (1, WORKERS):
        queue = f"{server.address}&options=-csearch_path%3Dslow_{count}"
        log = work / f"slow-{count}.log"
        with _slow_site(log) as address, _workers(queue, count, work):
            tool = WithQueue(queue=queue, options=("--no-crawl", "--concurrency", str(WORKERS * AT_ONCE)))
            tool.crawl(f"{address}/list/0", emptied(work / f"slow-{count}"))
        times = sorted(float(line) for line in log.read_text().split())
        # The first pages are a list, and one worker reads them.
        begun = times[len(times) // 10]
        rates.append((len(times) - len(times) // 10) / (times[-1] - begun))
        print(f"  {count} at a slow site: {rates[-1]:.0f} pages/s", flush=True)
    return rates[0], rates[1]


@contextmanager
def _slow_site(log: Path) -> Iterator[str]:
    port = free_port()
    command = [
        sys.executable,
        str(HERE / "sites" / "slow_site.py"),
        str(port),
        str(SLOW_PAGES),
        str(ANSWER_SECONDS),
        str(log),
    ]
    process = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        process.stdout.readline()
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _workers(queue: str, count: int, work: Path) -> Iterator[None]:
    command = [sys.executable, "-m", "rdfcrawl", "worker", "--queue", queue, "--concurrency", str(AT_ONCE)]
    with (work / "workers.txt").open("ab") as said:
        processes = [subprocess.Popen(command, stdout=said, stderr=said) for _ in range(count)]
    try:
        time.sleep(3)
        yield
    finally:
        for process in processes:
            process.send_signal(signal.SIGTERM)
        for process in processes:
            process.wait()


async def _prepare(queue: str) -> None:
    """Create the tables, once for all runs."""
    await (await open_shared(queue, print)).aclose()


async def _claims(server: PostgresServer) -> tuple[float, float]:
    """The median time of a claim in the first and in the last tenth of a long queue of one host.

    Two queues take turns, one in its first and one in its last tenth: how busy the machine is concerns both.
    """
    tenth = QUEUED_PAGES // CLAIMED_AT_ONCE // 10
    async with (
        aclosing(await open_shared(f"{server.address}&options=-csearch_path%3Dold", print)) as old_queue,
        aclosing(await open_shared(f"{server.address}&options=-csearch_path%3Dnew", print)) as new_queue,
    ):
        old = await _filled(old_queue)
        for _ in range(9 * tenth):
            await _claim(old)
        new = await _filled(new_queue)
        seconds = [(await _claim(new), await _claim(old)) for _ in range(tenth)]
    first, last = zip(*seconds, strict=True)
    return statistics.median(first), statistics.median(last)


async def _filled(queue: PostgresQueue) -> Frontier:
    """A run of which all pages are queued."""
    frontier = (await queue.open(await queue.begin("claims"), worker="main", model="model")).frontier
    await frontier.start([Section("http://site.example/", "page://list")])
    (start,) = await frontier.claim(1)
    names = (f"http://site.example/{number}" for number in range(QUEUED_PAGES))
    follows = [Follow("page://thing", name, name) for name in names]
    await _commit(frontier, [PageResult(Outcome(start, follows=follows), "http")])
    return frontier


async def _claim(frontier: Frontier) -> float:
    """How long a claim takes; what it brings is then acknowledged."""
    begun = time.perf_counter()
    entries = await frontier.claim(CLAIMED_AT_ONCE)
    seconds = time.perf_counter() - begun
    await _commit(
        frontier, [PageResult(Outcome(entry), "http", triples=[f"<{entry.key}> <p:> 1"]) for entry in entries]
    )
    return seconds


async def _commit(frontier: Frontier, results: list[PageResult]) -> None:
    await frontier.commit(results, valid=NOTHING_VALID, counted=Counted())


def _processor_seconds(first: int) -> float:
    """What a server has taken so far: its first process, its children that live, and those that have ended."""
    ticks = os.sysconf("SC_CLK_TCK")
    children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
    own = sum(_ticks(Path(f"/proc/{number}/stat"), slice(11, 13)) for number in (str(first), *children))
    return (own + _ticks(Path(f"/proc/{first}/stat"), slice(13, 15))) / ticks


def _ticks(stat: Path, which: slice) -> int:
    try:
        return sum(map(int, stat.read_text().rpartition(")")[2].split()[which]))
    except OSError:
        return 0
