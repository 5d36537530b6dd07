"""An extraction in few bytes: as it is remembered from run to run, and as it goes from process to process."""

from __future__ import annotations

import json
import zlib
from dataclasses import fields
from typing import Final, Protocol

from rdfcrawl.engine.compression import deflated
from rdfcrawl.engine.extract.extraction import Extraction, Follow
from rdfcrawl.engine.problem import Problem, ProblemKind

_NAMES: Final = tuple(field.name for field in fields(Extraction))
encode: Final = json.JSONEncoder(separators=(",", ":"), check_circular=False).encode


class Flat(Protocol):
    """A record whose values are plain."""

    __slots__: tuple[str, ...]


def packed(extraction: Extraction) -> bytes:
    """An extraction in few bytes."""
    values = {name: getattr(extraction, name) for name in _NAMES}
    values["follows"] = [values_of(follow) for follow in extraction.follows]
    values["problems"] = [values_of(problem) for problem in extraction.problems]
    return deflated(encode(values).encode(), level=1)


def unpacked(content: bytes) -> Extraction:
    """The extraction that was packed."""
    values = json.loads(zlib.decompress(content))
    values["follows"] = [Follow(*follow) for follow in values["follows"]]
    values["problems"] = [Problem(ProblemKind(kind), *rest) for kind, *rest in values["problems"]]
    values["tops"] = [tuple(top) for top in values["tops"]]
    values["unread"] = [tuple(unread) for unread in values["unread"]]
    return Extraction(**values)


def values_of(flat: Flat) -> list[str | None]:
    """The values of a record in their order; ``astuple`` would copy each of them, which takes twenty times as long."""
    return [getattr(flat, name) for name in flat.__slots__]
