"""What a worker can do: each task is a function of a question, and its result is bytes.

Adding one means a function here, its place in the table, and a method of ``WorkerPool`` that asks for it. Rooms above
the engine have tasks, too, which the engine does not know: they are named as ``module:function`` and imported by the
worker when it is first asked for one. What a task other than ``read`` needs is imported then, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Final, cast

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.packing import to_bytes
from rdfcrawl.engine.extract.plan import ModelPlan
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.workers.messages import FILE, FORM, LOGIN, READ, SURVEY, TEXT, TRACE, VISIBLE, WEIGH, Question
from rdfcrawl.engine.workers.reading import parsed_document, read_documents
from rdfcrawl.metamodel.model import Login


@dataclass(frozen=True, slots=True)
class Workplace:
    """What a worker has at hand for every question."""

    plan: ModelPlan
    limits: RunLimits


Task = Callable[[Workplace, Question], bytes]
"""Raises ``DocumentError``, ``FetchFailed`` at a limit, and ``TooLong``."""


def read(workplace: Workplace, question: Question) -> bytes:
    """What the documents of a page say."""
    plan, list_address = workplace.plan.pages[question.page], question.options["list_address"]
    return to_bytes(read_documents(plan, question.documents, workplace.limits, list_address))


def survey(workplace: Workplace, question: Question) -> bytes:
    """What a page of a site says, what it is, and where it leads."""
    from rdfcrawl.engine.workers.surveying import read_survey

    plan, options = workplace.plan.pages[question.page], question.options
    about = options["start"], options["robots"], options["anchors"]
    return to_bytes(read_survey(plan, question.documents, workplace.limits, *about))


def file(workplace: Workplace, question: Question) -> bytes:
    """What is said of a file of a site that is no page."""
    from rdfcrawl.engine.workers.surveying import read_survey_file

    (fetched,) = question.documents
    plan, options = workplace.plan.pages[question.page], question.options
    length = None if options["length"] is None else int(options["length"])
    return to_bytes(read_survey_file(plan, fetched, options["disposition"], length, options["anchors"]))


def weigh(workplace: Workplace, question: Question) -> bytes:
    """The score of one document, and how it came about."""
    from rdfcrawl.engine.workers.weighing import weighed

    (fetched,) = question.documents
    return weighed(workplace.plan.pages[question.page], fetched, workplace.limits)


def trace(workplace: Workplace, question: Question) -> bytes:
    """What one document says, and how each value came about."""
    from rdfcrawl.engine.workers.tracing import traced

    (fetched,) = question.documents
    plan, options = workplace.plan.pages[question.page], question.options
    document = parsed_document(fetched, workplace.limits, with_scripts=plan.reads_scripts)
    return traced(plan, document, options["subject"], options["list_address"])


def text(workplace: Workplace, question: Question) -> bytes:
    """The lines of one document and the names on it."""
    from rdfcrawl.engine.workers.texts import page_text

    (fetched,) = question.documents
    return page_text(workplace.plan.pages[question.page], parsed_document(fetched, workplace.limits))


def form(workplace: Workplace, question: Question) -> bytes:
    """The form of a page that is to be filled, of a login if the options name a section."""
    from rdfcrawl.engine.workers.forms import form_of

    login, page = _login(workplace, question), workplace.plan.pages[question.page].page
    fills, submit = (page.fills, page.submit or "") if login is None else (login.fills, login.submit)
    return form_of(_only_document(workplace, question), fills, submit)


def login(workplace: Workplace, question: Question) -> bytes:
    """Whether a page shows that a login has succeeded, or asks for it."""
    from rdfcrawl.engine.workers.forms import login_state

    asked = _login(workplace, question)
    assert asked is not None
    return login_state(_only_document(workplace, question), asked)


def visible(workplace: Workplace, question: Question) -> bytes:
    """What people read on a page."""
    from rdfcrawl.engine.workers.visible import visible_page

    return visible_page(_only_document(workplace, question))


def _only_document(workplace: Workplace, question: Question) -> Document:
    (fetched,) = question.documents
    return parsed_document(fetched, workplace.limits)


def _login(workplace: Workplace, question: Question) -> Login | None:
    wanted = question.options["section"]
    return next((section.login for section in workplace.plan.model.sections if section.address == wanted), None)


TASKS: Final[Mapping[str, Task]] = {
    READ: read,
    SURVEY: survey,
    FILE: file,
    WEIGH: weigh,
    TRACE: trace,
    TEXT: text,
    FORM: form,
    LOGIN: login,
    VISIBLE: visible,
}


def task_of(name: str) -> Task:
    """The task with that name; a worker believes whoever has started it."""
    if (known := TASKS.get(name)) is not None:
        return known
    module, _, function = name.partition(":")
    return cast(Task, getattr(import_module(module), function))
