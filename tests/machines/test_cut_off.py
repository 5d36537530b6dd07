"""A worker on another network, which is cut off for a while: less than its lease, and more."""

from __future__ import annotations

import asyncio
import ctypes
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from tests.book_site import book_site
from tests.faults.test_kill_points import graphs
from tests.machines.fleet import crawled, fleet, impatient, leader, until, worker
from tests.postgres_server import controlled_server

_NEW_NETWORK = 0x40000000


@dataclass(frozen=True, slots=True)
class Network:
    """A network of its own, and the address of this machine in it."""

    name: str
    here: str

    def cut(self) -> None:
        _ip("link", "set", f"{self.name}-a", "down")

    def mend(self) -> None:
        _ip("link", "set", f"{self.name}-a", "up")

    def enter(self) -> None:
        """Let this process be on that network."""
        with Path("/var/run/netns", self.name).open() as file:
            assert ctypes.CDLL(None).setns(file.fileno(), _NEW_NETWORK) == 0


@contextmanager
def network() -> Iterator[Network]:
    if os.geteuid() != 0 or shutil.which("ip") is None:
        pytest.skip("only root can make a network of its own, with the program ip")
    name, part = f"rc{os.getpid() % 10_000}", os.getpid() % 250
    made = Network(name, f"10.213.{part}.1")
    try:
        _ip("netns", "add", name)
    except subprocess.CalledProcessError:
        pytest.skip("networks cannot be made here")
    try:
        _ip("link", "add", f"{name}-a", "type", "veth", "peer", "name", f"{name}-b", "netns", name)
        _ip("addr", "add", f"{made.here}/24", "dev", f"{name}-a")
        _ip("link", "set", f"{name}-a", "up")
        _ip("-n", name, "addr", "add", f"10.213.{part}.2/24", "dev", f"{name}-b")
        _ip("-n", name, "link", "set", f"{name}-b", "up")
        yield made
    finally:
        _ip("netns", "del", name)


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("seconds", [0.5, 6.0], ids=["less than its lease", "more than its lease"])
async def test_a_worker_that_is_cut_off(tmp_path: Path, seconds: float) -> None:
    """Either way the graph is that of an undisturbed run; after more than the lease others have read its pages."""
    model, store = tmp_path / "books.ttl", tmp_path / "store"
    with network() as apart, controlled_server(port=_free_port()) as server:
        async with book_site(24, host=apart.here) as site:
            model.write_text(site.model)
            expected = await crawled(model, tmp_path / "undisturbed")
            site.asked.clear()
            queue = f"postgresql://tester@{apart.here}:{server.address.rpartition('=')[2]}/postgres"
            far = worker(queue, "--concurrency", "1", first=partial(impatient, apart.enter))
            leading = leader(server.address, model, store, "--no-crawl")
            await until(lambda: len(site.asked) > 5)
            apart.cut()
            async with fleet(server.address, 1 if seconds > 1 else 0, "--concurrency", "1"):
                await asyncio.sleep(seconds)
                apart.mend()
                assert await leading.ended() == 0, leading.said
            os.kill(far.pid, signal.SIGTERM)
            assert await far.ended() == 0, far.said
    assert graphs(store) == expected


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
