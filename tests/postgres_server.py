"""A real PostgreSQL server in a temporary folder, on a socket."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.forking import place_in_memory


def programs() -> Path | None:
    """The folder of the server's programs; Debian does not put it into the path."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


SHARED = "RDFCRAWL_TESTS_POSTGRES"
"""The variable that names a folder for what all servers begin with."""
_MOST_STARTS = 60


class PostgresServer:
    """A server that can be killed and started again."""

    def __init__(self, programs: Path, place: Path, *, port: int | None = None, fsync: bool = False) -> None:
        """Without a port it is reached by its socket alone; without ``fsync`` it does not wait for the disk."""
        self._programs = programs
        self._place = place
        self._data = place / "data"
        self._user = "postgres" if os.geteuid() == 0 else None
        listening = f"-c listen_addresses=* -p {port}" if port else "-c listen_addresses=''"
        # Every connection is a process that maps all of the memory for pages, and a queue of tests has few of these.
        self._options = f"-k {place} {listening}" + ("" if fsync else " -c fsync=off -c shared_buffers=8MB")
        self.address = f"postgresql://tester@/postgres?host={place}" + (f"&port={port}" if port else "")
        if self._user:
            shutil.chown(place, self._user)
        self._initialise()
        if port:
            with (self._data / "pg_hba.conf").open("a") as rules:
                rules.write("host all all 0.0.0.0/0 trust\n")

    def _initialise(self) -> None:
        """Make what a server begins with, or copy that of the first one: making it takes longer than most tests."""
        if (shared := os.environ.get(SHARED)) is None:
            self._make_data()
            return
        with open(f"{shared}.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not Path(shared).exists():
                self._make_data()
                _copy(self._data, Path(f"{shared}.new"))
                os.rename(f"{shared}.new", shared)
                return
        _copy(Path(shared), self._data)

    def _make_data(self) -> None:
        self._run("initdb", "-D", str(self._data), "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8")

    def start(self) -> None:
        """Start it, and wait until it answers; what a killed one has left may still be ending."""
        for tries in range(_MOST_STARTS):
            try:
                self._control("-o", self._options, "-l", str(self._place / "log"), "-w", "-t", "240", "start")
                return
            except subprocess.CalledProcessError:
                if tries == _MOST_STARTS - 1:
                    raise
                time.sleep(0.2)

    def stop(self) -> None:
        """End it as a power cut would, but for what the system still writes."""
        self._control("-m", "immediate", "stop")

    @property
    def process(self) -> int:
        """The number of its first process."""
        return int((self._data / "postmaster.pid").read_text().split("\n", 1)[0])

    def kill(self) -> None:
        """End its first process by ``kill -9``; the others notice that."""
        first = self.process
        os.kill(first, signal.SIGKILL)
        while _is_running(first):
            time.sleep(0.01)

    def _control(self, *arguments: str) -> None:
        self._run("pg_ctl", "-D", str(self._data), *arguments)

    def _run(self, program: str, *arguments: str) -> None:
        command = [self._programs / program, *arguments]
        subprocess.run(command, check=True, user=self._user, cwd=self._place, stdout=subprocess.DEVNULL, timeout=300)


@contextmanager
def controlled_server(*, port: int | None = None, fsync: bool = False) -> Iterator[PostgresServer]:
    """A server without any table; the test is skipped where there is none."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed; scripts/install-postgres installs it")
    # The path of a socket is short, and the server refuses to be root.
    place = Path(tempfile.mkdtemp(prefix="pg-", dir=(None if fsync else place_in_memory()) or "/tmp"))
    try:
        server = PostgresServer(folder, place, port=port, fsync=fsync)
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(place)


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server without any table; the test is skipped where there is none."""
    with controlled_server() as server:
        yield server.address


def _copy(folder: Path, place: Path) -> None:
    """With owners and permissions, on which the server insists."""
    subprocess.run(["cp", "-a", str(folder), str(place)], check=True)


def _is_running(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
