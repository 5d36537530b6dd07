"""Processes that answer one query each: started anew, or forked from one that has everything imported.

Starting Python takes four times as long as a small query does. Where many are asked, one process is kept that does
nothing but fork itself (see ``template``); what it forks is as limited and as alone as what is started anew.
"""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import IO, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError

STATUS: Final = struct.Struct("=i")
"""How the template reports the end of a process: with its exit status, or the negative number of a signal."""

_TRIES: Final = 2


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process has ended: its exit status, or the negative number of a signal, and what it said on its errors."""

    status: int
    said: bytes


Run = Callable[[bytes, IO[bytes], float | None], Ended]
"""Give a process its request, let it write its answer into a file, and wait for its end, at most so many seconds.

Blocks; a process that takes longer is killed, and ``TimeoutError`` raised.
"""


def run_anew(request: bytes, output: IO[bytes], seconds: float | None) -> Ended:
    """Start a process for one request."""
    command = [sys.executable, "-P", "-m", "rdfcrawl.store.query.process"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=subprocess.PIPE) as process:
        try:
            _, said = process.communicate(request, timeout=seconds)
        except BaseException as error:
            process.kill()
            if isinstance(error, subprocess.TimeoutExpired):
                raise TimeoutError from None
            raise
    return Ended(process.returncode, said)


class Template:
    """A process that is forked for every request; it is started when it is first needed, and again if it is lost."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._closed = False

    def run(self, request: bytes, output: IO[bytes], seconds: float | None) -> Ended:
        """Fork a process for one request; several may be under way at once."""
        with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as said:
            asked.write(request)
            asked.flush()
            for _ in range(_TRIES):
                asked.seek(0)
                ours, theirs = socket.socketpair()
                with ours:
                    with theirs:
                        self._hand_over((asked.fileno(), output.fileno(), said.fileno(), theirs.fileno()))
                    ours.settimeout(seconds)
                    # Who no longer waits closes the connection, which ends the process.
                    status = ours.recv(STATUS.size)
                if status:
                    said.seek(0)
                    return Ended(STATUS.unpack(status)[0], said.read())
                # The template was killed, and with it what it had forked.
                output.seek(0)
                output.truncate()
        raise StoreError("the process that answers queries was ended twice")

    def close(self) -> None:
        """End the process for good, and everything that it has forked."""
        with self._lock:
            self._closed = True
            self._let_go()

    def _hand_over(self, files: Iterable[int]) -> None:
        with self._lock:
            with suppress(OSError):
                socket.send_fds(self._connected(), [b"?"], list(files))
                return
            self._let_go()
            socket.send_fds(self._connected(), [b"?"], list(files))

    def _connected(self) -> socket.socket:
        if self._closed:
            raise StoreError("no queries are answered any more")
        if self._connection is None:
            self._connection, theirs = socket.socketpair()
            command = [sys.executable, "-P", "-m", "rdfcrawl.store.query.template", str(theirs.fileno())]
            with theirs:
                # A session of its own: who interrupts the server at a terminal means the server.
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=(theirs.fileno(),),
                    start_new_session=True,
                )
        return self._connection

    def _let_go(self) -> None:
        if self._connection is not None and self._process is not None:
            self._connection.close()
            self._process.wait()
        self._connection = self._process = None
