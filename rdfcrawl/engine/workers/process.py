"""The main program of a worker: it answers questions over one descriptor, within its limits, until none is left."""

from __future__ import annotations

import ctypes
import os
import resource
import signal
import socket
import sys
import traceback
from contextlib import suppress
from time import process_time
from typing import BinaryIO, Final, cast

import turbohtml  # noqa: F401 - the first page should not wait for it, nor find that there is no memory left for it
from lxml import etree

from rdfcrawl.engine.document.errors import DocumentError, DocumentLimit
from rdfcrawl.engine.document.markup import is_out_of_memory
from rdfcrawl.engine.extract.packing import TooLong
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.faults import place_of_fault
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.limits import RunLimits, too_much_memory
from rdfcrawl.engine.memory import give_memory_back, look_for_garbage_rarely
from rdfcrawl.engine.workers.frames import framed, read_frame
from rdfcrawl.engine.workers.messages import (
    MOST_RESULT_BYTES,
    QUESTION_BOUNDS,
    Answer,
    AnswerKind,
    Question,
    start_from_parts,
)
from rdfcrawl.engine.workers.tasks import Workplace, task_of

_PR_SET_PDEATHSIG: Final = 1
_MOST_OPEN_FILES: Final = 64
_LEAST_ROOM_BYTES: Final = 16 * 1024 * 1024
"""What must be left for a page; a worker with less would only refuse one page after the other."""
_NO_ROOM_STATUS: Final = 3
_READ_AHEAD_BYTES: Final = 256 * 1024


def main() -> None:
    """Answer on the descriptor that the command line names, as long as the process that it names lives."""
    descriptor, parent = map(int, sys.argv[1:3])
    _end_with(parent)
    # The default action of an alarm ends a process also while libxml2 is at work, which no Python code could.
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    connection = socket.socket(fileno=descriptor)
    try:
        status = _serve(connection)
    except BaseException:
        traceback.print_exc()
        status = 1
    # Python would close the connection before it ends, and the crawl would not wait for the status.
    os._exit(status)


def _serve(connection: socket.socket) -> int:
    """Answer until there are no more questions; returns the exit status."""
    questions = cast(BinaryIO, connection.makefile("rb", buffering=_READ_AHEAD_BYTES))
    if (start := read_frame(questions, QUESTION_BOUNDS)) is None:
        return 0
    model, limits = start_from_parts(start)
    _keep_to(limits)
    try:
        bytearray(_LEAST_ROOM_BYTES)
    except MemoryError:
        return _NO_ROOM_STATUS
    workplace = Workplace(build_plan(model), limits)
    look_for_garbage_rarely()
    _be_silent()
    connection.sendall(framed(Answer(AnswerKind.DONE, 0.0).parts()))
    while (parts := read_frame(questions, QUESTION_BOUNDS)) is not None:
        signal.setitimer(signal.ITIMER_REAL, limits.extraction_seconds)
        answer = _answer(workplace, Question.from_parts(parts))
        signal.setitimer(signal.ITIMER_REAL, 0)
        connection.sendall(framed(answer.parts()))
    return 0


def _answer(workplace: Workplace, question: Question) -> Answer:
    begun = process_time()
    try:
        result = task_of(question.task)(workplace, question)
        if len(result) > MOST_RESULT_BYTES:
            raise TooLong(len(result), MOST_RESULT_BYTES)
    except Exception as error:
        return _in_words(error, workplace.limits, process_time() - begun)
    return Answer(AnswerKind.DONE, process_time() - begun, result)


def _in_words(error: Exception, limits: RunLimits, seconds: float) -> Answer:
    """Why a page could not be read; expected trouble is told apart from bugs."""
    if isinstance(error, MemoryError) or (isinstance(error, etree.LxmlError) and is_out_of_memory(error)):
        # What was taken hangs from the traceback.
        error.__traceback__ = None
        give_memory_back()
        return Answer(AnswerKind.LIMIT, seconds, reason=too_much_memory(limits.worker_bytes))
    if isinstance(error, FetchFailed | TooLong | DocumentLimit):
        return Answer(AnswerKind.LIMIT, seconds, reason=str(error))
    if isinstance(error, DocumentError):
        return Answer(AnswerKind.UNREADABLE, seconds, reason=str(error))
    if isinstance(error, UnicodeDecodeError):
        # libxml2 takes over some characters that do not exist, and lxml cannot give them out.
        return Answer(AnswerKind.UNREADABLE, seconds, reason=f"the document has characters that do not exist: {error}")
    reason = "".join(traceback.format_exception(error))
    return Answer(AnswerKind.FAILED, seconds, reason=reason, place=place_of_fault(error))


def _keep_to(limits: RunLimits) -> None:
    """Limit the resources of this process; limits that the system does not have are left out."""
    for kind, most in (
        (resource.RLIMIT_AS, limits.worker_bytes),
        (resource.RLIMIT_NOFILE, _MOST_OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        _, hard = resource.getrlimit(kind)
        lowered = most if hard == resource.RLIM_INFINITY else min(most, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(kind, (lowered, lowered))


def _be_silent() -> None:
    """Let nothing that a library prints reach the terminal; until here it may say why the process cannot begin."""
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), sys.stderr.fileno())


def _end_with(parent: int) -> None:
    """End as soon as the parent process is gone; on systems that cannot do that, after the current page."""
    if (prctl := getattr(ctypes.CDLL(None), "prctl", None)) is not None:
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(0)
