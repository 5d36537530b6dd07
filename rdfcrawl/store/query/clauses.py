"""A query that says itself what it would leave to others: its graphs, and the order of its columns."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Final

from rdfcrawl.rdf.ntriples import iri

_TOKEN: Final = re.compile(
    r"""#[^\n\r]*"""
    r"""|<[^<>"{}|^`\\\s]*>"""
    r"""|\"\"\"(?:\"{0,2}(?:[^"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"""
    r"""|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'"""
    r"""|[?$@]\w+|[\w.%-]*:[\w.:%\\-]*|\w+|[{}()*]""",
    re.DOTALL,
)
_FORMS: Final = ("SELECT", "CONSTRUCT", "ASK", "DESCRIBE")
_Token = tuple[str, int]
"""A word, a bracket or anything that is neither, in capitals, and where it begins."""


def selects_all(text: str) -> bool:
    """Whether a query selects ``*``, which is all variables in no particular order."""
    return _star(list(_words(text))) is not None


def with_columns(text: str, variables: Collection[str]) -> str:
    """A query that selects ``*`` with the variables that this stands for instead, as its text mentions them first."""
    words = list(_words(text))
    star = _star(words)
    if star is None:
        return text
    mentioned = dict.fromkeys(text[place + 1 : place + len(word)] for word, place in words if word[0] in "?$")
    ordered = [name for name in mentioned if name in variables]
    if len(ordered) < max(1, len(variables)):
        return text
    return f"{text[:star]}{' '.join(f'?{name}' for name in ordered)}{text[star + 1 :]}"


def with_graphs(text: str, default: Sequence[str], named: Sequence[str]) -> str | None:
    """The query with ``FROM`` before its pattern, on the line where that begins; ``None`` if that is not found.

    Graphs are named only for a query that has a ``GRAPH``: some servers copy each that is named.
    """
    tokens = list(_words(text))
    start = next((number for number, (word, _) in enumerate(tokens) if word in _FORMS), None)
    place = _place(tokens[start:]) if start is not None else None
    if place is None:
        return None
    clauses = [f"FROM {iri(graph)}" for graph in default]
    if any(word == "GRAPH" for word, _ in tokens):
        clauses += [f"FROM NAMED {iri(graph)}" for graph in named]
    return f"{text[:place]} {' '.join(clauses)} {text[place:]}"


def _words(text: str) -> Iterator[_Token]:
    """The tokens of a query except its comments."""
    return ((match[0].upper(), match.start()) for match in _TOKEN.finditer(text) if match[0][0] != "#")


def _star(tokens: Sequence[_Token]) -> int | None:
    """Where the ``*`` of a query is that selects everything."""
    words = iter(tokens)
    if next((word for word, _ in words if word in _FORMS), None) != "SELECT":
        return None
    word, place = next(((word, place) for word, place in words if word not in ("DISTINCT", "REDUCED")), ("", 0))
    return place if word == "*" else None


def _place(tokens: Sequence[_Token]) -> int | None:
    """Where the pattern of a query begins, of which these are the tokens from its form on."""
    template = tokens[0][0] == "CONSTRUCT" and len(tokens) > 1 and tokens[1][0] == "{"
    depth = 0
    for token, place in tokens[1:]:
        if depth == 0 and not template and token in ("WHERE", "{"):
            return place
        depth += (token in ("(", "{")) - (token in (")", "}"))
        if template and depth == 0:
            template = False
    return None
