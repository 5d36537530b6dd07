"""The string functions of XPath 2 that XPaths may use besides those of XPath 1.0.

They take what XPath 1.0 has: a set of nodes where a text is expected means its first node, an empty one the empty text.
Regular expressions are those of ``:pattern``, with the flags of XPath 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from rdfcrawl.expressions.css import is_css
from rdfcrawl.expressions.patterns import PATTERN_SECONDS, compiled_pattern, library_template, too_slow
from rdfcrawl.expressions.selectors import EACH, JOINING, PER_NODE, RESOLVING
from rdfcrawl.expressions.tokens import is_call, tokenise

if TYPE_CHECKING:
    import regex

Extensions = Mapping[tuple[str | None, str], Callable[..., Any]]
"""Functions by namespace and name, as lxml takes them."""

ARGUMENTS: Final = {
    "matches": (2, 3),
    "replace": (3, 4),
    "tokenize": (1, 3),
    "ends-with": (2, 2),
    "lower-case": (1, 1),
    "upper-case": (1, 1),
    JOINING: (1, 2),
    RESOLVING: (1, 2),
    **{name + EACH: (1, 4) for name in PER_NODE},
}
"""How many arguments each function takes."""

PATTERN_ARGUMENT: Final = {"matches": 1, "replace": 1, "tokenize": 1}
"""Which argument is a regular expression."""

_FLAGS: Final = {"s": "DOTALL", "m": "MULTILINE", "i": "IGNORECASE", "x": "VERBOSE"}
_SPACES: Final = re.compile(r"[ \t\r\n]+")
_string: Final = etree.XPath("string()", smart_strings=False, regexp=False)


def is_known_to_browsers(text: str) -> bool:
    """Whether a browser can evaluate an expression as well: it has neither variables nor these functions."""
    if is_css(text):
        return True
    tokens = tokenise(text)
    return not any(
        token.kind == "variable" or (token.text in ARGUMENTS and is_call(tokens, index))
        for index, token in enumerate(tokens)
    )


class FunctionError(ValueError):
    """A function cannot do its work: a wrong regular expression, or one that takes too long."""


def extensions(resolve: Callable[[str, str], str]) -> Extensions:
    """The functions; ``resolve`` returns the address that a reference means on a page, or the empty text."""

    def resolve_uri(_: Any, reference: object, base: object) -> str:
        given = _text(reference).strip()
        return resolve(given, _text(base)) if given else ""

    named: dict[str, Callable[..., Any]] = {
        "matches": _matches,
        "replace": _per_text(_replace),
        "tokenize": _tokenize,
        "ends-with": lambda _, text, end: _text(text).endswith(_text(end)),
        "lower-case": _per_text(str.lower),
        "upper-case": _per_text(str.upper),
        JOINING: lambda _, texts, between="": _text(between).join(_texts(texts)),
        RESOLVING: resolve_uri,
        "normalize-space" + EACH: _per_node(lambda text: _SPACES.sub(" ", text).strip(" ")),
        "lower-case" + EACH: _per_node(str.lower),
        "upper-case" + EACH: _per_node(str.upper),
        "replace" + EACH: _per_node(_replace),
    }
    return {(None, name): function for name, function in named.items()}


def _text(value: object) -> str:
    """A value as ``string()`` would convert it."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return _node_text(value[0]) if value else ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return ""


def _texts(value: object) -> list[str]:
    return [_node_text(node) for node in value] if isinstance(value, list) else [_text(value)]


def _node_text(node: Any) -> str:
    return node if isinstance(node, str) else str(_string(node))


def _per_text(function: Callable[..., str]) -> Callable[..., str]:
    return lambda _, text, *rest: function(_text(text), *map(_text, rest))


def _per_node(function: Callable[..., str]) -> Callable[..., list[str]]:
    return lambda _, nodes, *rest: [function(text, *map(_text, rest)) for text in _texts(nodes)]


def _matches(_: Any, text: object, pattern: object, flags: object = "") -> bool:
    expression = compiled(_text(pattern), _text(flags))
    try:
        return expression.search(_text(text), timeout=PATTERN_SECONDS) is not None
    except TimeoutError:
        raise FunctionError(too_slow(expression.pattern)) from None


def _replace(text: str, pattern: str, new: str, flags: str = "") -> str:
    expression = compiled(pattern, flags)
    template = library_template(new, expression)
    replaced: str = _in_time(expression, lambda: expression.sub(template, text, timeout=PATTERN_SECONDS))
    return replaced


def _tokenize(_: Any, text: object, pattern: object = None, flags: object = "") -> list[str]:
    """The parts between the matches; without an expression, the words."""
    given = _text(text)
    if pattern is None:
        return given.split()
    expression = compiled(_text(pattern), _text(flags))
    parts: list[str | None] = _in_time(expression, lambda: expression.split(given, timeout=PATTERN_SECONDS))
    # The library adds the groups between the parts.
    return [part or "" for part in parts[:: expression.groups + 1]]


def _in_time(expression: regex.Pattern[str], work: Callable[[], Any]) -> Any:
    try:
        return work()
    except TimeoutError:
        raise FunctionError(too_slow(expression.pattern)) from None


@lru_cache(maxsize=1024)
def compiled(pattern: str, flags: str = "") -> regex.Pattern[str]:
    """The expression with the flags of XPath 2; raises ``FunctionError``."""
    if unknown := [flag for flag in flags if flag not in _FLAGS and flag != "q"]:
        raise FunctionError(f"the flag {unknown[0]!r} of the regular expression {pattern} is not one of s, m, i, x, q")
    # Most models have no such calls, and need not wait for the library.
    import regex

    wanted = [_FLAGS[flag] for flag in flags.replace("q", "")]
    try:
        return compiled_pattern(regex.escape(pattern) if "q" in flags else pattern, *wanted)
    except (regex.error, OverflowError) as error:
        raise FunctionError(f"the regular expression {pattern} is invalid: {error}") from None
