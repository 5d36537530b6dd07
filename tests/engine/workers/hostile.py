"""A worker in which pages do what they must not: the real program, with a task that obeys what a page says."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Final

from rdfcrawl.engine.workers import process
from rdfcrawl.engine.workers.frames import framed
from rdfcrawl.engine.workers.messages import Answer, AnswerKind, Question
from rdfcrawl.engine.workers.tasks import Workplace, read

PROGRAM: Final = "import sys; sys.path[:] = sys.argv[3:]; from tests.engine.workers.hostile import main; main()"


def main() -> None:
    """Be a worker, except for pages that name a misdeed: ``<!--kill-->``, or ``<!--kill FILE-->`` to do it once."""
    process.TASKS = {"read": obedient}
    process.main()


def obedient(workplace: Workplace, question: Question) -> bytes:
    """Do what the page says, then read it."""
    body = question.documents[0].body.decode()
    if body.startswith("<!--"):
        misdeed, _, once = body.removeprefix("<!--").partition("-->")[0].partition(" ")
        if not once or not Path(once).exists():
            if once:
                Path(once).touch()
            MISDEEDS[misdeed]()
    return read(workplace, question)


def tell(content: bytes) -> None:
    """Send to the crawl."""
    os.write(int(sys.argv[1]), content)


def chatter() -> None:
    """Print as libraries do, above and below Python."""
    print("something" * 10_000, flush=True)
    print("something" * 10_000, file=sys.stderr, flush=True)
    os.write(1, b"\x89rdf" * 10_000)
    os.write(2, b"\x89rdf" * 10_000)


def loop() -> None:
    """Never end, whatever rings."""
    signal.setitimer(signal.ITIMER_REAL, 0)
    while True:
        pass


def fail() -> None:
    """Raise an unexpected exception."""
    raise KeyError("a fault")


def answered_with(result: bytes) -> Callable[[], None]:
    """Answer in the right form."""
    return lambda: tell(framed(Answer(AnswerKind.DONE, 0.0, result).parts()))


MISDEEDS: Final[dict[str, Callable[[], object]]] = {
    "kill": lambda: os.kill(os.getpid(), signal.SIGKILL),
    "crash": lambda: ctypes.string_at(0),
    "exit": lambda: os._exit(7),
    "close": lambda: os.close(int(sys.argv[1])),
    "garbage": lambda: tell(b"garbage" * 1000),
    "huge-frame": lambda: tell(b"\x89rdf" + (2).to_bytes(4) + (2).to_bytes(8) + (2**50).to_bytes(8)),
    "no-extraction": answered_with(b"[]"),
    "half-frame": lambda: (tell(framed([b"[", b""])[:-1]), os._exit(0)),
    "two-answers": lambda: [answered_with(b"")() for _ in range(2)],
    "chatter": chatter,
    "loop": loop,
    "fail": fail,
}
