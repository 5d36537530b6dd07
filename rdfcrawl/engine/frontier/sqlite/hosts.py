"""What a run has learnt about its hosts, kept with its entries."""

from __future__ import annotations

import sqlite3
from dataclasses import astuple

from rdfcrawl.engine.frontier.hosts import HostStanding, ShortMemory
from rdfcrawl.engine.frontier.sqlite.database import writing


class SqliteHostMemory(ShortMemory):
    """The hosts of one run; their turns are kept in memory, because no other process sends requests."""

    def __init__(self, db: sqlite3.Connection, run: int) -> None:
        super().__init__()
        self._db = db
        self._run = run

    async def robots(self) -> dict[str, str]:
        """The robots.txt of every origin that was asked for it; an empty one where there is none."""
        return dict(self._db.execute("SELECT origin, rules FROM robots WHERE run = ?", (self._run,)))

    async def note_robots(self, origin: str, rules: str) -> None:
        """Keep the robots.txt of an origin."""
        with writing(self._db):
            self._db.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (self._run, origin, rules))

    async def public_hosts(self) -> frozenset[str]:
        """The hosts of sections that were in the public internet, in this run or in any before it."""
        return frozenset(host for (host,) in self._db.execute("SELECT host FROM public_host"))

    async def note_public(self, host: str) -> None:
        """Keep, for all later runs, that a section's host is in the public internet."""
        with writing(self._db):
            self._db.execute("INSERT OR IGNORE INTO public_host VALUES (?)", (host,))

    async def standings(self) -> dict[str, HostStanding]:
        """The standing of the hosts as last noted."""
        rows = self._db.execute("SELECT host, bound, failures, asides, until FROM standing WHERE run = ?", (self._run,))
        return {host: HostStanding(*values) for host, *values in rows}

    async def note(self, host: str, standing: HostStanding) -> None:
        """Keep the standing of a host."""
        with writing(self._db):
            self._db.execute(
                "INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?, ?, ?)", (self._run, host, *astuple(standing))
            )
