"""The same as for paths, for CSS selectors: what one compares with, another name in it, and one thing changed in it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from rdfcrawl.expressions.css import PREFIX, CssError, xpath_of_css

_TOKEN: Final = re.compile(
    r"""(?P<attribute>\[\s*[\w:|-]+\s*(?:[~|^$*]?=\s*(?P<value>"[^"]*"|'[^']*'|[^\]\s]+)\s*)?\])
    |(?P<pseudo>::?[\w-]+(?:\((?P<argument>[^()]*)\))?)
    |(?P<name>[.\#](?:[\w-]|\\.)+)
    |(?P<tag>[\w*|-]+)
    |(?P<combinator>\s*[>+~,]\s*|\s+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
_IDENTIFIER: Final = re.compile(r"-?[^\W\d][\w-]*")
_SHIFTS: Final = (1, -1, 2, -2, 3)


def css_literals(selector: str) -> dict[str, bool]:
    """The classes, ids and values of attributes that a selector names, all of them as a whole."""
    found: dict[str, bool] = {}
    for token in _tokens(selector):
        if token["name"]:
            found[token["name"][1:]] = True
        elif token["value"]:
            found[token["value"].strip("\"'")] = True
    return found


def css_renamed(selector: str, old: str, new: str) -> str:
    """The selector with another name in place of one; unchanged where the other one cannot stand there."""
    pieces = []
    for token in _tokens(selector):
        piece = token[0]
        if token["name"] and piece[1:] == old and _IDENTIFIER.fullmatch(new):
            piece = f"{piece[0]}{new}"
        elif token["value"] and token["value"].strip("\"'") == old and '"' not in new:
            start, end = (place - token.start() for place in token.span("value"))
            quote = "'" if piece[start] == "'" and "'" not in new else '"'
            piece = f"{piece[:start]}{quote}{new}{quote}{piece[end:]}"
        pieces.append(piece)
    return f"{PREFIX}{''.join(pieces)}"


def css_mutations(selector: str, attribute: str | None = None) -> list[str]:
    """Selectors that differ from a selector in one place, the most likely first."""
    tokens = list(_tokens(selector))
    texts = [token[0] for token in tokens]
    found = [*_looser(tokens, texts), *_shifted(tokens, texts)]
    if attribute:
        found.append(f"{''.join(texts)}[{attribute}]")
    found += [*_shorter(tokens, texts)]
    written = (f"{PREFIX}{one.strip()}" for one in found)
    return [one for one in dict.fromkeys(written) if one != selector and _is_right(one)]


def _tokens(selector: str) -> Iterator[re.Match[str]]:
    return _TOKEN.finditer(selector.removeprefix(PREFIX).strip())


def _looser(tokens: Sequence[re.Match[str]], texts: Sequence[str]) -> Iterator[str]:
    """Any number of elements between two steps, where there was none."""
    for place, token in enumerate(tokens):
        if token["combinator"] and token[0].strip() == ">":
            yield "".join((*texts[:place], " ", *texts[place + 1 :]))


def _shifted(tokens: Sequence[re.Match[str]], texts: Sequence[str]) -> Iterator[str]:
    """Another place among the children."""
    for place, token in enumerate(tokens):
        if token["argument"] and token["argument"].strip().isdecimal():
            name = token[0].partition("(")[0]
            for shift in _SHIFTS:
                if (number := int(token["argument"]) + shift) > 0:
                    yield "".join((*texts[:place], f"{name}({number})", *texts[place + 1 :]))


def _shorter(tokens: Sequence[re.Match[str]], texts: Sequence[str]) -> Iterator[str]:
    """Without one of its conditions, and without one of its steps."""
    for place, token in enumerate(tokens):
        if token["attribute"] or token["name"] or (token["pseudo"] and not token[0].startswith("::")):
            yield "".join((*texts[:place], *texts[place + 1 :]))
    breaks = [place for place, token in enumerate(tokens) if token["combinator"]]
    for start, end in zip((-1, *breaks), breaks, strict=False):
        yield "".join((*texts[: start + 1], *texts[end + 1 :]))


def _is_right(selector: str) -> bool:
    try:
        xpath_of_css(selector)
    except CssError:
        return False
    return True
