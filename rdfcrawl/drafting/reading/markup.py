"""What a page says about itself for machines: the values of its JSON-LD, by their schema.org term."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from rdfcrawl.drafting.reading.slots import Sample, clean

_SCHEMA: Final = re.compile(r"https?://schema\.org/?")
_TERM: Final = re.compile(r"[a-z][A-Za-z]{1,39}")
_ABOUT_SITE: Final = frozenset(("WebSite", "Organization", "BreadcrumbList", "SearchAction", "WebPage", "ListItem"))
_MOST_NODES: Final = 2000


def stated_values(sample: Sample) -> dict[str, set[str]]:
    """Each value that the JSON-LD of a page has, with the terms that it is the value of."""
    values: dict[str, set[str]] = defaultdict(set)
    for script in sample.document.root.iter("script"):
        if script.get("type") != "application/ld+json":
            continue
        try:
            stated = json.loads(script.text or "")
        except (ValueError, RecursionError):
            continue
        for term, value in _pairs(stated):
            values[clean(value)].add(term)
    return dict(values)


def has_microdata(sample: Sample) -> bool:
    """Whether the itemprops of a page are terms of schema.org."""
    return any(_SCHEMA.match(kind) for kind in map(str, sample.document.root.xpath("//@itemtype")))  # type: ignore[arg-type]


def is_term(name: str) -> bool:
    """Whether a name can be a term of schema.org."""
    return _TERM.fullmatch(name) is not None


def _pairs(stated: Any) -> Iterator[tuple[str, str]]:
    """Terms and plain values, without those that describe the site."""
    waiting: list[tuple[str, Any]] = [("", stated)]
    for _ in range(_MOST_NODES):
        if not waiting:
            return
        term, value = waiting.pop()
        if isinstance(value, dict):
            if value.get("@type") not in _ABOUT_SITE if isinstance(value.get("@type"), str) else True:
                waiting += (
                    (name, inner) for name, inner in value.items() if not name.startswith("@") or name == "@graph"
                )
        elif isinstance(value, list):
            waiting += ((term, inner) for inner in value)
        elif isinstance(value, str | int | float) and not isinstance(value, bool) and is_term(term):
            yield term, str(value)
