"""Addresses go in; the shape of each comes out, which pages of one kind have in common.

``/books/12/emma`` and ``/books/7/dune`` are both ``/books/0/*``. What stands at one place of the path counts as a word
of the site if few differ there, and as a value if many do. One pass for each place of the path: large surveys take
seconds.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from rdfcrawl.drafting.reading.tracking import is_tracking

_DIGITS: Final = re.compile(r"\d+")
_VALUE: Final = "*"
_MOST_WORDS: Final = 3
_VALUES_SHARE: Final = 0.3

Shape = tuple[str, ...]


def shapes_of(addresses: Iterable[str]) -> dict[str, Shape]:
    """The shape of each address: its host, the names of its parameters, and its path with values left open."""
    split = {address: _parts(address) for address in addresses}
    shapes: dict[str, Shape] = {address: head for address, (head, _) in split.items()}
    for place in range(max((len(parts) for _, parts in split.values()), default=0)):
        there = [address for address, (_, parts) in split.items() if place < len(parts)]
        words: dict[Shape, Counter[str]] = defaultdict(Counter)
        for address in there:
            words[shapes[address]][split[address][1][place]] += 1
        for address in there:
            found = words[shapes[address]]
            is_value = len(found) > max(_MOST_WORDS, _VALUES_SHARE * found.total())
            shapes[address] = (*shapes[address], _VALUE if is_value else split[address][1][place])
    return shapes


def _parts(address: str) -> tuple[Shape, list[str]]:
    split = urlsplit(address)
    parts = [_DIGITS.sub("0", part) for part in split.path.split("/") if part]
    names = sorted({name for name, _ in parse_qsl(split.query, keep_blank_values=True) if not is_tracking(name)})
    return (split.netloc, str(len(parts)), "&".join(names)), parts
