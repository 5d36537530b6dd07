"""A SPARQL query before it is carried out: which graphs it asks, what it may do, and what is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from rdfcrawl.errors import UsageError
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import is_part, is_run, run_iri
from rdfcrawl.store.current import current_runs
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import no_graph, resolve_run
from rdfcrawl.store.triples import Held

COMMON_PREFIXES: Mapping[str, str] = {
    "rdf": terms.RDF,
    "rdfs": terms.RDFS,
    "xsd": terms.XSD,
    "prov": terms.PROV,
}

_TOKENS = re.compile(
    r"""
    <[^<>"{}|^`\\\x00-\x20]*>                                       # an IRI
    | \#[^\r\n]*                                                    # a comment
    | \"{3}(?:[^"\\]|\\.|\"(?!\"\"))*\"{3} | '{3}(?:[^'\\]|\\.|'(?!''))*'{3}
    | "(?:[^"\\\r\n]|\\.)*" | '(?:[^'\\\r\n]|\\.)*'                 # strings
    | [?$@]\w+                                                      # a variable or a language
    | (?P<prefix>[^\W_](?:[\w.-]*[\w-])?)?:(?:[\w.:%-]|\\.)*        # a prefixed name
    | _:[\w.-]*                                                     # a blank node
    | (?P<word>\w+)
    | \\.
    """,
    re.VERBOSE | re.DOTALL,
)
_CODE_POINT = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_UPDATES = frozenset({"INSERT", "DELETE", "LOAD", "CLEAR", "DROP", "CREATE", "ADD", "MOVE", "COPY", "WITH"})


class ResultFormat(StrEnum):
    """How results are written; the first four suit solutions and truth values, the others graphs."""

    JSON = "json"
    XML = "xml"
    CSV = "csv"
    TSV = "tsv"
    TURTLE = "ttl"
    N_TRIPLES = "nt"
    JSON_LD = "jsonld"
    RDF_XML = "rdf"


class QueryForm(StrEnum):
    """What a query gives."""

    SOLUTIONS = "solutions"
    BOOLEAN = "boolean"
    GRAPH = "graph"


class QueryError(UsageError):
    """A query cannot be carried out; the message says where, when that is known."""


@dataclass(frozen=True, slots=True)
class Query:
    """A query and the graphs that it asks; there are none where the query names its graphs itself."""

    text: str
    default: tuple[str, ...] | None = None
    named: tuple[str, ...] | None = None
    prefixes: Mapping[str, str] = field(default_factory=dict)


def prepare(
    text: str,
    default: Sequence[str],
    named: Sequence[str],
    prefixes: Mapping[str, str],
    allow_service: bool = False,
) -> Query:
    """A query that may be carried out; raises ``QueryError`` for one that may not."""
    words = {word.upper() for word in _words(text)}
    if "SERVICE" in words and not allow_service:
        raise QueryError("SERVICE would send parts of the query to another host; it must be allowed (--allow-service)")
    if "FROM" in words:
        return Query(text, prefixes=dict(prefixes))
    return Query(text, tuple(default), tuple(named), dict(prefixes))


def graphs_asked(run: str, records: Sequence[RunRecord], held: Held) -> tuple[str, ...]:
    """The default graph for ``current``, ``all`` or the name of a run."""
    if run == "current":
        return held.default
    if run == "all":
        return tuple(graph for graph in held.graphs if is_run(graph))
    record = resolve_run(run, records)
    if record.iri not in held.graphs:
        raise UsageError(no_graph(record))
    return (record.iri,)


def graphs_named(held: Held) -> tuple[str, ...]:
    """The graphs that ``GRAPH`` can name: all but the current parts, which would repeat what their runs say."""
    return tuple(graph for graph in held.graphs if not is_part(graph))


def known_prefixes(records: Sequence[RunRecord]) -> dict[str, str]:
    """The prefixes of the models of the current runs, the newest first, and a few that everybody expects."""
    by_id = {run_iri(record.id): record for record in records}
    prefixes = dict(COMMON_PREFIXES)
    for current in reversed(current_runs(records)):
        prefixes.update(by_id[run_iri(current.run)].model.prefixes)
    return prefixes


def undeclared(text: str, prefixes: Mapping[str, str]) -> dict[str, str]:
    """Those of the prefixes that a query uses and does not declare itself."""
    declared = _declared(text)
    return {name: prefixes[name] for name in _used(text) if name in prefixes and name not in declared}


@dataclass(frozen=True, slots=True)
class Mistake:
    """Where a query stops being one; ``grammar`` is false where it is well-formed and still means nothing."""

    reason: str
    line: int
    column: int
    grammar: bool


def form_of(text: str) -> QueryForm:
    """What a query gives, by its first keyword."""
    forms = {"SELECT": QueryForm.SOLUTIONS, "ASK": QueryForm.BOOLEAN}
    forms |= dict.fromkeys(("CONSTRUCT", "DESCRIBE"), QueryForm.GRAPH)
    found = (forms[word.upper()] for word in _words(text) if word.upper() in forms)
    return next(found, QueryForm.SOLUTIONS)


def syntax_error(text: str, prefixes: Mapping[str, str], mistake: Mistake) -> QueryError:
    """A mistake in words that help, with the line that has it."""
    first = next((word.upper() for word in _words(text) if word.upper() not in {"PREFIX", "BASE"}), "")
    unknown = [name for name in _used(text) if name not in _declared(text) and name not in prefixes]
    line, column = mistake.line, mistake.column
    if not text.strip():
        return QueryError("the query is empty")
    if first in _UPDATES:
        reason = f"{first} would change the store; only queries (SELECT, ASK, CONSTRUCT, DESCRIBE) are answered"
    elif unknown:
        reason = f"the prefix {unknown[0]}: is not declared, and no model in the store has it"
        line, column = _place_of_prefix(text, unknown[0])
    elif mistake.grammar:
        reason = "this is no SPARQL" if column <= len(_line(text, line)) else "the query ends too early"
    else:
        reason = mistake.reason.removeprefix("expected ").removeprefix("one of ").removesuffix(", [_]")
    source = _line(text, line)
    marked = f"\n  {source}\n  {' ' * (column - 1)}^" if source.strip() else ""
    return QueryError(f"query:{line}:{column}: {reason}{marked}")


def _line(text: str, number: int) -> str:
    lines = text.split("\n")
    return lines[number - 1].rstrip("\r") if number <= len(lines) else ""


def _words(text: str) -> Iterator[str]:
    # An engine may or may not resolve \u escapes before it reads keywords; both readings count.
    for reading in {text, _CODE_POINT.sub(_character, text)}:
        for match in _TOKENS.finditer(reading):
            if match["word"]:
                yield match["word"]


def _character(match: re.Match[str]) -> str:
    code = int(match[1] or match[2], 16)
    return chr(code) if code <= 0x10FFFF else ""


def _used(text: str) -> list[str]:
    found = dict.fromkeys(
        match["prefix"] or "" for match in _TOKENS.finditer(text) if ":" in match[0] and _is_prefixed_name(match[0])
    )
    return list(found)


def _is_prefixed_name(token: str) -> bool:
    return token[0] not in "<#\"'_?$@\\"


def _declared(text: str) -> set[str]:
    found = set()
    previous = ""
    for match in _TOKENS.finditer(text):
        if previous.upper() == "PREFIX" and ":" in match[0]:
            found.add(match["prefix"] or "")
        previous = match[0]
    return found


def _place_of_prefix(text: str, prefix: str) -> tuple[int, int]:
    start = next(
        match.start()
        for match in _TOKENS.finditer(text)
        if ":" in match[0] and _is_prefixed_name(match[0]) and (match["prefix"] or "") == prefix
    )
    before = text[:start]
    return before.count("\n") + 1, start - (before.rfind("\n") + 1) + 1
