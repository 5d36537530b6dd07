"""What is wrong with a query, in words that help, and where.

Oxigraph says how far it has looked ahead, which can be the end of the text; rdflib says where the part begins that it
cannot read. Where rdflib has no objection, the mistake is not one of grammar, and Oxigraph knows better.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from rdfcrawl.store.query.reading import read_tree

_UPDATES: Final = ("INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH")
_PLACE: Final = re.compile(r"error at (\d+):(\d+): ", re.ASCII)
_WORD: Final = re.compile(r"\s*([A-Za-z]+)")
_SENTENCE: Final = re.compile(r"\w+ \w+ \w+")
_SHOWN: Final = 160
"""Characters of a line that a message shows at most."""


def mistake_in(text: str, prefixes: Mapping[str, str], objection: str) -> str:
    """Describe what is wrong with a query to which Oxigraph objects in that way."""
    from pyparsing import ParseException

    if not text.strip():
        return "the query is empty"
    place = _PLACE.match(objection)
    line, column = (int(place[1]), int(place[2])) if place else (1, 1)
    reason = _meaning(objection[place.end() :] if place else objection)
    try:
        unknown = [name for name in read_tree(text).undeclared if name not in prefixes]
    except ParseException as error:
        line, column = error.lineno, error.col
        reason = _grammar(error.pstr[error.loc :], ends=column > len(_line(text, line)))
    except Exception:
        # rdflib cannot tell, or not in time.
        reason = "this is no SPARQL"
    else:
        if unknown:
            reason = f"the prefix {unknown[0]}: is not declared, and no model in the store has it"
            line, column = _place_of(f"{unknown[0]}:", text)
    return f"query:{line}:{column}: {reason}{_marked(_line(text, line), column)}"


def _meaning(objection: str) -> str:
    """What Oxigraph says of a query that is well-formed; a list of what it had expected helps nobody."""
    reason = objection.removeprefix("expected ").removeprefix("one of ").removesuffix(", [_]")
    return reason if _SENTENCE.match(reason) else "this is no SPARQL"


def _grammar(rest: str, ends: bool) -> str:
    word = _WORD.match(rest)
    if word and word[1].upper() in _UPDATES:
        return f"{word[1].upper()} would change the store; only queries (SELECT, ASK, CONSTRUCT, DESCRIBE) are answered"
    return "the query ends too early" if ends else "this is no SPARQL"


def _place_of(name: str, text: str) -> tuple[int, int]:
    found = re.search(rf"(?<![\w.:-]){re.escape(name)}", text)
    before = text[: found.start() if found else 0]
    return before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


def _marked(source: str, column: int) -> str:
    """The line with a mark under the place; of a long one the part around it."""
    if not source.strip():
        return ""
    start = max(0, min(column - _SHOWN // 2, len(source) - _SHOWN))
    shown = source[start : start + _SHOWN]
    return f"\n  {shown}\n  {' ' * (column - 1 - start)}^"
