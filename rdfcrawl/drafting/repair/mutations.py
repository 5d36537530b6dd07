"""A path that no longer finds anything goes in; paths that differ from it in one thing come out.

What redesigns do most often is small: a class is renamed, an element is put around another or before it, a column is
inserted. Then the author's own path, changed in one place, is better than any new one.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from rdfcrawl.drafting.repair.css_mutations import css_literals, css_mutations, css_renamed
from rdfcrawl.expressions.css import is_css
from rdfcrawl.expressions.tokens import XPathToken, is_call, is_operand, tokenise

_SHIFTS: Final = (1, -1, 2, -2, 3)
_AXES: Final = frozenset(("following-sibling", "preceding-sibling", "ancestor", "descendant", "child", "parent"))


def mutations(path: str, attribute: str | None = None) -> list[str]:
    """Paths that differ from a path in one place, the most likely first; for a CSS selector, selectors.

    ``attribute`` is what is read from the elements, so that those without it can be passed over.
    """
    if is_css(path):
        return css_mutations(path, attribute)
    tokens = tokenise(path)
    found = [
        *_looser(path, tokens),
        *_shifted(path, tokens),
        *([f"{path}[@{attribute}]"] if attribute else []),
        *_numbered(path, tokens),
        *_from_elsewhere(path),
        *_shorter(path, tokens),
    ]
    return [one for one in dict.fromkeys(found) if one != path]


def literals(path: str) -> dict[str, bool]:
    """The texts that a path compares with, without their quotes, and whether all of a value is compared with them."""
    if is_css(path):
        return css_literals(path)
    tokens = tokenise(path)
    return {token.text[1:-1]: before.text == "=" for before, token in pairwise(tokens) if token.kind == "literal"}


def renamed(path: str, old: str, new: str) -> str:
    """The path with another text in place of one that it compares with."""
    if is_css(path):
        return css_renamed(path, old, new)
    pieces: list[str] = []
    done = 0
    for token in tokenise(path):
        if token.kind == "literal" and token.text[1:-1] == old:
            quote = token.text[0] if token.text[0] not in new else "'\""[token.text[0] == "'"]
            pieces += (path[done : token.start], f"{quote}{new}{quote}")
            done = token.start + len(token.text)
    return "".join((*pieces, path[done:]))


def _looser(path: str, tokens: list[XPathToken]) -> Iterator[str]:
    """Any number of elements between two steps, where there was none."""
    for index in range(len(tokens) - 1, 0, -1):
        token, following = tokens[index], tokens[index + 1 : index + 2]
        is_up = bool(following) and following[0].text in ("..", ".", "@", "text")
        is_axis = bool(following) and following[0].text in _AXES
        if token.text == "/" and not is_up and not is_axis:
            yield f"{path[: token.start]}//{path[token.start + 1 :]}"


def _shifted(path: str, tokens: list[XPathToken]) -> Iterator[str]:
    """Another number in brackets, as when a column is inserted."""
    for before, token, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if token.kind == "number" and before.text == "[" and after.text == "]" and token.text.isdigit():
            end = token.start + len(token.text)
            for shift in _SHIFTS:
                if (number := int(token.text) + shift) > 0:
                    yield f"{path[: token.start]}{number}{path[end:]}"
            yield f"{path[: token.start]}last(){path[end:]}"


def _numbered(path: str, tokens: list[XPathToken]) -> Iterator[str]:
    """A step that had no number, with one: something of the same name was put before it."""
    for number in ("2", "3", "last()"):
        for end in _ends_of_steps(tokens):
            yield f"{path[:end]}[{number}]{path[end:]}"


def _ends_of_steps(tokens: list[XPathToken]) -> Iterator[int]:
    """Where the steps of a path end, conditions included, the last step first."""
    ends, depth = [], 0
    for index, token in enumerate(tokens):
        if token.text in ("[", "("):
            depth += 1
        elif token.text in ("]", ")"):
            depth -= 1
        is_name = token.kind == "name" and is_operand(tokens, index) and not is_call(tokens, index)
        following = tokens[index + 1].text if index + 1 < len(tokens) else ""
        is_end = (is_name and following not in ("::", "[")) or (token.text == "]" and following != "[")
        if depth == 0 and is_end and (index == 0 or tokens[index - 1].text != "@"):
            ends.append(token.start + len(token.text))
    return reversed(ends)


def _from_elsewhere(path: str) -> Iterator[str]:
    """The same path from the whole object, and from the whole document."""
    if path.startswith(".//"):
        yield path[1:]
    elif path.startswith("./"):
        yield f"./{path[1:]}"
        yield f"/{path[1:]}"


def _shorter(path: str, tokens: list[XPathToken]) -> Iterator[str]:
    """The path without one of its conditions, and without one of its steps."""
    opened: list[int] = []
    for token in tokens:
        if token.text == "[":
            opened.append(token.start)
        elif token.text == "]" and opened:
            start = opened.pop()
            yield path[:start] + path[token.start + 1 :]
    slashes, depth = [], 0
    for token in tokens:
        depth += (token.text in ("[", "(")) - (token.text in ("]", ")"))
        if depth == 0 and token.text in ("/", "//"):
            slashes.append(token)
    for one, other in pairwise(slashes):
        yield f"{path[: one.start]}//{path[other.start + len(other.text) :]}"
