"""Which names a page mentions: what goes from the page to the scores, and how it is written in between."""

from __future__ import annotations

import hashlib
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Sequence
from typing import Final, NamedTuple

from rdfcrawl.dataclass import dataclass

NAMESPACE: Final = "predicate://name/"
"""The predicates of names: ``name:given``, ``name:page``, ``name:bm25`` …"""
MENTIONS: Final = f"<{NAMESPACE}mentions>"
"""The predicate of the statement that carries a page's mentions; it is in no graph."""
_NODES: Final = "name://"

compact: Final = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), check_circular=False).encode
"""JSON without spaces; made once, because there is a row for every name on every page."""


class Mention(NamedTuple):
    """A name that an object of a page has, how often, in what parts, and the line where it stands first."""

    name: str
    predicate: str
    subject: str
    times: int
    facts: Sequence[Sequence[str]]
    excerpt: str


@dataclass(frozen=True, slots=True)
class PageMentions:
    """The names on one page, read as one kind of page, and how many words were searched."""

    page: str
    kind: str
    words: int
    mentions: tuple[Mention, ...]

    def packed(self) -> str:
        """As a text in which nothing must be escaped."""
        rows = [[m.name, m.predicate, m.subject, m.times, m.facts, m.excerpt] for m in self.mentions]
        content = compact([self.kind, self.words, rows]).encode("utf-8", "replace")
        return b64encode(zlib.compress(content, 1)).decode()

    @classmethod
    def unpacked(cls, page: str, text: bytes) -> PageMentions:
        """What ``packed`` has written."""
        kind, words, rows = json.loads(zlib.decompress(b64decode(text)))
        return cls(page, kind, words, tuple([Mention(*row) for row in rows]))


def name_node(name: str) -> str:
    """The IRI of a name, wherever it is mentioned."""
    return f"{_NODES}{hash_of(name)}"


def mention_node(name: str, page: str) -> str:
    """The IRI of a name on a page."""
    return f"{_NODES}mention/{hash_of(name, page)}"


def person_node(host: str, name: str) -> str:
    """The IRI of a person, by the longest form of the name and the first of the hosts."""
    return f"{_NODES}person/{hash_of(host, name)}"


def hash_of(*texts: str) -> str:
    """A name for some texts that does not depend on anything else."""
    return hashlib.sha1("\n".join(texts).encode("utf-8", "replace"), usedforsecurity=False).hexdigest()
