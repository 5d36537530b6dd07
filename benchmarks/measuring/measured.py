"""What a command takes: seconds, CPU and memory of the whole tree of its processes.

``python benchmarks/measuring/measured.py RESULT.json COMMAND…`` runs the command and writes what it took. It is a
process of its own and adopts orphans, so that the CPU of a browser's processes counts, whoever has started them.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

SAMPLE_SECONDS = 0.25
LEFTOVER_SECONDS = 10.0
_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True)
class Taken:
    """What one run of a command took; ``megabytes`` is the largest sum of the memory of its processes."""

    seconds: float
    cpu: float
    megabytes: float
    exit_code: int


class Failed(Exception):
    """A command of the benchmarks did not do its work."""


def measure(
    command: list[str],
    *,
    work: Path,
    environment: dict[str, str] | None = None,
    allowed: tuple[int, ...] = (0,),
) -> Taken:
    """Run a command in a folder and say what it took; raises ``Failed`` with the end of its output."""
    result, output = work / "measured.json", work / "output.txt"
    with output.open("wb") as out:
        subprocess.run(
            [sys.executable, __file__, str(result), *command],
            cwd=work,
            env=_environment() | (environment or {}),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=subprocess.STDOUT,
            check=True,
        )
    taken = Taken(**json.loads(result.read_text()))
    if taken.exit_code not in allowed:
        end = output.read_text(errors="replace")[-3000:]
        raise Failed(f"{' '.join(command)} ended with {taken.exit_code}:\n{end}")
    return taken


def _environment() -> dict[str, str]:
    """Ours, but so that Python keeps what it compiles: installed programs are compiled, only a checkout is not."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _watch(command: list[str]) -> Taken:
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    begun = time.monotonic()
    process = subprocess.Popen(command)
    peak = 0
    while True:
        peak = max(peak, sum(_resident(one) for one in _descendants(os.getpid())))
        try:
            exit_code = process.wait(SAMPLE_SECONDS)
            break
        except subprocess.TimeoutExpired:
            continue
    seconds = time.monotonic() - begun
    _reap_rest()
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    # A peak between two samples is known at least for the largest process.
    peak = max(peak, usage.ru_maxrss * 1024)
    return Taken(seconds, usage.ru_utime + usage.ru_stime, peak / 1e6, exit_code)


def _reap_rest() -> None:
    """Wait for the processes that the command has left behind; those that stay are ended."""
    deadline = time.monotonic() + LEFTOVER_SECONDS
    while True:
        try:
            reaped, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if reaped:
            continue
        if time.monotonic() > deadline:
            for one in _descendants(os.getpid()):
                os.kill(one, signal.SIGKILL)
        time.sleep(0.02)


def _descendants(root: int) -> list[int]:
    found: list[int] = []
    waiting = [root]
    while waiting:
        one = waiting.pop()
        try:
            children = [
                int(child)
                for task in os.listdir(f"/proc/{one}/task")
                for child in Path(f"/proc/{one}/task/{task}/children").read_text().split()
            ]
        except OSError:
            continue
        found += children
        waiting += children
    return found


def _resident(process: int) -> int:
    """The memory of a process, of what it shares with others its part: a fork is no second copy."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), 0)


def main() -> None:
    """Run the command of the command line."""
    result, *command = sys.argv[1:]
    Path(result).write_text(json.dumps(asdict(_watch(command))))


if __name__ == "__main__":
    main()
