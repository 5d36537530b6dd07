"""Records as stores of format 1 have them: all values side by side, with the unread objects and lists among them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from rdfcrawl.store.runs.unread import NOTHING_UNREAD, Unread


def is_old(values: Mapping[str, Any]) -> bool:
    """Whether this is the JSON of a record of that format."""
    return "model_digest" in values


def renewed(values: Mapping[str, Any]) -> dict[str, Any]:
    """The JSON of the same record as it is written today; what was left unread is not part of it."""
    notes = dict(values["notes"])
    needed = notes.pop("needed archives", "")
    return {
        **{name: values[name] for name in ("id", "state", "started", "ended", "sections")},
        "model": {
            "digest": values["model_digest"],
            "source": values["model_source"],
            "prefixes": values["prefixes"],
            "predicates": values["predicates"],
        },
        "settings": {name: values[name] for name in ("engine", "replay")},
        "counts": {name: values[name] for name in ("pages", "objects", "problems", "triples")},
        "needed_archives": needed.split(),
        "pruned": notes.pop("pruned", None),
        "checksums": values.get("checksums", {}),
        "notes": notes,
    }


def unread_within(text: str) -> Unread:
    """What a record of that format says was left unread; nothing if it is a record of today, or damaged."""
    try:
        values = json.loads(text)
        if not is_old(values):
            return NOTHING_UNREAD
        lists = tuple((parent, predicate) for parent, predicate in values["unread"]["lists"])
        return Unread(tuple(values["unread"]["objects"]), lists)
    except (ValueError, KeyError, TypeError):
        return NOTHING_UNREAD
