"""Finds what is wrong with an XPath, and where.

lxml compiles an expression without checking that its functions, variables and prefixes exist: they are looked up when
the expression is evaluated, perhaps in the middle of a run. So its names are checked here, token by token.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from lxml import etree

from rdfcrawl.metamodel.names import closest

OBJECT_VARIABLES: Final = ("outer", "root")
"""``$outer`` is the enclosing object's root element, ``$root`` the object's own."""

_ANY: Final = 1_000
FUNCTIONS: Final = {
    "last": (0, 0),
    "position": (0, 0),
    "count": (1, 1),
    "id": (1, 1),
    "local-name": (0, 1),
    "namespace-uri": (0, 1),
    "name": (0, 1),
    "string": (0, 1),
    "concat": (2, _ANY),
    "starts-with": (2, 2),
    "contains": (2, 2),
    "substring-before": (2, 2),
    "substring-after": (2, 2),
    "substring": (2, 3),
    "string-length": (0, 1),
    "normalize-space": (0, 1),
    "translate": (3, 3),
    "boolean": (1, 1),
    "not": (1, 1),
    "true": (0, 0),
    "false": (0, 0),
    "lang": (1, 1),
    "number": (0, 1),
    "sum": (1, 1),
    "floor": (1, 1),
    "ceiling": (1, 1),
    "round": (1, 1),
}
"""The functions of XPath 1.0 and how many arguments each takes."""

_PREFIXES: Final = ("xlink", "xml")
NODE_TYPES: Final = ("node", "text", "comment", "processing-instruction")
_RESULTS: Final = {float: "a number", bool: "true or false", str: "a string"}
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
    ["@", "::", "(", "[", ",", "and", "or", "mod", "div", "*", "/", "//", "|", "+", "-"]
) | {
    "=",
    "!=",
    "<",
    "<=",
    ">",
    ">=",
}


@dataclass(frozen=True, slots=True)
class XPathFault:
    """What is wrong and what would be right."""

    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class XPathToken:
    """A literal, number, variable, name or symbol, and its position in the expression."""

    kind: str
    text: str
    start: int


def faults(
    expression: str, variables: tuple[str, ...] = OBJECT_VARIABLES, *, nodes: bool = True
) -> tuple[XPathFault, ...]:
    """Everything that is wrong with an expression; with ``nodes``, also that it returns something other than nodes."""
    try:
        compiled = etree.XPath(expression, regexp=False, namespaces=dict.fromkeys(_PREFIXES, "namespace:"))
    except etree.XPathSyntaxError as error:
        return (_syntax_fault(expression, error),)
    found = tuple(_name_faults(expression, variables))
    return found or tuple(_result_faults(expression, compiled, nodes))


def _syntax_fault(expression: str, error: etree.XPathSyntaxError) -> XPathFault:
    if not expression.strip():
        return XPathFault("the XPath is empty", 'write the path of the element, such as ".//h1"')
    octets = expression.encode()
    # Entries without a column point to the end of the expression.
    column = error.error_log.last_error.column if error.error_log.last_error is not None else len(octets)
    offset = len(octets[:column].decode(errors="ignore"))
    reason = str(error).lower() if str(error) != "Invalid expression" else "syntax error"
    return XPathFault(f"the XPath is invalid at {_position(expression, offset)}: {reason}", _syntax_advice(expression))


def _syntax_advice(expression: str) -> str:
    for opening, closing in ("[]", "()"):
        missing = expression.count(opening) - expression.count(closing)
        if missing:
            verb = "close" if missing > 0 else "remove"
            return f"{verb} {abs(missing)} bracket{'s' if abs(missing) > 1 else ''} {closing}"
    if expression.count("'") % 2 or expression.count('"') % 2:
        return "close the quote"
    return "write XPath 1.0"


def _name_faults(expression: str, variables: tuple[str, ...]) -> Iterator[XPathFault]:
    tokens = tokenise(expression)
    for index, token in enumerate(tokens):
        place = _position(expression, token.start)
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        if token.kind == "variable":
            yield from _variable_faults(token, place, variables)
        elif token.kind == "name" and ":" in token.text:
            yield from _prefix_faults(token, place, following)
        elif token.kind == "name" and following == "(" and token.text not in NODE_TYPES and _is_operand(tokens, index):
            yield from _function_faults(tokens, index, place)


def _prefix_faults(token: XPathToken, place: str, following: str) -> Iterator[XPathFault]:
    prefix, _, local = token.text.partition(":")
    if following == "(":
        yield XPathFault(f"the function {token.text}() is not known at {place}", "use the functions of XPath 1.0")
    elif prefix not in _PREFIXES:
        yield XPathFault(f"the prefix {prefix}: is not known at {place}", f"write *[local-name()='{local}']")


def _variable_faults(token: XPathToken, place: str, variables: tuple[str, ...]) -> Iterator[XPathFault]:
    if token.text.removeprefix("$").strip() in variables:
        return
    if not variables:
        yield XPathFault(
            f"the variable {token.text} is not known at {place}",
            "do not use variables here, because there is no object",
        )
        return
    yield XPathFault(
        f"the variable {token.text} is not known at {place}",
        "use $outer, the enclosing object's root element, or $root, the object's own",
    )


def _function_faults(tokens: list[XPathToken], index: int, place: str) -> Iterator[XPathFault]:
    name = tokens[index].text
    if name not in FUNCTIONS:
        meant = closest(name, list(FUNCTIONS))
        advice = f"did you mean {meant}()?" if meant else "use the functions of XPath 1.0"
        yield XPathFault(f"the function {name}() is not known at {place}", advice)
        return
    least, most = FUNCTIONS[name]
    count = _argument_count(tokens, index + 1)
    if not least <= count <= most:
        wanted = str(least) if least == most else f"{least} or more" if most == _ANY else f"{least} to {most}"
        given = {0: "no arguments", 1: "1 argument"}.get(count, f"{count} arguments")
        yield XPathFault(f"the function {name}() has {given} at {place}", f"it takes {wanted}")


def _argument_count(tokens: list[XPathToken], opening: int) -> int:
    depth = 0
    commas = 0
    for token in tokens[opening:]:
        if token.text in ("(", "[") and token.kind == "symbol":
            depth += 1
        elif token.text in (")", "]") and token.kind == "symbol":
            depth -= 1
            if depth == 0:
                break
        elif token.text == "," and token.kind == "symbol" and depth == 1:
            commas += 1
    empty = opening + 1 >= len(tokens) or tokens[opening + 1].text == ")"
    return 0 if empty else commas + 1


def _result_faults(expression: str, compiled: etree.XPath, nodes: bool) -> Iterator[XPathFault]:
    """Evaluates the expression once: whether it returns nodes does not depend on the content of the document."""
    root = etree.Element("html")
    try:
        result = compiled(root, outer=[root], root=[root])
    except etree.XPathError as error:
        yield XPathFault(f"the XPath {expression} fails: {str(error).lower()}", "write XPath 1.0")
        return
    kind = next((name for type_, name in _RESULTS.items() if isinstance(result, type_)), None)
    if nodes and kind is not None:
        yield XPathFault(f"the XPath returns {kind}, not elements", 'write the path of the element, such as ".//h1"')


def _is_operand(tokens: list[XPathToken], index: int) -> bool:
    """Whether a name is where an operand begins; otherwise it is an operator such as ``div``."""
    return index == 0 or tokens[index - 1].text in _BEFORE_OPERAND


def tokenise(expression: str) -> list[XPathToken]:
    """The tokens of an expression, without white space."""
    return [
        XPathToken(match.lastgroup or "", match[0], match.start())
        for match in _TOKEN.finditer(expression)
        if match.lastgroup != "space"
    ]


def _position(expression: str, offset: int) -> str:
    if offset == 0:
        return "the beginning"
    return f"character {offset + 1}, after {expression[:offset]}"
