"""The questions that a worker is asked and the answers that it gives, as the parts of frames."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import asdict, field
from enum import StrEnum
from math import isfinite
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.extract.packing import MOST_BYTES, encode
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.workers.frames import FrameBounds
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.plain import model_from_json, model_to_json
from rdfcrawl.rdf.characters import writable

READ: Final = "read"
SURVEY: Final = "survey"
FILE: Final = "file"
WEIGH: Final = "weigh"
TRACE: Final = "trace"
FORM: Final = "form"
LOGIN: Final = "login"
TEXT: Final = "text"
VISIBLE: Final = "visible"
"""The names of the tasks."""

MOST_RESULT_BYTES: Final = MOST_BYTES
_MOST_HEAD_BYTES: Final = 256 * 1024
_LONGEST_REASON: Final = 10_000
_SECONDS: Final = struct.Struct(">d")

QUESTION_BOUNDS: Final = FrameBounds(parts=2**31, content=2**62)
"""A worker trusts the process that started it."""
ANSWER_BOUNDS: Final = FrameBounds(parts=2, content=MOST_RESULT_BYTES + _MOST_HEAD_BYTES)
"""Nobody trusts a worker: a page may have taken it over."""


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be done with the documents of a page; ``options`` are those of the task."""

    task: str
    page: str
    documents: tuple[Fetched, ...]
    options: Mapping[str, str | None] = field(default_factory=dict)

    def parts(self) -> list[bytes]:
        """The question as it is sent: a head, and the bodies as they are."""
        documents = [[one.address, one.status, one.content_type, one.rendered, one.notes] for one in self.documents]
        head = {"task": self.task, "page": self.page, "documents": documents, "options": self.options}
        return [encode(head).encode(), *(one.body for one in self.documents)]

    @classmethod
    def from_parts(cls, parts: Sequence[bytes]) -> Question:
        """The question that was sent."""
        head: dict[str, Any] = json.loads(parts[0])
        documents = tuple(
            Fetched(
                address,
                status,
                {} if content_type is None else {"content-type": content_type},
                body,
                rendered,
                notes=tuple((ProblemKind(kind), reason) for kind, reason in notes),
            )
            for (address, status, content_type, rendered, notes), body in zip(head["documents"], parts[1:], strict=True)
        )
        return cls(head["task"], head["page"], documents, head["options"])


def start_parts(model: Model, limits: RunLimits) -> list[bytes]:
    """The first question: the model and the limits to read pages with."""
    return [json.dumps(asdict(limits)).encode(), model_to_json(model)]


def start_from_parts(parts: Sequence[bytes]) -> tuple[Model, RunLimits]:
    """What the first question says."""
    limits, model = parts
    return model_from_json(model), RunLimits(**json.loads(limits))


class AnswerKind(StrEnum):
    """What became of a question."""

    DONE = "done"
    """The result is there."""
    LIMIT = "limit"
    """The page exceeds a limit."""
    UNREADABLE = "unreadable"
    """The response is not a document."""
    FAILED = "failed"
    """An unexpected exception."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a worker says; ``seconds`` is processor time, ``place`` where an unexpected exception was raised.

    The head of a result is nothing but the seconds: there are thousands of them.
    """

    kind: AnswerKind
    seconds: float
    result: bytes = b""
    reason: str = ""
    place: str = ""

    def parts(self) -> list[bytes]:
        """The answer as it is sent."""
        if self.kind is AnswerKind.DONE:
            return [_SECONDS.pack(self.seconds), self.result]
        texts = [writable(text[-_LONGEST_REASON:]) for text in (self.reason, self.place)]
        head = [self.kind.value, self.seconds, *texts]
        return [encode(head).encode(), self.result]

    @classmethod
    def from_parts(cls, parts: Sequence[bytes]) -> Answer:
        """The answer that was sent; raises ``Nonsense``."""
        if len(parts) != 2 or len(parts[0]) > _MOST_HEAD_BYTES:
            raise Nonsense("an answer has a short head and a result")
        if len(parts[0]) == _SECONDS.size:
            (seconds,) = _SECONDS.unpack(parts[0])
            if not isfinite(seconds) or seconds < 0:
                raise Nonsense("a result has taken no such time")
            return cls(AnswerKind.DONE, seconds, parts[1])
        kind, seconds, reason, place = _head(strict.plain(parts[0]))
        return cls(kind, seconds, parts[1], reason, place)


def _kind(value: object) -> AnswerKind:
    try:
        return AnswerKind(strict.text(value))
    except ValueError as error:
        raise Nonsense(str(error)) from None


_head: Final = strict.row(_kind, strict.seconds, strict.text, strict.text)
