"""Suspicions in words."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.location import without_folders
from rdfcrawl.store.runs.suspicion import Selector, Suspicion

ADVICE: Final = (
    "Nothing of this counts as removed. If the site was redesigned, mend the model, for example with "
    "rdfcrawl draft --repair. If they are really gone: "
    "rdfcrawl accept. If that is normal for the class: :volatile true on its item."
)


def in_words(suspicion: Suspicion, prefixes: Mapping[str, str], *, published: bool = False) -> str:
    """What is missing, since when, and which selector has probably died; ``published`` names no folder."""
    end = f"accepted as removed on {suspicion.accepted:%Y-%m-%d %H:%M}" if suspicion.accepted else ""
    return f"{missing(suspicion, prefixes)}: {end or cause(suspicion.selector, prefixes, published=published)}"


def missing(suspicion: Suspicion, prefixes: Mapping[str, str]) -> str:
    """What is missing, and since when."""
    objects = f"objects of {shorten(suspicion.item, prefixes)}"
    if suspicion.parent:
        objects += f" in {shorten(suspicion.parent, prefixes)}"
    counts = f"{suspicion.lost:,} of {suspicion.known:,}"
    when = f"since run {suspicion.since} ({datetime.fromtimestamp(suspicion.since, UTC):%Y-%m-%d %H:%M})"
    if suspicion.prop is not None:
        return f"{counts} {objects} have no {shorten(suspicion.prop, prefixes)} {when}"
    others = f", {suspicion.come:,} others have come" if suspicion.come else ""
    return f"{counts} {objects} are missing {when}{others}"


def cause(selector: Selector | None, prefixes: Mapping[str, str], *, published: bool = False) -> str:
    """What has probably died, and where it is in the model."""
    if selector is None:
        return "the site says that their pages are gone"
    text = " ".join(selector.text.split())
    place = without_folders(selector.place) if published else selector.place
    return f'{shorten(selector.term, prefixes)} :{selector.name} "{text}" has probably died ({place})'
