"""Templates of IRIs: ``https://data.example.org/setting/{setting:name}``, with properties in braces."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from rdfcrawl.dataclass import dataclass

_PIECE: Final = re.compile(r"\{([^{}]*)\}|([^{}]+)|([{}])")


class TemplateError(ValueError):
    """A template cannot be read; the message says why."""


@dataclass(frozen=True, slots=True)
class Placeholder:
    """A property in braces, as it is written."""

    name: str


Template = tuple[str | Placeholder, ...]


def parse_template(text: str) -> Template:
    """The texts and placeholders of a template; raises ``TemplateError``."""
    pieces: list[str | Placeholder] = []
    for piece in _PIECE.finditer(text):
        if piece[3] is not None:
            raise TemplateError(f"a brace {piece[3]} has no counterpart")
        if piece[1] is not None and not piece[1].strip():
            raise TemplateError("the braces {} are empty")
        pieces.append(piece[2] if piece[2] is not None else Placeholder(piece[1].strip()))
    return tuple(pieces)


def placeholders(template: Template) -> tuple[str, ...]:
    """The names in braces, in their order."""
    return tuple(piece.name for piece in template if isinstance(piece, Placeholder))


def renamed(template: Template, name_of: Callable[[str], str]) -> str:
    """The text of the template with other names in the braces."""
    return "".join(f"{{{name_of(piece.name)}}}" if isinstance(piece, Placeholder) else piece for piece in template)


def filled(template: Template, value_of: Callable[[str], str]) -> str:
    """The template with percent-encoded values in place of the braces."""
    return "".join(
        quote(value_of(piece.name), safe="") if isinstance(piece, Placeholder) else piece for piece in template
    )
