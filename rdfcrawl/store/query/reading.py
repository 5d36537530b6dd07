"""What a query says, as parsers read it: Oxigraph's, which would carry it out, and rdflib's, which shows its tree.

The two do not read everything alike: one needs no spaces where the other does, one resolves escapes before all else,
one ends a comment earlier. What a query may do is therefore decided by both, and where they differ, it may not.

Parsers take as long as a text makes them, so that all of this belongs into the process that answers the query.
"""

from __future__ import annotations

import re
import secrets
import signal
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import FrameType
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.expressions.queries import refusal

_NESTED: Final = 100_000
"""How deep rdflib's parser, which is written in Python, may call itself; that costs no stack, only memory."""

_TREE_SECONDS: Final = 10.0
_NAME_LETTERS: Final = 24
_CODE_POINT: Final = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_FORMS: Final = {"SelectQuery": "solutions", "AskQuery": "boolean", "ConstructQuery": "graph", "DescribeQuery": "graph"}


class _TooLong(Exception):
    """A parser has not come to an end in time."""


@dataclass(frozen=True, slots=True)
class QueryTree:
    """What rdflib's tree of a query says; ``undeclared`` are the prefixes that it uses and does not declare."""

    form: str
    service: bool
    names_graphs: bool
    undeclared: tuple[str, ...]


def may_have_service(text: str) -> bool:
    """Whether the letters of SERVICE are there at all, whichever way escapes are read; without them there is none."""
    return any("service" in reading.casefold() for reading in (text, _CODE_POINT.sub(_character, text)))


def service_in(text: str, prefixes: Mapping[str, str]) -> bool | None:
    """Whether a query that Oxigraph can read has a SERVICE in it; ``None`` where rdflib cannot confirm it has none."""
    if not may_have_service(text):
        return False
    if reads_keyword(text, prefixes, "SERVICE"):
        return True
    found = tree(text)
    return found.service if found is not None else None


def reads_keyword(text: str, prefixes: Mapping[str, str], keyword: str) -> bool:
    """Whether Oxigraph takes some occurrence of these letters for the keyword, in a query that it can read.

    It does not show its tree, so that it is asked: every occurrence is replaced by letters that are no keyword. A name
    is still a name then, and a string a string; only a clause has lost its beginning and cannot be read any more.
    """
    letters = re.compile(keyword, re.IGNORECASE | re.ASCII)
    if not letters.search(text):
        return False
    if refusal("{", prefixes) is None:
        raise RuntimeError("Oxigraph does not say that a query cannot be read")
    # Nobody can guess the letters and have a prefix of that name; capitals count, as different names stay different.
    other = "".join(secrets.choice("qx") for _ in range(_NAME_LETTERS))

    def replaced(name: str) -> str:
        return letters.sub(lambda match: other + "".join("qx"[letter.isupper()] for letter in match[0]), name)

    return refusal(replaced(text), {replaced(name): iri for name, iri in prefixes.items()}) is not None


def undeclared(text: str, prefixes: Mapping[str, str]) -> list[str]:
    """Those of the prefixes that Oxigraph needs for a query that it can read."""
    return [
        name
        for name in mentioned(text, prefixes)
        if refusal(text, {other: iri for other, iri in prefixes.items() if other != name}) is not None
    ]


def mentioned(text: str, prefixes: Mapping[str, str]) -> list[str]:
    """Those of the prefixes that a text could use at all."""
    return [name for name in prefixes if f"{name}:" in text]


def tree(text: str) -> QueryTree | None:
    """What rdflib's tree of a query says; nothing if it cannot read it, or not in time."""
    try:
        return read_tree(text)
    except Exception:
        # Whatever a parser stumbles over, it has not read the query.
        return None


def read_tree(text: str) -> QueryTree:
    """The same; raises what rdflib raises."""
    from rdflib.plugins.sparql.parser import parseQuery
    from rdflib.plugins.sparql.parserutils import CompValue

    with _patience():
        nodes = [node for node in _nodes(parseQuery(text)) if isinstance(node, CompValue)]
    declared = {_prefix(node) for node in nodes if node.name == "PrefixDecl"}
    used = dict.fromkeys(_prefix(node) for node in nodes if node.name == "pname")
    return QueryTree(
        form=next(_FORMS[node.name] for node in nodes if node.name in _FORMS),
        service=any("service" in node.name.casefold() for node in nodes),
        names_graphs=any("datasetClause" in node for node in nodes),
        undeclared=tuple(name for name in used if name not in declared),
    )


@contextmanager
def _patience() -> Iterator[None]:
    """Let rdflib's parser nest as deep as a query does, and stop it when it has taken too long."""
    depth = sys.getrecursionlimit()

    def stop(_: int, __: FrameType | None) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGALRM, stop)
    sys.setrecursionlimit(_NESTED)
    signal.setitimer(signal.ITIMER_REAL, _TREE_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.setrecursionlimit(depth)


def _nodes(parsed: object) -> Iterator[object]:
    """Everything in a tree, without recursion."""
    waiting = [parsed]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, dict):
            waiting += reversed(list(node.values()))
        elif isinstance(node, Iterable) and not isinstance(node, str):
            # Results of pyparsing call themselves mappings as well, but what they hold is what they go through.
            waiting += reversed(list(node))


def _prefix(node: Mapping[str, object]) -> str:
    return str(node["prefix"]) if "prefix" in node else ""


def _character(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code <= sys.maxunicode else ""
