"""Hosts on one machine share the pace, whatever they are called."""

from __future__ import annotations

import asyncio
import socket

import pytest

from rdfcrawl.engine.frontier.hosts import ShortMemory
from rdfcrawl.engine.manners.machines import Machines
from rdfcrawl.engine.manners.pace import HostGates, Manners

NAMES = {"www.one.test": ["192.0.2.9", "192.0.2.1"], "one.test": ["192.0.2.1"], "two.test": ["192.0.2.2"]}


class Reserved(ShortMemory):
    """A memory that notes which turns were reserved, and makes nobody wait."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: list[tuple[str, float]] = []

    async def reserve(self, host: str, delay: float) -> float:
        self.turns.append((host, delay))
        return 0.0


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names that were looked up, in a network that knows only those above."""
    asked: list[str] = []

    def getaddrinfo(host: str, *args: object, **kwargs: object) -> list[tuple[object, ...]]:
        asked.append(host)
        if host not in NAMES:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 0)) for address in NAMES[host]]

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return asked


async def test_a_host_is_known_by_its_ip_address(asked: list[str]) -> None:
    """The least of several, since they come in any order; without one it stays what it is."""
    machines = Machines()
    hosts = ("www.one.test", "one.test:8080", "two.test", "unknown.test:80", "192.0.2.7:81", "[2001:db8::1]:80")
    assert [await machines.machine_of(host) for host in hosts] == [
        "192.0.2.1",
        "192.0.2.1",
        "192.0.2.2",
        "unknown.test:80",
        "192.0.2.7",
        "2001:db8::1",
    ]
    assert asked == ["www.one.test", "one.test", "two.test", "unknown.test"]


async def test_a_host_is_looked_up_once_however_many_wait(asked: list[str]) -> None:
    """One that gives up does not take the answer from the others."""
    machines = Machines()
    waiting = [asyncio.create_task(machines.machine_of("one.test")) for _ in range(3)]
    await asyncio.sleep(0)
    waiting[0].cancel()
    assert await asyncio.gather(*waiting[1:]) == ["192.0.2.1"] * 2
    assert asked == ["one.test"]


async def test_hosts_on_one_machine_take_turns(asked: list[str]) -> None:
    """Each turn keeps everybody else on the machine waiting for as long as its own host demands."""
    memory = Reserved()
    gates = HostGates(Manners({"one.test": 5.0}), memory, Machines().machine_of)
    for host in ("one.test", "www.one.test", "two.test", "127.0.0.1:8000"):
        async with gates.turn(host):
            pass
    assert memory.turns == [("192.0.2.1", 5.0), ("192.0.2.1", 0.25), ("192.0.2.2", 0.25)]
    assert "127.0.0.1" not in asked
