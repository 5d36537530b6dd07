"""What a draft consists of: the model's text, the samples that speak for it, and what is unsure."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from rdfcrawl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SampledProperty:
    """A property of the draft, on how many of how many pages or rows it was seen, and some of its values."""

    item: str
    name: str
    path: str
    datatype: str
    seen: int
    pages: int
    samples: tuple[str, ...]
    active: bool


@dataclass(frozen=True, slots=True)
class Draft:
    """A drafted model as Turtle; ``pages`` are names of pages with the address of a sample.

    An empty ``model`` means that there was nothing to write; ``doubts`` says why.
    """

    model: str
    samples: tuple[SampledProperty, ...]
    doubts: tuple[str, ...]
    pages: tuple[tuple[str, str], ...] = ()

    def to_json(self) -> str:
        """The draft as JSON."""
        return json.dumps(asdict(self))

    @classmethod
    def from_plain(cls, data: Any) -> Draft:
        """The draft that plain data describe."""
        samples = tuple(SampledProperty(**{**one, "samples": tuple(one["samples"])}) for one in data["samples"])
        pages = tuple((str(name), str(address)) for name, address in data["pages"])
        return cls(str(data["model"]), samples, tuple(map(str, data["doubts"])), pages)
