"""Parses an XPath into its location paths and their steps.

Only what can be checked by its steps is kept: the branches of a union stay together, the operands of ``or`` are
dropped, and a function's arguments are kept only if the function is useless without a match.
"""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.expressions.css import CssError
from rdfcrawl.expressions.selectors import xpath_of
from rdfcrawl.expressions.tokens import XPathToken, tokenise
from rdfcrawl.metamodel.check.xpath import NODE_TYPES

DOCUMENT: Final = "document"
CONTEXT: Final = "context"
ELSEWHERE: Final = "elsewhere"
"""Where a path starts: at the document, at the context node, or at the result of a variable or function."""

_OPERATORS: Final = frozenset(("|", "=", "!=", "<", "<=", ">", ">=", "+", "-", "*", "and", "or", "mod", "div"))
_OF_TEXTS: Final = frozenset(
    (
        "contains",
        "ends-with",
        "lower-case",
        "matches",
        "normalize-space",
        "number",
        "replace",
        "resolve-uri",
        "starts-with",
        "string",
        "string-join",
        "substring",
        "substring-after",
        "substring-before",
        "sum",
        "tokenize",
        "translate",
        "upper-case",
    )
)
"""Functions whose arguments are expected to match. ``count()`` and ``not()`` also make sense without a match."""


@dataclass(frozen=True, slots=True)
class XPathStep:
    """One step: ``//tr[1]`` is ``deep`` because of its two slashes. A test is a name, ``*`` or e.g. ``text()``."""

    deep: bool
    axis: str
    test: str
    predicates: tuple[XPathExpression, ...] = ()


@dataclass(frozen=True, slots=True)
class LocationPath:
    """Steps from a start; in ``(//ul | //ol)/li`` the start is itself an expression."""

    start: str | XPathExpression
    steps: tuple[XPathStep, ...] = ()


@dataclass(frozen=True, slots=True)
class XPathExpression:
    """The unions of paths in an expression, each of which should match, and whether it is a single union."""

    unions: tuple[tuple[LocationPath, ...], ...]
    is_union: bool


@dataclass(frozen=True, slots=True)
class ReadXPath:
    """An expression with the names of all elements and attributes in it."""

    whole: XPathExpression
    elements: tuple[str, ...]
    attributes: tuple[str, ...]


class _NotUnderstoodError(Exception):
    """The expression uses syntax that this module does not know."""


def read_steps(expression: str) -> ReadXPath | None:
    """The location paths of an expression; ``None`` if it cannot be parsed to its end."""
    try:
        reader = _StepReader(tokenise(xpath_of(expression)))
    except CssError:
        return None
    try:
        whole = reader.expression()
    except (_NotUnderstoodError, RecursionError):
        return None
    return ReadXPath(whole, tuple(reader.elements), tuple(reader.attributes)) if reader.text() == "" else None


class _StepReader:
    """Reads XPath 1.0 from left to right; its position decides whether a token is an operator."""

    def __init__(self, tokens: list[XPathToken]) -> None:
        self._tokens = tokens
        self._next = 0
        self.elements: list[str] = []
        self.attributes: list[str] = []

    def text(self, ahead: int = 0) -> str:
        """The next token, or one after it; empty at the end."""
        place = self._next + ahead
        return self._tokens[place].text if place < len(self._tokens) else ""

    def expression(self) -> XPathExpression:
        arguments: list[tuple[LocationPath, ...]] = []
        unions = [[self._operand(arguments)]]
        operators = set()
        while self.text() in _OPERATORS:
            operators.add(operator := self._take())
            operand = self._operand(arguments)
            if operator == "|":
                unions[-1].append(operand)
            else:
                unions.append([operand])
        if "or" in operators:
            return XPathExpression((), is_union=False)
        return XPathExpression((*map(tuple, unions), *arguments), is_union=operators <= {"|"})

    def _operand(self, arguments: list[tuple[LocationPath, ...]]) -> LocationPath:
        while self.text() == "-":
            self._take()
        if self._begins_a_path():
            return self._location_path()
        start = self._primary(arguments)
        steps = []
        if predicates := self._predicates():
            steps.append(XPathStep(False, "self", "node()", predicates))
        return LocationPath(start, (*steps, *self._following_steps()))

    def _primary(self, arguments: list[tuple[LocationPath, ...]]) -> str | XPathExpression:
        if self._kind() in ("literal", "number", "variable"):
            self._take()
            return ELSEWHERE
        if self._kind() == "name":
            function = self._take()
            given = self._arguments()
            if function in _OF_TEXTS:
                arguments += (union for argument in given for union in argument.unions)
            return ELSEWHERE
        self._expect("(")
        inner = self.expression()
        self._expect(")")
        return inner

    def _arguments(self) -> list[XPathExpression]:
        self._expect("(")
        given: list[XPathExpression] = []
        while self.text() != ")":
            if given:
                self._expect(",")
            given.append(self.expression())
        self._expect(")")
        return given

    def _location_path(self) -> LocationPath:
        if self.text() not in ("/", "//"):
            return LocationPath(CONTEXT, (self._step(deep=False), *self._following_steps()))
        if self.text() == "/" and not self._begins_a_step(1):
            self._take()
            return LocationPath(DOCUMENT)
        return LocationPath(DOCUMENT, tuple(self._following_steps()))

    def _following_steps(self) -> list[XPathStep]:
        steps = []
        while self.text() in ("/", "//"):
            steps.append(self._step(deep=self._take() == "//"))
        return steps

    def _step(self, *, deep: bool) -> XPathStep:
        if self.text() in (".", ".."):
            axis = "self" if self._take() == "." else "parent"
            return XPathStep(deep, axis, "node()")
        axis = "child"
        if self.text() == "@":
            self._take()
            axis = "attribute"
        elif self.text(1) == "::":
            axis = self._take()
            self._take()
        test = self._test()
        if axis != "namespace" and not test.endswith(("*", ")")):
            (self.attributes if axis == "attribute" else self.elements).append(test)
        return XPathStep(deep, axis, test, self._predicates())

    def _test(self) -> str:
        if self._kind() != "name" and self.text() != "*":
            raise _NotUnderstoodError
        test = self._take()
        if self.text() == "(":
            self._take()
            if self._kind() == "literal":
                self._take()
            self._expect(")")
            return f"{test}()"
        return test

    def _predicates(self) -> tuple[XPathExpression, ...]:
        predicates = []
        while self.text() == "[":
            self._take()
            predicates.append(self.expression())
            self._expect("]")
        return tuple(predicates)

    def _begins_a_path(self) -> bool:
        return self.text() in ("/", "//") or self._begins_a_step(0)

    def _begins_a_step(self, ahead: int) -> bool:
        if self.text(ahead) in (".", "..", "@", "*"):
            return True
        is_call = self.text(ahead + 1) == "(" and self.text(ahead) not in NODE_TYPES
        return self._kind(ahead) == "name" and not is_call

    def _kind(self, ahead: int = 0) -> str:
        place = self._next + ahead
        return self._tokens[place].kind if place < len(self._tokens) else ""

    def _take(self) -> str:
        text = self.text()
        self._next += 1
        return text

    def _expect(self, text: str) -> None:
        if self._take() != text:
            raise _NotUnderstoodError
