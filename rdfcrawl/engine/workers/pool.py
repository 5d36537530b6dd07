"""The processes that read the pages of a crawl: all alike, limited, and replaced when they end.

Nothing that a page contains is parsed or evaluated in the crawl's own process: a page may cost any amount of time and
memory, or crash a library. So what reads pages is not even imported here, with the exception of modules that know both
sides of a seldom task.
"""

from __future__ import annotations

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.packing import from_bytes
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.workers.launching import Launched
from rdfcrawl.engine.workers.messages import (
    FILE,
    FORM,
    LOGIN,
    READ,
    SURVEY,
    TEXT,
    TRACE,
    VISIBLE,
    WEIGH,
    Question,
    start_parts,
)
from rdfcrawl.engine.workers.worker import PendingQuestion, Worker, WorkerEnd
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Model, Page, Section

if TYPE_CHECKING:
    from rdfcrawl.engine.workers.forms import FormAnswer, LoginState
    from rdfcrawl.engine.workers.tracing import TracedPage
    from rdfcrawl.engine.workers.visible import VisiblePage
    from rdfcrawl.engine.workers.weighing import WeighedPage
    from rdfcrawl.recognise.qlever import PageText

T = TypeVar("T")

_MOST_TRIES: Final = 2
_MOST_FAILED_STARTS: Final = 3
_BACKLOG_SECONDS: Final = 0.25
"""How long pages must have been waiting before it is worth starting another process."""
_COSTLY_SECONDS: Final = 0.02
_BODIES_SHARE: Final = 4
"""The bodies of a page may take this fraction of a worker's memory; trees take the rest."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What a page says, and the same as bytes, to be remembered."""

    extraction: Extraction
    content: bytes


class WorkerPool:
    """Reads pages of one model in other processes, which are started when they are needed.

    The crawl keeps one processor busy itself; its share is only worth another worker where pages take long to read.
    """

    def __init__(self, limits: RunLimits, model: Model | None = None, *, processes: int | None = None) -> None:
        self._limits = limits
        self._model = model
        self._most = processes or max(1, processors() - 1)
        self._most_for_costly = processes or processors()
        self._workers: list[Worker] = []
        self._waiting: deque[PendingQuestion] = deque()
        self._backlog_since: float | None = None
        self._growing: asyncio.TimerHandle | None = None
        self._failed_starts = 0
        self._is_closed = False

    @classmethod
    def started(
        cls,
        limits: RunLimits,
        model: Model | None = None,
        *,
        processes: int | None = None,
        first: Launched | None = None,
    ) -> WorkerPool:
        """A pool whose ``first`` process is already starting; the model may follow."""
        pool = cls(limits, model, processes=processes)
        pool._add_worker(first)
        return pool

    def use(self, model: Model) -> None:
        """Read pages of this model."""
        assert self._model is None
        self._model = model
        for worker in self._workers:
            self._introduce(worker)

    async def read(self, page: Page, documents: Sequence[Fetched], list_address: str | None = None) -> ReadPage:
        """Everything that the documents of a page say; raises ``DocumentError``, and ``FetchFailed`` at a limit.

        ``list_address`` is the address of the first page of the list that they continue.
        """
        question = Question(READ, page.iri, tuple(documents), {"list_address": list_address})
        return await self._ask(question, _read_page)

    async def survey(
        self,
        page: Page,
        document: Fetched,
        start: str | None,
        *,
        robots: str | None = None,
        anchors: str | None = None,
    ) -> ReadPage:
        """What a page of the site that begins at ``start`` says; raises what ``read`` raises.

        ``robots`` is its X-Robots-Tag, ``anchors`` are the texts of the links that led to it.
        """
        options = {"start": start, "robots": robots, "anchors": anchors}
        question = Question(SURVEY, page.iri, (document,), options)
        return await self._ask(question, _read_page)

    async def file(
        self,
        page: Page,
        document: Fetched,
        *,
        disposition: str | None = None,
        length: int | None = None,
        anchors: str | None = None,
    ) -> ReadPage:
        """What is said of a file of a site that is no page; without a body only what is known of it already counts.

        ``disposition`` is its Content-Disposition, ``anchors`` are the texts of the links that led to it. Raises what
        ``read`` raises.
        """
        said = None if length is None else str(length)
        options = {"disposition": disposition, "length": said, "anchors": anchors}
        return await self._ask(Question(FILE, page.iri, (document,), options), _read_page)

    async def weigh(self, page: Page, document: Fetched) -> WeighedPage:
        """The score of one document, criterion by criterion; raises what ``read`` raises."""
        from rdfcrawl.engine.workers.weighing import weighed_page

        return await self._ask(Question(WEIGH, page.iri, (document,)), weighed_page)

    async def trace(
        self, page: Page, document: Fetched, subject: str | None = None, list_address: str | None = None
    ) -> TracedPage:
        """What one document says and how each value came about; with ``subject``, only those of that object.

        Then it is also told why values are not there. Raises what ``read`` raises.
        """
        from rdfcrawl.engine.workers.tracing import traced_page

        model = self._model
        assert model is not None
        question = Question(TRACE, page.iri, (document,), {"subject": subject, "list_address": list_address})
        return await self._ask(question, lambda result: traced_page(result, model))

    async def form(self, page: str, document: Fetched, section: str | None = None) -> FormAnswer:
        """The form that the page of the model fills in, or the login of a section; raises what ``read`` raises."""
        from rdfcrawl.engine.workers.forms import form_answer

        return await self._ask(Question(FORM, page, (document,), {"section": section}), form_answer)

    async def login_state(self, section: Section, document: Fetched) -> LoginState:
        """Whether a page shows that the login of its section has succeeded; raises what ``read`` raises."""
        from rdfcrawl.engine.workers.forms import login_answer

        question = Question(LOGIN, section.page, (document,), {"section": section.address})
        return await self._ask(question, login_answer)

    async def text(self, page: Page, document: Fetched) -> PageText:
        """The lines of one document and the names on it. Raises what ``read`` raises."""
        from rdfcrawl.engine.workers.texts import text_of_page

        return await self._ask(Question(TEXT, page.iri, (document,)), text_of_page)

    async def perform(
        self, task: str, documents: Sequence[Fetched], options: Mapping[str, str | None], decoded: Callable[[bytes], T]
    ) -> T:
        """The result of a task of another room, ``module:function``; raises what ``read`` raises.

        ``decoded`` makes the answer of the result's bytes, or raises ``Nonsense``.
        """
        return await self._ask(Question(task, "", tuple(documents), options), decoded)

    async def visible_text(self, page: str, document: Fetched) -> VisiblePage:
        """What people read on one document; raises what ``read`` raises."""
        from rdfcrawl.engine.workers.visible import visible_answer

        return await self._ask(Question(VISIBLE, page, (document,)), visible_answer)

    async def aclose(self) -> None:
        """End all processes and cancel the questions that are not answered yet."""
        self._is_closed = True
        if self._growing is not None:
            self._growing.cancel()
        _cancel(self._waiting)
        self._waiting.clear()
        workers = list(self._workers)
        for worker in workers:
            worker.kill()
        for worker in workers:
            await worker.ended

    async def _ask(self, question: Question, decoded: Callable[[bytes], T]) -> T:
        if self._is_closed:
            raise RuntimeError("the pool is closed")
        assert self._model is not None
        size, most = sum(len(one.body) for one in question.documents), self._limits.worker_bytes // _BODIES_SHARE
        if size > most:
            reason = f"the documents of the page have {size:,} bytes; with these limits {most:,} are the most"
            raise FetchFailed(ProblemKind.LIMIT, reason)
        answer: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.append(PendingQuestion(question.parts(), decoded, answer))
        self._hand_out()
        return await answer

    def _hand_out(self) -> None:
        """Give waiting pages to the workers that have least to do."""
        while self._waiting:
            if self._waiting[0].answer.done():
                self._waiting.popleft()
                continue
            free = [worker for worker in self._workers if worker.has_room]
            if not free:
                self._consider_growing()
                return
            min(free, key=_load).ask(self._waiting.popleft())
        self._backlog_since = None

    def _consider_growing(self) -> None:
        """Add a worker at once if there is none, otherwise when pages keep waiting."""
        if not self._workers:
            self._add_worker()
            self._hand_out()
            return
        loop = asyncio.get_running_loop()
        if self._backlog_since is None:
            self._backlog_since = loop.time()
        if self._growing is None and self._may_grow():
            self._growing = loop.call_later(_BACKLOG_SECONDS, self._grow)

    def _grow(self) -> None:
        self._growing = None
        now = asyncio.get_running_loop().time()
        if self._backlog_since is not None and now - self._backlog_since >= _BACKLOG_SECONDS and self._may_grow():
            self._backlog_since = now
            self._add_worker()
        self._hand_out()

    def _may_grow(self) -> bool:
        # Whether pages are costly must not be a matter of one of them, nor of a moment in which the machine is busy.
        is_costly = all(worker.usual_seconds > _COSTLY_SECONDS for worker in self._workers)
        return len(self._workers) < (self._most_for_costly if is_costly else self._most)

    def _add_worker(self, launched: Launched | None = None) -> None:
        try:
            worker = Worker(self._limits, on_answers=self._answered, on_end=self._ended, launched=launched)
        except OSError as error:
            # With fewer processes it takes longer.
            if not self._workers:
                self._give_up(f"no process can be started to read pages: {error}")
            return
        self._workers.append(worker)
        if self._model is not None:
            self._introduce(worker)

    def _introduce(self, worker: Worker) -> None:
        assert self._model is not None
        started = asyncio.get_running_loop().create_future()
        worker.ask(PendingQuestion(start_parts(self._model, self._limits), bytes, started))

    def _answered(self) -> None:
        self._failed_starts = 0
        self._hand_out()

    def _ended(self, end: WorkerEnd) -> None:
        """Give the pages of a worker that has ended to others; the one that it was at gets one more try."""
        self._workers.remove(end.worker)
        if self._is_closed:
            _cancel((*filter(None, (end.current,)), *end.others))
            return
        again = list(end.others)
        if not end.has_begun:
            self._failed_starts += 1
        elif end.current is not None:
            end.current.ended_workers += 1
            if end.is_limit or end.current.ended_workers == _MOST_TRIES:
                _fail((end.current,), end.failure)
            else:
                again.insert(0, end.current)
        self._waiting.extendleft(reversed(again))
        if self._failed_starts == _MOST_FAILED_STARTS:
            self._failed_starts = 0
            self._give_up(
                f"the processes that read pages end before they have begun, with status {end.status}; "
                f"perhaps worker-bytes={self._limits.worker_bytes} is too little for them"
            )
        self._hand_out()

    def _give_up(self, reason: str) -> None:
        _fail(self._waiting, UsageError(reason))
        self._waiting.clear()


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _read_page(content: bytes) -> ReadPage:
    return ReadPage(from_bytes(content), content)


def _load(worker: Worker) -> int:
    return worker.load


def _cancel(questions: Iterable[PendingQuestion]) -> None:
    for question in questions:
        question.answer.cancel()


def _fail(questions: Iterable[PendingQuestion], failure: Exception) -> None:
    for question in questions:
        if not question.answer.done():
            question.answer.set_exception(failure)
