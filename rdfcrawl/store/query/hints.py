"""Names in a query that nothing in the data has, and those that were probably meant."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.runs.record import RunRecord

_OTHER: Final = re.compile(
    r"'''.*?'''|\"\"\".*?\"\"\"|'(?:[^'\\\n]|\\.)*'|\"(?:[^\"\\\n]|\\.)*\"|<[^>\s]*>|#[^\n]*", re.DOTALL
)
"""What a name cannot stand in: texts, addresses and comments."""
_NAME: Final = re.compile(r"(?<![\w:.?$-])([^\W\d_][\w.-]*)?:([\w][\w.%-]*[\w%-]|\w)")
_CLOSE: Final = 0.75


@dataclass(frozen=True, slots=True)
class NameHint:
    """A name as the query writes it, and the one in the data that is most like it."""

    written: str
    meant: str


def names_of(records: Sequence[RunRecord]) -> frozenset[str]:
    """The classes and properties that the models of these runs write."""
    return frozenset(
        name for record in records for name in (*record.model.predicates.items, *record.model.predicates.properties)
    )


def name_hints(text: str, prefixes: Mapping[str, str], known: Collection[str]) -> Iterator[NameHint]:
    """Each prefixed name of a query that is not known and is much like one with the same prefix that is."""
    for prefix, local in dict.fromkeys(_NAME.findall(_OTHER.sub(" ", text))):
        namespace = prefixes.get(prefix)
        if namespace is None or namespace + local in known:
            continue
        siblings = {name.removeprefix(namespace): name for name in known if name.startswith(namespace)}
        folded = {name.casefold(): name for name in siblings}
        for close in get_close_matches(local.casefold(), folded, n=1, cutoff=_CLOSE):
            yield NameHint(f"{prefix}:{local}", shorten(siblings[folded[close]], prefixes))
