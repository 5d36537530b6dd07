"""Shortcuts of the tests: processes are forked from one that has everything imported, and nobody waits for the disk.

Starting Python and importing takes most of the time of a small command, of a worker that reads a few pages and of a
query; everything after that is the same. Tests of how such processes start, are limited and end use the fixture
``cold_processes``. The tests of faults wait for the disk.
"""

from __future__ import annotations

import multiprocessing
import multiprocessing.forkserver
import multiprocessing.resource_tracker
import os
import shutil
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import IO, Final

import pytest

from rdfcrawl.engine.workers import launching
from rdfcrawl.engine.workers import process as worker_process
from rdfcrawl.store.query import process as query_process
from rdfcrawl.store.query import processes

Shortcuts = tuple[Callable[[], None], ...]

FORKING: Final = multiprocessing.get_context("forkserver")
# A child also imports the program that asked for it, which is pytest.
FORKING.set_forkserver_preload(["pytest", "tests.warm"])

_SHARED: Final = "RDFCRAWL_TESTS_FORKSERVER"
_MEMORY: Final = "/dev/shm"
_ENOUGH_BYTES: Final = 6 << 30
_COLD: Final = (
    (launching, "launched", launching.launched),
    (processes, "run_anew", processes.run_anew),
    (processes.Template, "run", processes.Template.run),
)
_SYNCHRONISED: Final = ((os, "fsync", os.fsync), (os, "fdatasync", os.fdatasync))


def share_forkserver() -> None:
    """Start the process that all others are forked from now, once for everybody who inherits this environment."""
    known = multiprocessing.forkserver._forkserver  # type: ignore[attr-defined]
    known.ensure_running()
    # As long as somebody has this file open, it waits for requests.
    os.environ[_SHARED] = f"/proc/{os.getpid()}/fd/{known._forkserver_alive_fd} {known._forkserver_address}"


def use_warm_processes() -> None:
    """Fork whatever rdfcrawl starts in this process from now on."""
    # A daemon may have no children.
    multiprocessing.current_process().daemon = False
    known = multiprocessing.forkserver._forkserver  # type: ignore[attr-defined]
    if known._forkserver_address is None and (shared := os.environ.get(_SHARED)):
        held, _, known._forkserver_address = shared.partition(" ")
        known._forkserver_alive_fd = os.open(held, os.O_WRONLY | os.O_CLOEXEC)
    if known._forkserver_address is not None and known._forkserver_pid is None:
        # This process did not start the one that forks. It knows how to ask it, but Python would start another one.
        known.ensure_running = multiprocessing.resource_tracker.ensure_running
    launching.launched = _launched  # type: ignore[assignment]
    processes.run_anew = _run_query
    processes.Template.run = lambda _, *arguments: _run_query(*arguments)  # type: ignore[method-assign]


def skip_synchronisation() -> None:
    """Do not wait for the disk: no test cuts the power, and ``kill -9`` loses nothing that was written."""
    os.fsync = os.fdatasync = _do_not_wait


def place_in_memory() -> str | None:
    """Memory where there is enough: databases wait for a disk as often as they would for a user's data."""
    with suppress(OSError):
        if shutil.disk_usage(_MEMORY).free >= _ENOUGH_BYTES:
            return _MEMORY
    return None


def use_cold_processes(patch: pytest.MonkeyPatch) -> None:
    """Let rdfcrawl start its processes itself."""
    for module, name, original in _COLD:
        patch.setattr(module, name, original)


def synchronise(patch: pytest.MonkeyPatch) -> None:
    """Wait for the disk again."""
    for module, name, original in _SYNCHRONISED:
        patch.setattr(module, name, original)


def shortcuts_taken() -> Shortcuts:
    """Which of these shortcuts this process takes, for another one to take as well."""
    taken = ((use_warm_processes, launching.launched is _launched), (skip_synchronisation, os.fsync is _do_not_wait))
    return tuple(shortcut for shortcut, is_taken in taken if is_taken)


def take_surroundings(environment: Mapping[str, str], *streams: str | os.PathLike[str] | int) -> None:
    """Give a forked process these variables and these files, by path or open, as its first standard streams."""
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()
    for number, stream in enumerate(streams):
        opened = stream if isinstance(stream, int) else os.open(stream, os.O_RDWR)
        os.dup2(opened, number)
        os.close(opened)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115 - multiprocessing has put another one in its place


def _do_not_wait(descriptor: int) -> None:
    pass


class ForkedWorker:
    """A worker that is not the child of its crawl; its number may be another process's as soon as it has ended."""

    def __init__(self, connection: socket.socket, environment: Mapping[str, str]) -> None:
        self._process = FORKING.Process(target=_work, args=(connection, environment), daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid: int = self._process.pid
        self._handle = os.pidfd_open(self.pid)

    def end(self) -> None:
        """Kill it."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def reaped(self) -> tuple[int, int]:
        """Its exit status, when it has ended; how much memory it had is not known."""
        self._process.join()
        os.close(self._handle)
        assert self._process.exitcode is not None
        return self._process.exitcode, 0


def _launched() -> tuple[ForkedWorker, socket.socket]:
    ours, theirs = socket.socketpair()
    with theirs:
        kept = {name: value for name, value in os.environ.items() if name.startswith(launching.KEPT_VARIABLES)}
        forked = ForkedWorker(theirs, kept)
    ours.setblocking(False)
    return forked, ours


def _work(connection: socket.socket, environment: Mapping[str, str]) -> None:
    os.setsid()
    take_surroundings(environment, os.devnull, os.devnull)
    sys.argv = ["worker", str(connection.detach()), str(os.getppid())]
    worker_process.main()


def _run_query(request: bytes, output: IO[bytes], seconds: float | None) -> processes.Ended:
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
        asked.write(request)
        asked.flush()
        streams = [f"/proc/{os.getpid()}/fd/{file.fileno()}" for file in (asked, output, said)]
        forked = FORKING.Process(target=_answer, args=(dict(os.environ), streams), daemon=True)
        forked.start()
        try:
            forked.join(seconds)
        finally:
            if (status := forked.exitcode) is None:
                forked.kill()
        if status is None:
            raise TimeoutError
        said.seek(0)
        return processes.Ended(status, said.read())


def _answer(environment: Mapping[str, str], streams: list[str]) -> None:
    take_surroundings(environment, *streams)
    query_process.main()
