"""What a worker can do: each task is a function of a question, and its result is bytes.

Adding one means a function here, its place in the table, and a method of ``WorkerPool`` that asks for it. Rooms above
the engine have tasks, too, which the engine does not know: they are named as ``module:function`` and imported by the
worker when it is first asked for one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final, cast

from rdfcrawl.engine.extract.packing import packed
from rdfcrawl.engine.extract.plan import ModelPlan
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.workers.messages import Question
from rdfcrawl.engine.workers.reading import parsed_document, read_documents
from rdfcrawl.engine.workers.tracing import traced

READ: Final = "read"
TRACE: Final = "trace"


@dataclass(frozen=True, slots=True)
class Workplace:
    """What a worker has at hand for every question."""

    plan: ModelPlan
    limits: RunLimits


Task = Callable[[Workplace, Question], bytes]
"""Raises ``DocumentError``, ``FetchFailed`` at a limit, and ``TooLong``."""


def read(workplace: Workplace, question: Question) -> bytes:
    """What the documents of a page say, packed."""
    plan, list_address = workplace.plan.pages[question.page], question.options["list_address"]
    return packed(read_documents(plan, question.documents, workplace.limits, list_address))


def trace(workplace: Workplace, question: Question) -> bytes:
    """What one document says, and how each value came about."""
    (fetched,) = question.documents
    document = parsed_document(fetched, workplace.limits)
    options = question.options
    return traced(workplace.plan.pages[question.page], document, options["subject"], options["list_address"])


TASKS: Final[Mapping[str, Task]] = {READ: read, TRACE: trace}


def task_of(name: str) -> Task:
    """The task with that name; a worker believes whoever has started it."""
    if (known := TASKS.get(name)) is not None:
        return known
    module, _, function = name.partition(":")
    return cast(Task, getattr(import_module(module), function))
