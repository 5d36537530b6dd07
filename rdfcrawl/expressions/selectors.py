"""What is evaluated for an expression of a model: the XPath of a CSS selector, or the XPath as it is written.

A function that takes one text takes the first node of several, as in XPath 1.0. Inside ``string-join()``, where XPath 2
has sequences, some of them apply to every node instead: ``string-join(normalize-space(li), ', ')``.
"""

from __future__ import annotations

import re
from typing import Final

from rdfcrawl.expressions.css import is_css, xpath_of_css
from rdfcrawl.expressions.tokens import XPathToken, call_arguments, is_call, tokenise

JOINING: Final = "string-join"
RESOLVING: Final = "resolve-uri"
BASE: Final = "base"
"""The variable with the address that relative ones are resolved against; a model does not name it itself."""
PER_NODE: Final = frozenset(("normalize-space", "lower-case", "upper-case", "replace"))
"""Functions that apply to every node inside ``string-join()``."""
_OF_ONE_TEXT: Final = frozenset(("matches", "replace", "tokenize", "ends-with", "lower-case", "upper-case", RESOLVING))
_ID: Final = "id"
_ID_CALL: Final = re.compile(rf"\b{_ID}\s*\(")
EACH: Final = "-of-each"
"""What the name of such a function ends with where it applies to every node."""


def xpath_of(text: str) -> str:
    """The XPath that is evaluated; raises ``CssError`` for a selector that cannot be used."""
    if is_css(text):
        return xpath_of_css(text)
    if _ID_CALL.search(text):
        text = _with_ids(text)
    if JOINING in text:
        text = _with_sequences(text)
    if RESOLVING in text:
        text = _with_base(text)
    return _with_texts(text) if any(name in text for name in _OF_ONE_TEXT) else text


def _with_ids(text: str) -> str:
    """The expression with a path for each ``id('…')``: libxml2 takes for an ID only what a DTD declares as one."""
    tokens = tokenise(text)
    for index in range(len(tokens) - 1, -1, -1):
        if tokens[index].text != _ID or not is_call(tokens, index):
            continue
        arguments, end = call_arguments(tokens, index)
        if end is None or len(arguments) != 1 or [token.kind for token in arguments[0]] != ["literal"]:
            continue
        names = arguments[0][0].text[1:-1].split()
        if len(names) == 1:
            quote = arguments[0][0].text[0]
            found = f"(//*[@id = {quote}{names[0]}{quote}])[1]"
            text = text[: tokens[index].start] + found + text[end.start + 1 :]
    return text


def _with_texts(text: str) -> str:
    """The expression in which functions get texts and not nodes: libxml2 makes them much faster than Python does."""
    tokens = tokenise(text)
    added: list[tuple[int, str]] = []
    for index, token in enumerate(tokens):
        if token.text in _OF_ONE_TEXT and is_call(tokens, index):
            arguments, _ = call_arguments(tokens, index)
            if arguments and arguments[0] and (len(arguments[0]) > 1 or arguments[0][0].kind != "literal"):
                last = arguments[0][-1]
                added += ((arguments[0][0].start, "string("), (last.start + len(last.text), ")"))
    for place, piece in sorted(added, reverse=True):
        text = text[:place] + piece + text[place:]
    return text


def names_element(text: str, name: str) -> bool:
    """Whether an expression has a step with this element name."""
    tokens = tokenise(xpath_of(text))
    return any(
        token.text == name and token.kind == "name" and not is_call(tokens, index) and not _is_attribute(tokens, index)
        for index, token in enumerate(tokens)
    )


def _is_attribute(tokens: list[XPathToken], index: int) -> bool:
    return index > 0 and (tokens[index - 1].text == "@" or (index > 1 and tokens[index - 2].text == "attribute"))


def _with_sequences(text: str) -> str:
    """The expression with the functions renamed that apply to every node."""
    tokens = tokenise(text)
    open_calls: list[str] = []
    pieces: list[str] = []
    done = 0
    for index, token in enumerate(tokens):
        if token.kind == "symbol" and token.text in ("(", "["):
            is_function = token.text == "(" and index > 0 and is_call(tokens, index - 1)
            open_calls.append(tokens[index - 1].text if is_function else "")
        elif token.kind == "symbol" and token.text in (")", "]") and open_calls:
            open_calls.pop()
        elif token.kind == "symbol" and token.text == "," and open_calls:
            # Only the first argument is a sequence.
            open_calls[-1] = ""
        elif token.text in PER_NODE and is_call(tokens, index) and _takes_all(open_calls):
            pieces += (text[done : token.start], token.text, EACH)
            done = token.start + len(token.text)
    return "".join((*pieces, text[done:]))


def _takes_all(open_calls: list[str]) -> bool:
    """Whether only such functions are between here and a ``string-join()``."""
    for name in reversed(open_calls):
        if name == JOINING:
            return True
        if name not in PER_NODE:
            return False
    return False


def _with_base(text: str) -> str:
    """The expression in which every ``resolve-uri()`` has its second argument: without one, the base of the page."""
    tokens = tokenise(text)
    ends = []
    for index, token in enumerate(tokens):
        if token.text == RESOLVING and is_call(tokens, index):
            arguments, end = call_arguments(tokens, index)
            if len(arguments) == 1 and end is not None:
                ends.append(end.start)
    for end_of_call in sorted(ends, reverse=True):
        text = f"{text[:end_of_call]}, ${BASE}{text[end_of_call:]}"
    return text
