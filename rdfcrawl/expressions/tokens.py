"""Splits an XPath into its tokens."""

from __future__ import annotations

import re
from typing import Final

from rdfcrawl.dataclass import dataclass

_TOKEN: Final = re.compile(
    r"""(?P<space>\s+)
      | (?P<literal>"[^"]*"|'[^']*')
      | (?P<number>\d+(?:\.\d*)?|\.\d+)
      | (?P<variable>\$\s*[^\W\d][\w.-]*)
      | (?P<name>[^\W\d][\w.-]*(?::(?:[^\W\d][\w.-]*|\*))?)
      | (?P<symbol>::|//|\.\.|!=|<=|>=|.)""",
    re.VERBOSE | re.DOTALL,
)
_BEFORE_OPERAND: Final = frozenset(
    [
        "@",
        "::",
        "(",
        "[",
        ",",
        "and",
        "or",
        "mod",
        "div",
        "*",
        "/",
        "//",
        "|",
        "+",
        "-",
        "=",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
    ]
)


@dataclass(frozen=True, slots=True)
class XPathToken:
    """A literal, number, variable, name or symbol, and its position in the expression."""

    kind: str
    text: str
    start: int


def tokenise(expression: str) -> list[XPathToken]:
    """The tokens of an expression, without white space."""
    return [
        XPathToken(match.lastgroup or "", match[0], match.start())
        for match in _TOKEN.finditer(expression)
        if match.lastgroup != "space"
    ]


def is_operand(tokens: list[XPathToken], index: int) -> bool:
    """Whether a name is where an operand begins; otherwise it is an operator such as ``div``."""
    return index == 0 or tokens[index - 1].text in _BEFORE_OPERAND


def is_call(tokens: list[XPathToken], index: int) -> bool:
    """Whether a token is the name of a function, or of a node test such as ``text()``."""
    has_bracket = index + 1 < len(tokens) and tokens[index + 1].text == "("
    return has_bracket and tokens[index].kind == "name" and is_operand(tokens, index)


def call_arguments(tokens: list[XPathToken], index: int) -> tuple[list[list[XPathToken]], XPathToken | None]:
    """The arguments of the function at ``index``, and the bracket that closes them, if there is one."""
    arguments: list[list[XPathToken]] = [[]]
    depth = 0
    for token in tokens[index + 1 :]:
        is_symbol = token.kind == "symbol"
        if is_symbol and token.text in (")", "]"):
            depth -= 1
            if depth == 0:
                return (arguments if arguments != [[]] else []), token
        if is_symbol and token.text == "," and depth == 1:
            arguments.append([])
        elif depth:
            arguments[-1].append(token)
        if is_symbol and token.text in ("(", "["):
            depth += 1
    return (arguments if arguments != [[]] else []), None
