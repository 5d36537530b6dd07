"""An extraction as bytes: sent from process to process, and kept from run to run, compressed.

They are a line of JSON, and a line for each triple: these are most of it, and take several times as long in JSON, where
earlier versions have kept them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, Final, Protocol

from rdfcrawl.engine import strict
from rdfcrawl.engine.compression import deflated, inflated
from rdfcrawl.engine.extract.extraction import Extraction, Follow
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.strict import Nonsense

MOST_BYTES: Final = 64 * 1024 * 1024
"""The longest extraction before compression; it is held in memory several times."""

_NOTHING: Final = tuple((field.name, getattr(Extraction(), field.name)) for field in fields(Extraction))
"""What each field says of a page that says nothing; that is left out."""
encode: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class TooLong(Exception):
    """An extraction too long to be sent or kept."""

    def __init__(self, length: int, most: int) -> None:
        super().__init__(f"what the page says takes {length:,} bytes; the limit is {most:,}")


class Flat(Protocol):
    """A record whose values are plain."""

    __slots__: tuple[str, ...]


def to_bytes(extraction: Extraction) -> bytes:
    """An extraction as bytes; raises ``TooLong``."""
    values = as_plain(extraction)
    triples = values.pop("triples", ())
    content = "\n".join((encode(values), *triples)).encode()
    if len(content) > MOST_BYTES:
        raise TooLong(len(content), MOST_BYTES)
    return content


def from_bytes(content: bytes) -> Extraction:
    """The extraction that ``to_bytes`` has written; raises ``Nonsense`` for anything else."""
    about, is_followed, triples = content.partition(b"\n")
    extraction = from_plain(strict.plain(about))
    if is_followed:
        extraction.triples = strict.split_lines(triples)
    return extraction


def packed(content: bytes) -> bytes:
    """The bytes of an extraction, compressed."""
    return deflated(content)


def unpacked(content: bytes) -> Extraction:
    """The extraction whose bytes were packed; raises ``Nonsense`` for anything else."""
    try:
        return from_bytes(inflated(content, MOST_BYTES))
    except Nonsense:
        raise
    except ValueError as error:
        raise Nonsense(f"it cannot be unpacked: {error}") from None


def as_plain(extraction: Extraction) -> dict[str, Any]:
    """An extraction as plain JSON values."""
    values = {name: value for name, nothing in _NOTHING if (value := getattr(extraction, name)) != nothing}
    for name in ("follows", "problems"):
        if name in values:
            values[name] = [values_of(flat) for flat in values[name]]
    return values


def from_plain(value: object) -> Extraction:
    """The extraction that plain JSON values describe; raises ``Nonsense``."""
    return Extraction(**strict.record(value, **_CHECKS))


def values_of(flat: Flat) -> list[str | None]:
    """The values of a record in their order; ``astuple`` would copy each of them, which takes twenty times as long."""
    return [getattr(flat, name) for name in flat.__slots__]


def _kind(value: object) -> ProblemKind:
    try:
        return ProblemKind(strict.text(value))
    except ValueError as error:
        raise Nonsense(str(error)) from None


_follow: Final = strict.row(strict.text, strict.text, strict.text, strict.text_or_none)
_problem: Final = strict.row(_kind, *[strict.text] * 3, *[strict.text_or_none] * 5)
_CHECKS: Final[Mapping[str, strict.Check[Any]]] = {
    "triples": strict.lines,
    "tops": strict.listed(strict.row(strict.line, strict.line)),
    "follows": strict.listed(lambda value: Follow(*_follow(value))),
    "entries": strict.texts,
    "problems": strict.listed(lambda value: Problem(*_problem(value))),
    "unread": strict.listed(strict.row(strict.text_or_none, strict.text)),
    "next_address": strict.text_or_none,
    "next_clicks": strict.flag,
    "stated_total": strict.or_none(strict.count),
    "found": strict.count,
    "complete_entries": strict.count,
    "list_address": strict.text_or_none,
    "leads": strict.lines,
    "links": strict.lines,
    "images": strict.lines,
    "link_texts": strict.or_none(strict.line),
    "digest": strict.text_or_none,
    "mentions": strict.lines,
}
