"""Frames and the messages in them are restored exactly; anything else is nonsense."""

from __future__ import annotations

import io
import json
import math
import struct
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.workers.frames import FrameBounds, FrameReader, framed, read_frame
from rdfcrawl.engine.workers.messages import ANSWER_BOUNDS, Answer, AnswerKind, Question

BOUNDS = FrameBounds(parts=5, content=1000)


@given(st.lists(st.lists(st.binary(max_size=50), min_size=1, max_size=5), max_size=5), st.integers(1, 100))
def test_frames_come_back_however_they_are_cut(frames: list[list[bytes]], size: int) -> None:
    """Piece by piece as from a stream."""
    content = b"".join(map(framed, frames))
    reader = FrameReader(BOUNDS)
    found = [frame for place in range(0, len(content), size) for frame in reader.feed(content[place : place + size])]
    assert found == frames
    stream = io.BytesIO(content)
    assert [read_frame(stream, BOUNDS) for _ in frames] == frames
    assert read_frame(stream, BOUNDS) is None


def test_a_stream_that_ends_within_a_frame_has_ended() -> None:
    """Wherever that is."""
    content = framed([b"head", b"body"])
    assert [read_frame(io.BytesIO(content[:end]), BOUNDS) for end in range(len(content))] == [None] * len(content)


@pytest.mark.parametrize(
    "content",
    [
        b"garbage!",
        framed([b"x"] * 6),
        framed([]),
        framed([b"x" * 1001]),
        framed([b"x" * 501] * 2),
        framed([b""])[:4] + b"\xff" * 12,
    ],
)
def test_what_is_out_of_bounds_is_nonsense(content: bytes) -> None:
    """No matter how little of it is there yet: nothing waits for the rest."""
    with pytest.raises(Nonsense):
        list(FrameReader(BOUNDS).feed(content[:48]))
    with pytest.raises(Nonsense):
        read_frame(io.BytesIO(content), BOUNDS)


def test_a_question_comes_back() -> None:
    """With what reading needs of its documents; a body is not touched."""
    documents = (
        Fetched(
            "http://a.example/ü", 200, {"content-type": "text/html"}, b"\x00\xff", notes=((ProblemKind.LIMIT, "x"),)
        ),
        Fetched("http://a.example/2", 203, {}, b"", rendered=True),
    )
    question = Question("trace", "page://a", documents, {"subject": None})
    assert Question.from_parts(question.parts()) == question
    assert question.parts()[1] is documents[0].body


def test_a_result_comes_back() -> None:
    """With the time that it took, and nothing else."""
    answer = Answer(AnswerKind.DONE, 0.25, b"\x00result")
    (parts,) = FrameReader(ANSWER_BOUNDS).feed(framed(answer.parts()))
    assert Answer.from_parts(parts) == answer


@pytest.mark.parametrize("kind", [AnswerKind.LIMIT, AnswerKind.UNREADABLE, AnswerKind.FAILED])
def test_an_answer_comes_back(kind: AnswerKind) -> None:
    """Each kind of it; what could not be written in a report is replaced."""
    answer = Answer(kind, 0.25, b"\x00result", "reason \ud800", "place")
    (parts,) = FrameReader(ANSWER_BOUNDS).feed(framed(answer.parts()))
    assert Answer.from_parts(parts) == replace(answer, reason="reason \ufffd")


def test_a_long_reason_is_cut() -> None:
    """Its end says most."""
    told = Answer.from_parts(Answer(AnswerKind.FAILED, 0.0, reason="x" * 1_000_000 + "end").parts())
    assert told.reason.endswith("xend")
    assert len(told.reason) < 20_000


@pytest.mark.parametrize(
    "head",
    [
        None,
        [],
        {},
        ["limit", 0.0, ""],
        ["limit", 0.0, "", "", ""],
        ["unheard-of", 0.0, "", ""],
        ["limit", 0, "", ""],
        ["limit", -1.0, "", ""],
        ["limit", True, "", ""],
        ["limit", 0.0, None, ""],
        ["limit", 0.0, "", "x" * 300_000],
    ],
)
def test_an_answer_that_is_none_is_nonsense(head: object) -> None:
    """Every value has its type."""
    with pytest.raises(Nonsense):
        Answer.from_parts([json.dumps(head).encode(), b""])


@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b'["limit",0.0,"",""]'],
        [b'["limit",NaN,"",""]', b""],
        [b'["limit",1e999,"",""]', b""],
        *([struct.pack(">d", seconds), b""] for seconds in (-1.0, math.nan, math.inf)),
        [struct.pack(">d", 0.0)],
    ],
)
def test_an_answer_has_two_parts_and_real_numbers(parts: list[bytes]) -> None:
    """Neither fewer, nor what JSON does not know."""
    with pytest.raises(Nonsense):
        Answer.from_parts(parts)
