"""The kinds of pages that were found on a site, with the documents that each is drafted from, as plain data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, field
from typing import Any, Final

from rdfcrawl.dataclass import dataclass

LINKS = "links"
OBJECT = "object"
OBJECTS = "objects"

MOST_PROPERTIES: Final = 25
"""How many properties an item has, unless the user says how many."""


@dataclass(slots=True)
class PageKind:
    """Pages of one kind: a list of links, an object each, or several objects.

    ``documents`` are the numbers of the sample documents. ``target`` is what the links lead to, ``subs`` are lists of
    links inside an object. Where the path of such a list is still to be found, ``wanted`` has the addresses that it
    leads to on each sample page of the object; a target of a ``cluster`` and without documents is drafted elsewhere.
    """

    kind: str
    documents: list[int] = field(default_factory=list)
    path: str | None = None
    next: str | None = None
    more: str | None = None
    scroll: int | None = None
    render: bool = False
    params: list[str] = field(default_factory=list)
    target: PageKind | None = None
    subs: list[PageKind] = field(default_factory=list)
    wanted: list[list[str]] = field(default_factory=list)
    cluster: int | None = None

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> PageKind:
        """The kind that plain data describe."""
        known = dict(data)
        target = known.pop("target")
        subs = [cls.from_plain(sub) for sub in known.pop("subs")]
        return cls(**known, target=cls.from_plain(target) if target else None, subs=subs)


@dataclass(slots=True)
class SitePlan:
    """Where a site is entered, what is found there, and how many properties an item may have.

    ``more`` are further ways in, for a site of which all kinds of pages are known.
    """

    starts: list[str]
    first: PageKind
    most: int
    doubts: list[str] = field(default_factory=list)
    more: list[SitePlan] = field(default_factory=list)

    def to_json(self) -> str:
        """The plan as it is sent to a worker."""
        return json.dumps(asdict(self))

    @classmethod
    def from_json(cls, text: str) -> SitePlan:
        """The plan that was sent."""
        return cls._from_plain(json.loads(text))

    @classmethod
    def _from_plain(cls, data: Mapping[str, Any]) -> SitePlan:
        more = [cls._from_plain(one) for one in data["more"]]
        return cls(data["starts"], PageKind.from_plain(data["first"]), data["most"], data["doubts"], more)
