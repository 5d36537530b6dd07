"""One page looked at: what it has for whoever looks for a way into its site."""

from __future__ import annotations

from typing import Final

from rdfcrawl.drafting.reading.link_paths import link_paths
from rdfcrawl.drafting.reading.look import HTML, MOST_LINKS, FoundList, Look
from rdfcrawl.drafting.reading.paging import find_more, find_next
from rdfcrawl.drafting.reading.records import find_records, linked
from rdfcrawl.drafting.reading.repeated import find_rows
from rdfcrawl.drafting.reading.slots import Sample

_MOST_LISTS: Final = 4
_MOST_ADDRESSES: Final = 200
_LEAST_ROWS: Final = 4


def look_at(sample: Sample) -> Look:
    """Everything that a page has to lead on; of data or of too many links no more than that they are."""
    if len(sample.by_tag.get("a", ())) > MOST_LINKS:
        return Look(sample.document.address, len(sample.slots), links=len(sample.by_tag["a"]))
    if (root := str(sample.document.root.tag)) != HTML:
        return Look(sample.document.address, len(sample.slots), root=root)
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
