"""What a run has learnt of its hosts, kept beside its queue: their robots.txt, and how they have been doing."""

from __future__ import annotations

from contextlib import closing
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Final

from rdfcrawl.engine.frontier.sqlite import connect

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS robots (
    run INTEGER NOT NULL,
    origin TEXT NOT NULL,
    rules TEXT NOT NULL,
    PRIMARY KEY (run, origin)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS standing (
    run INTEGER NOT NULL,
    host TEXT NOT NULL,
    bound REAL NOT NULL,
    failures INTEGER NOT NULL,
    asides INTEGER NOT NULL,
    until REAL NOT NULL,
    PRIMARY KEY (run, host)
) WITHOUT ROWID;
"""


@dataclass(frozen=True, slots=True)
class HostStanding:
    """How a host stands: requests at once, failures in a row, how often it was left alone, and until when it is."""

    bound: float
    failures: int = 0
    asides: int = 0
    until: float = 0.0


class HostMemory:
    """The hosts of one run; a later start of it knows what an earlier one has learnt."""

    def __init__(self, queue: Path, run: int) -> None:
        self._run = run
        self._db = connect(queue)
        self._db.executescript(_SCHEMA)

    def robots(self) -> dict[str, str]:
        """The robots.txt of every origin that was asked for it; an empty one where there is none."""
        return dict(self._db.execute("SELECT origin, rules FROM robots WHERE run = ?", (self._run,)))

    def note_robots(self, origin: str, rules: str) -> None:
        """Keep the robots.txt of an origin."""
        with self._db:
            self._db.execute("INSERT OR REPLACE INTO robots VALUES (?, ?, ?)", (self._run, origin, rules))

    def standings(self) -> dict[str, HostStanding]:
        """How the hosts stood when it was last worth noting."""
        rows = self._db.execute("SELECT host, bound, failures, asides, until FROM standing WHERE run = ?", (self._run,))
        return {host: HostStanding(*values) for host, *values in rows}

    def note(self, host: str, standing: HostStanding) -> None:
        """Keep how a host stands."""
        with self._db:
            self._db.execute(
                "INSERT OR REPLACE INTO standing VALUES (?, ?, ?, ?, ?, ?)", (self._run, host, *astuple(standing))
            )

    def close(self) -> None:
        """Close the database."""
        self._db.close()


def forget_hosts(queue: Path, run: int) -> None:
    """Forget the hosts of a run that has ended."""
    with closing(connect(queue)) as db, db:
        db.executescript(_SCHEMA)
        for table in ("robots", "standing"):
            db.execute(f"DELETE FROM {table} WHERE run = ?", (run,))
