"""SPARQL queries as parsers read them, before anything is carried out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

import pyoxigraph as ox

_EMPTY: Final = ox.Store()
_LONGEST: Final = 20_000
_DEEPEST: Final = 200
"""Parsers call themselves for every bracket, and a stack that is used up ends the process."""

_PROLOGUE: Final = re.compile(r"(?:\s+|#[^\n\r]*|BASE\s*<[^>]*>|PREFIX\s+[^\s:]*:\s*<[^>]*>)*+", re.IGNORECASE)
_SELECT: Final = re.compile(r"SELECT\b", re.IGNORECASE)
_AT: Final = re.compile(r"error at (\d+):(\d+): (.*)")
_STEPS: Final = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def refusal(text: str, prefixes: Mapping[str, str]) -> SyntaxError | None:
    """What Oxigraph objects to in a query; the query is read and not carried out."""
    try:
        # These two options exclude each other, which Oxigraph says when it has read the query and has done nothing yet.
        _EMPTY.query(text, prefixes=dict(prefixes), default_graph=[], use_default_graph_as_union=True)
    except SyntaxError as error:
        return error
    except ValueError:
        return None
    raise RuntimeError("Oxigraph has carried out a query that it should only read")


def fault_in_select(text: str, prefixes: Mapping[str, str]) -> tuple[str, str] | None:
    """What is wrong with a query that has to return rows, and what would be right."""
    start = _PROLOGUE.match(text)
    if not _SELECT.match(text, start.end() if start else 0):
        return "the query returns no rows", "write a SELECT query"
    if len(text) > _LONGEST or _depth(text) > _DEEPEST:
        return "the query is too long or nested too deeply", f"write at most {_LONGEST:,} characters"
    if (objection := refusal(text, prefixes)) is not None:
        return f"the query does not parse{_place(objection)}", "try it with `rdfcrawl query`"
    return None


def _depth(text: str) -> int:
    depth = deepest = 0
    for character in text:
        depth += _STEPS.get(character, 0)
        deepest = max(deepest, depth)
    return deepest


def _place(error: SyntaxError) -> str:
    """Where a query cannot be read, or why not; a list of everything that could have stood there helps nobody."""
    said = " ".join((error.msg or str(error)).split())
    if (place := _AT.match(said)) and place[3].startswith("expected one of"):
        return f" at its line {place[1]}, column {place[2]}"
    return f": {said}"
