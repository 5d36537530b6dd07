"""What one page has for whoever looks for a way into a site: lists of links, rows, and how a list goes on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.link_paths import link_paths
from rdfcrawl.drafting.reading.paging import find_more, find_next
from rdfcrawl.drafting.reading.records import MOST_LINKS, find_records, linked
from rdfcrawl.drafting.reading.repeated import find_rows
from rdfcrawl.drafting.reading.slots import Sample

_MOST_LISTS: Final = 4
_MOST_ADDRESSES: Final = 200
_LEAST_ROWS: Final = 4
_LEAST_TEXTS: Final = 3


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list of links: the paths that find it, best first, where it leads, and how likely it is what is looked for."""

    paths: tuple[str, ...]
    addresses: tuple[str, ...]
    score: float
    share: float


@dataclass(frozen=True, slots=True)
class Look:
    """What was found on a page; ``rows`` is the part of its text that stands in the rows of one table or list.

    ``marks`` are the ids and classes of its elements, by which pages of one kind resemble each other.
    """

    address: str
    texts: int
    lists: tuple[FoundList, ...]
    next_path: str | None
    next_address: str | None
    more: str | None
    rows: float
    has_password: bool
    marks: tuple[str, ...]
    heading: str = ""
    links: int = 0

    @property
    def is_bare(self) -> bool:
        """Whether there is next to nothing on the page."""
        return self.texts < _LEAST_TEXTS

    @property
    def is_flooded(self) -> bool:
        """Whether the page has more links than anybody looks at."""
        return self.links > MOST_LINKS

    def likeness(self, other: Look) -> float:
        """How alike two pages are built, from 0 to 1."""
        ours, theirs = set(self.marks), set(other.marks)
        return len(ours & theirs) / len(ours | theirs) if ours | theirs else 1.0


def look_at(sample: Sample) -> Look:
    """Everything that a page has to lead on."""
    button = find_next(sample)
    lists = tuple(
        FoundList(tuple(paths), found.addresses[:_MOST_ADDRESSES], round(found.score, 3), round(found.share, 3))
        for found in find_records(sample)[:_MOST_LISTS]
        if (paths := link_paths(found, sample))
    )
    return Look(
        address=sample.document.address,
        texts=len(sample.slots),
        lists=lists,
        next_path=button.path if button else None,
        next_address=button.address if button else None,
        more=find_more(sample) if button is None else None,
        rows=_share_in_rows(sample),
        has_password=any(field.get("type") == "password" for field in sample.document.root.iter("input")),
        marks=tuple(sorted(_marks(sample))),
        links=len(sample.by_tag.get("a", ())),
        heading=next((slot.text for slot in sample.slots if slot.node.tag == "h1"), ""),
    )


def _share_in_rows(sample: Sample) -> float:
    best = max(
        (
            sum(sample.texts[row] for row in rows.rows)
            for rows in find_rows(sample)
            if len(rows.rows) >= _LEAST_ROWS and len(rows.fields) > 1
        ),
        default=0,
    )
    return round(best / max(1, len(sample.slots)), 3)


def _marks(sample: Sample) -> set[str]:
    names = {f"#{name}" for name in sample.by_id if not any(map(str.isdigit, name))}
    return names | {f"{tag}.{name}" for tag, name in sample.by_class if not any(map(str.isdigit, name))}


def addresses_at(path: str, sample: Sample) -> list[str]:
    """Where the links lead that a path finds, each once."""
    return list(dict.fromkeys(address for _, address in linked(path, sample)))[:_MOST_ADDRESSES]


def look_to_plain(look: Look) -> dict[str, Any]:
    """A look as plain data."""
    return asdict(look)


def look_from_plain(data: dict[str, Any]) -> Look:
    """The look that plain data describe."""
    lists = tuple(
        FoundList(tuple(one["paths"]), tuple(one["addresses"]), one["score"], one["share"]) for one in data["lists"]
    )
    return Look(**{**data, "lists": lists, "marks": tuple(data["marks"])})


def common_path(paths: Sequence[str], others: Sequence[FoundList]) -> str | None:
    """The first of the paths that finds a list on another page, too."""
    known = {path for found in others for path in found.paths}
    return next((path for path in paths if path in known), None)
