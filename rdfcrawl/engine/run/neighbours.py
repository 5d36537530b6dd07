"""Which pages that mention names link to each other, over hosts: those inside a host belong together anyway."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from rdfcrawl.engine.address import host_of
from rdfcrawl.engine.site.facts import LINK
from rdfcrawl.recognise.mentions import hash_of
from rdfcrawl.store.files.lines import read_lines

Neighbours = Mapping[str, set[str]]
"""Of a page, those that it links to and that link to it; pages by their hash."""

_LINK: Final = LINK.encode()


def neighbours(mentions: Path, links: Path) -> Neighbours:
    """The neighbours of pages with mentions at other hosts, as the links of a survey say."""
    found: dict[str, set[str]] = {}
    if not links.exists() or not links.stat().st_size:
        return found
    hosts: dict[bytes, str] = {}
    for line in read_lines(mentions):
        page = line[: line.index(b" ")]
        hosts[page] = host_of(_address(page))
    if len(set(hosts.values())) < 2:
        return found
    for line in read_lines(links):
        source, predicate, rest = line.split(b" ", 2)
        if predicate != _LINK or source not in hosts:
            continue
        target = rest[: rest.index(b" ")]
        if hosts.get(target, hosts[source]) != hosts[source]:
            one, other = hash_of(_address(source)), hash_of(_address(target))
            found.setdefault(one, set()).add(other)
            found.setdefault(other, set()).add(one)
    return found


def _address(node: bytes) -> str:
    return node.decode()[1:-1]
