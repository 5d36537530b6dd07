"""What a run suspects: that a selector of the model has died, because so much disappeared at once."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from rdfcrawl.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Selector:
    """A part of the model that says where something is on a page, or how its text is read.

    ``term`` is the IRI of the page, item, property or link that has it, ``name`` the term without its namespace
    (``path``, ``next``, ``format`` …), ``place`` its file and line.
    """

    term: str
    name: str
    text: str
    place: str


@dataclass(frozen=True, slots=True)
class Suspicion:
    """Objects of a class, or values of one of its properties, that disappeared at once.

    ``item`` and ``prop`` are predicates, ``parent`` is the class or the page that led to the objects, if not all of
    them are concerned. ``lost`` of ``known`` are missing and ``come`` others have come; ``since`` is the run that first
    missed them, ``selector`` what has probably died, ``accepted`` when somebody said that they are really gone.
    """

    item: str
    lost: int
    known: int
    since: int
    prop: str | None = None
    parent: str | None = None
    come: int = 0
    selector: Selector | None = None
    accepted: datetime | None = None

    @property
    def key(self) -> tuple[str, str | None]:
        """What two runs that suspect the same have in common."""
        return self.item, self.prop

    @property
    def is_open(self) -> bool:
        """Whether nobody has accepted it."""
        return self.accepted is None

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Suspicion:
        """The suspicion that the record of a run has."""
        selector, accepted = values["selector"], values["accepted"]
        return cls(
            **{
                **values,
                "selector": Selector(**selector) if selector else None,
                "accepted": datetime.fromisoformat(accepted) if accepted else None,
            }
        )
