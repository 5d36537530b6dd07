"""Parses Turtle and N3 into statements with their line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Mapping, MutableSequence
from typing import Any, Final

from rdflib import RDF, BNode, Graph, Literal, URIRef
from rdflib.plugins.parsers.notation3 import BadSyntax, RDFSink, SinkParser
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.metamodel.names import STANDARD_PREFIXES
from rdfcrawl.rdf import terms

RELATIVE_BASE: Final = "relative:///"
"""Relative IRIs are resolved against this, so that a check can recognise them."""

_LINE_BREAK: Final = re.compile(r"\r\n|\n|\r")
_WELL_KNOWN: Final = {
    **STANDARD_PREFIXES,
    "page": "page://",
    "item": "item://",
    "link": "link://",
    "rdf": terms.RDF,
    "rdfs": terms.RDFS,
    "schema": "https://schema.org/",
}

_RDF_NODES: Final = (URIRef, BNode, Literal)

Statement = tuple[Node, Node, Node]


@dataclass(frozen=True, slots=True)
class SourcePlace:
    """A line and a column, both counted from one."""

    line: int
    column: int


@dataclass(frozen=True, slots=True)
class ParsedText:
    """The statements of a text with their places, the places of their subjects, and the prefixes of the text."""

    prefixes: Mapping[str, str]
    statements: Mapping[Statement, SourcePlace]
    subjects: Mapping[Node, SourcePlace]


class NotationError(Exception):
    """The text is not Turtle or N3: where parsing stopped, why, and what would be right."""

    def __init__(self, place: SourcePlace, message: str, advice: str) -> None:
        super().__init__(message)
        self.place = place
        self.message = message
        self.advice = advice


def parse(text: str, *, n3: bool = False) -> ParsedText:
    """Parses a Turtle (or N3) text; raises ``NotationError`` at the first syntax error."""
    sink = _LocatingSink()
    parser = _LocatingParser(sink, baseURI=RELATIVE_BASE, turtle=not n3)
    lines = _Lines(text)
    try:
        parser.loadBuf(text)
    except BadSyntax as error:
        offset = _next_word(text, error._i) if 0 <= error._i <= len(text) else parser.reached
        raise NotationError(lines.place(offset), *_explain(error._why, text, offset)) from None
    except (AssertionError, AttributeError, IndexError, KeyError, RecursionError, TypeError, ValueError):
        # For unfinished texts and some other mistakes rdflib's parser raises these instead of a syntax error.
        raise NotationError(
            lines.place(parser.reached),
            "the statement that starts here is incomplete or invalid",
            "check quotes, brackets and the dot at its end",
        ) from None
    return ParsedText(
        {prefix: str(namespace) for prefix, namespace in parser._bindings.items()},
        {statement: lines.place(offset) for statement, offset in sink.offsets.items()},
        {subject: lines.place(offset) for subject, offset in parser.subject_offsets.items()},
    )


def _next_word(text: str, offset: int) -> int:
    """rdflib points to the end of what it has read; the mistake is the next word."""
    gap = re.compile(r"[ \t]*").match(text, offset)
    return gap.end() if gap else offset


class _Lines:
    """Offsets in a text as lines and columns."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(match.end() for match in _LINE_BREAK.finditer(text))]

    def place(self, offset: int) -> SourcePlace:
        line = bisect_right(self._starts, offset)
        return SourcePlace(line, offset - self._starts[line - 1] + 1)


class _LocatingSink(RDFSink):
    """Keeps every statement with the offset where its object begins; building a graph would take twice as long."""

    def __init__(self) -> None:
        super().__init__(Graph())
        self.offset = 0
        self.offsets: dict[Statement, int] = {}
        self.item_offsets: list[int] = []
        self._members: deque[int] = deque()

    def newList(self, n: list[Any], f: Any) -> Any:  # noqa: N802
        # Inner lists end before the lists around them, so the latest items are those of this list.
        start = max(0, len(self.item_offsets) - len(n))
        self._members = deque(self.item_offsets[start:])
        del self.item_offsets[start:]
        return super().newList(n, f)

    def makeStatement(self, quadruple: Any, why: Any = None) -> None:  # noqa: N802
        formula, predicate, subject, object_ = quadruple
        statement = tuple(self.normalise(formula, node) for node in (subject, predicate, object_))
        # The formulas of N3, and statements about or within them, are not RDF.
        if formula == self.rootFormula and all(isinstance(node, _RDF_NODES) for node in statement):
            is_member = statement[1] == RDF.first and self._members
            self.offsets.setdefault(statement, self._members.popleft() if is_member else self.offset)  # type: ignore[arg-type]


class _LocatingParser(SinkParser):
    """rdflib's parser, which tells the sink its position; its own line counter drifts when it looks ahead."""

    def __init__(self, sink: _LocatingSink, **options: Any) -> None:
        super().__init__(sink, **options)
        self._sink = sink
        self._levels: list[list[int]] = [[]]
        self._objects: deque[int] = deque()
        self._statement = -1
        self.reached = 0
        self.subject_offsets: dict[Node, int] = {}

    def statement(self, argstr: str, i: int) -> int:
        self._statement = self.reached = self.skipSpace(argstr, i)
        return super().statement(argstr, i)

    def property_list(self, argstr: str, i: int, subj: Any) -> int:
        if self._statement >= 0:
            self.subject_offsets.setdefault(subj, self._statement)
            self._statement = -1
        return super().property_list(argstr, i, subj)

    def objectList(self, argstr: str, i: int, res: MutableSequence[Any]) -> int:  # noqa: N802
        self._levels.append([])
        end = super().objectList(argstr, i, res)
        self._objects = deque(self._levels.pop())
        return end

    def item(self, argstr: str, i: int, res: MutableSequence[Any]) -> int:
        self._sink.item_offsets.append(self.skipSpace(argstr, i))
        return super().item(argstr, i, res)

    def object(self, argstr: str, i: int, res: MutableSequence[Any]) -> int:
        self._levels[-1].append(self.skipSpace(argstr, i))
        return super().object(argstr, i, res)

    def makeStatement(self, quadruple: Any) -> None:  # noqa: N802
        if self._objects:
            self._sink.offset = self._objects.popleft()
        super().makeStatement(quadruple)


def _explain(why: str, text: str, offset: int) -> tuple[str, str]:
    """What is wrong and what would be right, in the terms of the author of the model."""
    if unbound := re.fullmatch(r'Prefix "(.*):" not bound', why):
        prefix = unbound[1]
        namespace = _WELL_KNOWN.get(prefix, "…")
        return f"the prefix {prefix}: is not declared", f"add @prefix {prefix}: <{namespace}> . at the top"
    if why == "bad escape":
        return f"{text[offset : offset + 2]} is not an escape in a string", "write a backslash twice: \\\\"
    if why == "newline found in string literal":
        return "the string does not end on its line", 'close it with ", or write it between """ and """'
    if why.startswith("unterminated string"):
        return "the string does not end", "close it with the quotes that opened it"
    if why == "unterminated URI reference":
        return "the address does not end", "close it with >"
    if why.startswith("expected '.'") or "objectList" in why or "propertylist" in why:
        found = text[offset : offset + 20].split("\n")[0].strip()
        found = f"{found!r} is not expected here" if found else "something is missing here"
        return found, "write one term and its value, then ; to continue or . to end the statement"
    if "EOF" in why or offset >= len(text.rstrip()):
        return "the text ends within a statement", "end the last statement with a dot"
    return f"this cannot be read: {why}", 'write statements such as item:book :path "//li" .'
