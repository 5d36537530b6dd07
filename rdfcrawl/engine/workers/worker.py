"""The crawl's end of one worker: questions are sent ahead, answers are handed on in their order, and its end is seen.

A worker is never trusted and never waited for: an answer that makes no sense, a page that takes too long, or a
descriptor that is closed all mean that the process is ended and that somebody else gets its questions.
"""

from __future__ import annotations

import asyncio
import resource
import signal
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.limits import RunLimits, too_much_memory, too_slow
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.workers import launching
from rdfcrawl.engine.workers.frames import FrameReader, framed
from rdfcrawl.engine.workers.launching import MAXRSS_BYTES, Launched
from rdfcrawl.engine.workers.messages import ANSWER_BOUNDS, Answer, AnswerKind

_START_SECONDS: Final = 60.0
_GRACE_SECONDS: Final = 1.0
"""How long after its own alarm a worker is killed from here."""
_CHUNK_BYTES: Final = 256 * 1024

_MOST_AHEAD: Final = 16
_MOST_BYTES_AHEAD: Final = 1024 * 1024
_MOST_SECONDS_AHEAD: Final = 0.05
"""How much work a worker has at hand, at most: it must not wait for pages, nor a page for it while others are idle."""
_FIRST_GUESS_SECONDS: Final = 0.01
_NEWEST_SHARE: Final = 0.2
_RECENT_PAGES: Final = 16


class WorkerFailure(RuntimeError):
    """An exception in a worker that nobody expects: ``what`` it is, and the ``place`` where it was raised."""

    def __init__(self, reason: str, place: str) -> None:
        super().__init__(f"reading failed in a worker, at {place}:\n{reason}")
        self.what = reason.strip().rpartition("\n")[2]
        self.place = place


@dataclass(slots=True, eq=False)
class PendingQuestion:
    """A question on its way; ``decoded`` turns its result into the answer, or raises ``Nonsense``."""

    parts: list[bytes]
    decoded: Callable[[bytes], Any]
    answer: asyncio.Future[Any]
    ended_workers: int = 0

    @property
    def size(self) -> int:
        """The bytes that are sent."""
        return sum(map(len, self.parts))


@dataclass(frozen=True, slots=True)
class WorkerEnd:
    """How a worker ended: its exit status, what it was at, what else it had at hand, and what is to be said of it.

    Without ``has_begun`` it has not even got ready to read. ``is_limit`` tells whether trying again would be pointless.
    """

    worker: Worker
    status: int
    has_begun: bool
    failure: Exception
    is_limit: bool
    current: PendingQuestion | None
    others: tuple[PendingQuestion, ...]


class Worker:
    """One process that reads pages; it starts with this object or before, and ends when it is told to or must be."""

    def __init__(
        self,
        limits: RunLimits,
        *,
        on_answers: Callable[[], None],
        on_end: Callable[[WorkerEnd], None],
        launched: Launched | None = None,
    ) -> None:
        """``on_answers`` is called when answers have come, and ``on_end`` when the process has ended.

        ``launched`` is the process, if it was started before.
        """
        self._limits = limits
        self._on_answers = on_answers
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self._asked: deque[PendingQuestion] = deque()
        self._bytes_asked = 0
        self._page_seconds = _FIRST_GUESS_SECONDS
        self._recent_seconds: deque[float] = deque(maxlen=_RECENT_PAGES)
        self._has_begun = False
        self._outgoing = bytearray()
        self._is_sending = False
        self._frames = FrameReader(ANSWER_BOUNDS)
        self._nonsense: Nonsense | None = None
        self._is_late = False
        self._head_since = 0.0
        self._watch: asyncio.TimerHandle | None = None
        self.ended: asyncio.Future[None] = self._loop.create_future()
        self._process, self._socket = launched or launching.launched()
        self._loop.add_reader(self._socket, self._receive)

    @property
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def load(self) -> int:
        """How many questions it has not answered yet."""
        return len(self._asked)

    @property
    def usual_seconds(self) -> float:
        """How much processor time a page took of late, apart from the one that took most."""
        recent = self._recent_seconds
        return (sum(recent) - max(recent)) / len(recent) if recent else 0.0

    @property
    def has_room(self) -> bool:
        """Whether it should get another question already."""
        return not self._asked or (
            len(self._asked) < _MOST_AHEAD
            and self._bytes_asked < _MOST_BYTES_AHEAD
            and len(self._asked) * self._page_seconds < _MOST_SECONDS_AHEAD
        )

    def ask(self, question: PendingQuestion) -> None:
        """Send a question; the first one brings the model and the limits."""
        if not self._asked:
            self._head_since = self._loop.time()
        self._asked.append(question)
        self._bytes_asked += question.size
        self._outgoing += framed(question.parts)
        if not self._is_sending:
            # Questions of the same moment are sent together: waking a process takes longer than many a page.
            self._is_sending = True
            self._loop.call_soon(self._send)
        self._keep_watch()

    def kill(self) -> None:
        """End the process; ``on_end`` and ``ended`` follow."""
        if not self.ended.done():
            self._process.end()

    def _send(self) -> None:
        if self.ended.done():
            return
        try:
            with memoryview(self._outgoing) as outgoing:
                sent = self._socket.send(outgoing)
        except BlockingIOError:
            sent = 0
        except OSError:
            # The process is gone, which is met where its answers are read.
            sent = len(self._outgoing)
        del self._outgoing[:sent]
        if self._outgoing:
            self._loop.add_writer(self._socket, self._send)
        else:
            self._loop.remove_writer(self._socket)
            self._is_sending = False

    def _receive(self) -> None:
        try:
            data = self._socket.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._end()
            return
        if self._nonsense is not None or self._is_late:
            return
        try:
            for parts in self._frames.feed(data):
                self._take(parts)
        except Nonsense as nonsense:
            self._nonsense = nonsense
            self.kill()
        else:
            self._on_answers()

    def _take(self, parts: list[bytes]) -> None:
        """Hand on an answer. Until it is known to make sense, its question is not answered."""
        if not self._asked:
            raise Nonsense("an answer that nobody has asked for")
        answer = Answer.from_parts(parts)
        question = self._asked[0]
        outcome = _outcome(answer, question)
        if self._has_begun:
            self._page_seconds += _NEWEST_SHARE * (answer.seconds - self._page_seconds)
            self._recent_seconds.append(answer.seconds)
        elif isinstance(outcome, Exception):
            raise Nonsense("it does not begin")
        self._has_begun = True
        self._asked.popleft()
        self._bytes_asked -= question.size
        self._head_since = self._loop.time()
        self._keep_watch()
        if not question.answer.done():
            if isinstance(outcome, Exception):
                question.answer.set_exception(outcome)
            else:
                question.answer.set_result(outcome)

    def _keep_watch(self) -> None:
        """Have the worker checked when the current question has had its time, in case its own alarm fails."""
        if not self._asked:
            return
        due = self._due()
        if self._watch is not None:
            if self._watch.when() <= due:
                return
            self._watch.cancel()
        self._watch = self._loop.call_at(due, self._look)

    def _look(self) -> None:
        self._watch = None
        if self._asked and self._loop.time() >= self._due():
            self._is_late = True
            self.kill()
        else:
            self._keep_watch()

    def _due(self) -> float:
        allowed = self._limits.extraction_seconds + _GRACE_SECONDS if self._has_begun else _START_SECONDS
        return self._head_since + allowed

    def _end(self) -> None:
        """Note that the process has closed its descriptor, and release it."""
        if self._watch is not None:
            self._watch.cancel()
        self._loop.remove_reader(self._socket)
        self._loop.remove_writer(self._socket)
        self._socket.close()
        self.kill()
        status, peak = self._process.reaped()
        failure = self._failure(status, peak)
        current, *others = self._asked or (None,)
        self._asked.clear()
        self.ended.set_result(None)
        is_limit = self._is_late or status == -signal.SIGALRM
        self._on_end(WorkerEnd(self, status, self._has_begun, failure, is_limit, current, tuple(filter(None, others))))

    def _failure(self, status: int, peak_bytes: int) -> Exception:
        """Why the process has ended, for the page that it was reading."""
        if self._is_late or status == -signal.SIGALRM:
            return FetchFailed(ProblemKind.LIMIT, too_slow(self._limits.extraction_seconds))
        if self._nonsense is not None:
            return DocumentError(f"the process that read the page answered with nonsense: {self._nonsense}")
        if status < 0 and peak_bytes > max(self._limits.worker_bytes // 2, _own_peak_bytes()):
            return FetchFailed(ProblemKind.LIMIT, too_much_memory(self._limits.worker_bytes))
        return DocumentError(f"the process that read the page died with status {status}")


def _own_peak_bytes() -> int:
    """The peak memory of this process, which a child begins with until it runs its own program."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * MAXRSS_BYTES


def _outcome(answer: Answer, question: PendingQuestion) -> Any:
    """What the asker gets, or the exception to raise there; raises ``Nonsense`` itself."""
    if answer.kind is AnswerKind.DONE:
        try:
            return question.decoded(answer.result)
        except Nonsense:
            raise
        except Exception as error:
            return error
    if answer.kind is AnswerKind.LIMIT:
        return FetchFailed(ProblemKind.LIMIT, answer.reason)
    if answer.kind is AnswerKind.UNREADABLE:
        return DocumentError(answer.reason)
    return WorkerFailure(answer.reason, answer.place)
