"""Starts the processes that read pages; it imports little, so that one can start while the crawl is still importing."""

from __future__ import annotations

import contextlib
import os
import signal
import socket
import subprocess
import sys
from typing import Final, NamedTuple

_PROGRAM: Final = (
    "import gc, sys; gc.disable(); sys.path[:] = sys.argv[3:]; "
    "from rdfcrawl.engine.workers.process import main; gc.enable(); main()"
)
"""A worker imports what the crawl would import, and nothing that happens to lie in the current folder.

What is imported is no garbage; to look for some meanwhile takes a sixth of the time.
"""

KEPT_VARIABLES: Final = ("PYTHON", "LANG", "LC_", "TZ", "HOME", "PATH", "TMPDIR", "LD_", "DYLD_")
"""What the names of the environment variables begin with that a worker gets; secrets of the crawl are in others."""

MAXRSS_BYTES: Final = 1 if sys.platform == "darwin" else 1024
"""The unit in which the system counts the peak memory of a process."""

_UNKNOWN_STATUS: Final = 255


class WorkerProcess(subprocess.Popen[bytes]):
    """A process that nobody but its worker waits for, so that its exit status is not lost."""

    def end(self) -> None:
        """Kill it."""
        # Popen's own kill might take the exit status away from whoever notes the end.
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def reaped(self) -> tuple[int, int]:
        """Its exit status and its peak memory, when it has ended."""
        try:
            _, status, usage = os.wait4(self.pid, 0)
        except ChildProcessError:
            # Somebody in this process waits for everybody's children.
            self.returncode = _UNKNOWN_STATUS
            return _UNKNOWN_STATUS, 0
        self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode, usage.ru_maxrss * MAXRSS_BYTES


class Launched(NamedTuple):
    """A process that was started, and our end of the connection to it."""

    process: WorkerProcess
    connection: socket.socket


def launched() -> Launched:
    """A new process, which waits for a model."""
    ours, theirs = socket.socketpair()
    with theirs:
        try:
            process = WorkerProcess(
                [sys.executable, "-P", "-c", _PROGRAM, str(theirs.fileno()), str(os.getpid()), *sys.path],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={name: value for name, value in os.environ.items() if name.startswith(KEPT_VARIABLES)},
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        except OSError:
            ours.close()
            raise
    ours.setblocking(False)
    return Launched(process, ours)


def launched_ahead() -> Launched | None:
    """A new process for a pool that does not exist yet, if one can be started; if not, the pool will say why."""
    try:
        return launched()
    except OSError:
        return None
