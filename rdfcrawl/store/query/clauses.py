"""A query that names its graphs itself, for servers that do not heed the graphs of a request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.rdf.ntriples import iri

_TOKEN: Final = re.compile(
    r"""#[^\n\r]*"""
    r"""|<[^<>"{}|^`\\\s]*>"""
    r"""|\"\"\"(?:\"{0,2}(?:[^"\\]|\\.))*\"\"\"|'''(?:'{0,2}(?:[^'\\]|\\.))*'''"""
    r"""|"(?:[^"\\\n\r]|\\.)*"|'(?:[^'\\\n\r]|\\.)*'"""
    r"""|[?$@]\w+|[\w.%-]*:[\w.:%\\-]*|\w+|[{}()]""",
    re.DOTALL,
)
_FORMS: Final = ("SELECT", "CONSTRUCT", "ASK", "DESCRIBE")
_Token = tuple[str, int]
"""A word, a bracket or anything that is neither, in capitals, and where it begins."""


def with_graphs(text: str, default: Sequence[str], named: Sequence[str]) -> str | None:
    """The query with ``FROM`` before its pattern, on the line where that begins; ``None`` if that is not found.

    Graphs are named only for a query that has a ``GRAPH``: some servers copy each that is named.
    """
    tokens = [token for token in _tokens(text) if not token[0].startswith("#")]
    start = next((number for number, (word, _) in enumerate(tokens) if word in _FORMS), None)
    place = _place(tokens[start:]) if start is not None else None
    if place is None:
        return None
    clauses = [f"FROM {iri(graph)}" for graph in default]
    if any(word == "GRAPH" for word, _ in tokens):
        clauses += [f"FROM NAMED {iri(graph)}" for graph in named]
    return f"{text[:place]} {' '.join(clauses)} {text[place:]}"


def _tokens(text: str) -> Iterator[_Token]:
    return ((match[0].upper(), match.start()) for match in _TOKEN.finditer(text))


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
