"""Runs ``rdfcrawl`` and kills it, as ``kill -9`` does, before or after a named function is called for the n-th time.

A line of JSON asks for one run: ``[point, moment, number, arguments]``, where the point is ``MODULE:NAME``, or null for
a run that is left alone. A line of JSON answers: its exit code and what it wrote to standard error. Every run is a
process of its own, forked from one that has everything imported, which takes most of the time of a small run.
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import tempfile
from typing import Any

import rdfcrawl.cli.run
from rdfcrawl.cli import main


def kill_at(point: str, moment: str, number: int) -> None:
    """Put the kill in place of a function."""
    module_name, _, path = point.partition(":")
    owner: Any = importlib.import_module(module_name)
    *outer, name = path.split(".")
    for part in outer:
        owner = getattr(owner, part)
    original = getattr(owner, name)
    calls = 0

    def killed(*arguments: Any, **options: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == number and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        result = original(*arguments, **options)
        if calls == number and moment == "after":
            os.kill(os.getpid(), signal.SIGKILL)
        return result

    setattr(owner, name, killed)


def run(point: str | None, moment: str, number: int, arguments: list[str]) -> tuple[int, str]:
    """One run in a process of its own."""
    with tempfile.TemporaryFile("w+") as errors:
        child = os.fork()
        if child == 0:
            os.dup2(errors.fileno(), 2)
            if point is not None:
                kill_at(point, moment, number)
            sys.argv = ["rdfcrawl", *arguments]
            try:
                main()
            except SystemExit as end:
                os._exit(end.code if isinstance(end.code, int) else 1)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        errors.seek(0)
        return os.waitstatus_to_exitcode(status), errors.read()


if __name__ == "__main__":
    assert rdfcrawl.cli.run
    for line in sys.stdin:
        print(json.dumps(run(*json.loads(line))), flush=True)
