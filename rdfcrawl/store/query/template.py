"""The process that is forked for queries: it reads none itself, has one thread, and ends when its owner is gone.

A request comes as four files over the connection: standard input, output and errors of the process to be, and a
connection on which its end is reported. If the other side closes that one, the process is killed.
"""

from __future__ import annotations

import ctypes
import os
import selectors
import signal
import socket
import sys
from contextlib import suppress
from typing import Final

from rdfcrawl.store.query import process
from rdfcrawl.store.query.processes import STATUS

_PR_SET_PDEATHSIG: Final = 1
_STREAMS: Final = 3


class _Forks:
    """The processes that are under way, and who waits for them."""

    def __init__(self, owner: socket.socket) -> None:
        self._owner = owner
        self._watched = selectors.DefaultSelector()
        self._waiting: dict[int, socket.socket] = {}
        self._ended, ended = socket.socketpair()
        for end in (self._ended, ended):
            end.setblocking(False)
        self._told = ended
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(ended.fileno(), warn_on_full_buffer=False)
        self._watched.register(owner, selectors.EVENT_READ)
        self._watched.register(self._ended, selectors.EVENT_READ)

    def serve(self) -> None:
        """Fork for every request, until nobody is there to ask."""
        while True:
            for key, _ in self._watched.select():
                if key.fileobj is self._owner:
                    if not self._take():
                        return
                elif key.fileobj is self._ended:
                    self._report()
                elif key.data in self._waiting:
                    # Whoever waited has closed the connection; the number is this process's own until it is reported.
                    self._watched.unregister(key.fileobj)
                    os.kill(key.data, signal.SIGKILL)

    def kill(self) -> None:
        """End all of them, and wait until they are gone."""
        for number in self._waiting:
            os.kill(number, signal.SIGKILL)
        for number in self._waiting:
            os.waitpid(number, 0)

    def _take(self) -> bool:
        _, files, _, _ = socket.recv_fds(self._owner, 1, _STREAMS + 1)
        if len(files) != _STREAMS + 1:
            return False
        waiting = socket.socket(fileno=files[_STREAMS])
        try:
            number = os.fork()
        except OSError as error:
            # Others that are under way go on.
            os.write(files[_STREAMS - 1], process.told(f"no process for the query: {error}"))
            waiting.send(STATUS.pack(process.FAILURE))
        else:
            if number == 0:
                _become_query(files[:_STREAMS])
            self._waiting[number] = waiting
            self._watched.register(waiting, selectors.EVENT_READ, number)
        for file in files[:_STREAMS]:
            os.close(file)
        return True

    def _report(self) -> None:
        with suppress(BlockingIOError):
            while self._ended.recv(1 << 10):
                pass
        for number in list(self._waiting):
            found, status = os.waitpid(number, os.WNOHANG)
            if found:
                with self._waiting.pop(number) as waiting:
                    with suppress(KeyError):
                        self._watched.unregister(waiting)
                    with suppress(OSError):
                        waiting.send(STATUS.pack(os.waitstatus_to_exitcode(status)))


def _become_query(files: list[int]) -> None:
    """Go on as the process of one query, with its own files and none of the template's."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if (prctl := getattr(ctypes.CDLL(None), "prctl", None)) is not None:
            prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        for number, file in enumerate(files):
            os.dup2(file, number)
        os.closerange(_STREAMS, os.sysconf("SC_OPEN_MAX"))
        process.main()
        status = 0
    except BaseException as error:
        sys.stderr.write(f"\n{type(error).__name__}: {error}")
        sys.stderr.flush()
    finally:
        os._exit(status)


def main() -> None:
    """Serve the owner of the connection whose number is the first argument."""
    forks = _Forks(socket.socket(fileno=int(sys.argv[1])))
    try:
        forks.serve()
    finally:
        forks.kill()


if __name__ == "__main__":
    main()
