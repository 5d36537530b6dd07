"""Whether two crawls of a site have found the same: ``python benchmarks/compare.py FIRST SECOND [THIRD …]``.

JSON lines, N-Quads and rdfcrawl's run files become the same set of facts: (page, field, value), and for what is nested
(article, "offer", price and seller). The server's port is left out, so that runs on different ports compare.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

import pyoxigraph as ox

Fact = tuple[str, str, str]

_ITEM = "item://"
_PROPERTY = "property://"
_SHOWN = 5


def facts_of(path: Path) -> frozenset[Fact]:
    """The facts of a file, whose name says how to read it."""
    if path.suffixes[-2:] == [".nq", ".gz"]:
        return frozenset(_facts_of_quads(gzip.decompress(path.read_bytes())))
    if path.suffix == ".nq":
        return frozenset(_facts_of_quads(path.read_bytes()))
    with path.open(encoding="utf-8") as lines:
        return frozenset(fact for line in lines for fact in _facts_of_record(json.loads(line)))


def differences(first: frozenset[Fact], second: frozenset[Fact]) -> list[str]:
    """A few facts that only one side has, as lines to print; empty when both are the same."""
    lines = [f"only in the first:  {fact}" for fact in sorted(first - second)[:_SHOWN]]
    return lines + [f"only in the second: {fact}" for fact in sorted(second - first)[:_SHOWN]]


def triples_of(path: Path) -> frozenset[tuple[str, str, str]]:
    """The triples of an N-Quads file, plain or compressed, whatever its graph is called."""
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return frozenset((str(quad.subject), str(quad.predicate), str(quad.object)) for quad in _quads(content))


def _quads(content: bytes) -> Iterable[ox.Quad]:
    return ox.parse(content, format=ox.RdfFormat.N_QUADS)


def _facts_of_record(record: dict[str, object]) -> Iterator[Fact]:
    page = urlsplit(str(record.pop("url"))).path
    for field, value in record.items():
        if isinstance(value, list):
            for nested in value:
                yield page, field.removesuffix("s"), _in_one(nested)
        else:
            yield page, field, str(value)


def _facts_of_quads(content: bytes) -> Iterator[Fact]:
    holders: dict[str, tuple[str, str]] = {}
    values: dict[str, dict[str, str]] = defaultdict(dict)
    for quad in _quads(content):
        assert isinstance(quad.subject, ox.NamedNode)
        assert not isinstance(quad.object, ox.Triple)
        subject, predicate, value = quad.subject.value, quad.predicate.value, quad.object.value
        if predicate.startswith(_PROPERTY):
            values[subject][predicate.rpartition("/")[2]] = value
        elif "#" in value:
            holders[value] = urlsplit(subject).path, predicate.removeprefix(_ITEM)
    for subject, found in values.items():
        if subject in holders:
            yield *holders[subject], _in_one(found)
        else:
            for field, value in found.items():
                yield urlsplit(subject).path, field, value


def _in_one(values: Mapping[str, str]) -> str:
    return " ".join(value for _, value in sorted(values.items()))


def main() -> int:
    """Compare the files of the command line with the first of them."""
    first, *others = map(Path, sys.argv[1:])
    expected = facts_of(first)
    print(f"{first}: {len(expected):,} facts")
    same = True
    for path in others:
        found = facts_of(path)
        lines = differences(expected, found)
        same = same and not lines
        print(f"{path}: {len(found):,} facts, {'different' if lines else 'the same'}", *lines, sep="\n  ")
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
