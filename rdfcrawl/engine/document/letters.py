"""Letters that are seen differently from how they are written."""

from __future__ import annotations

import re
from typing import Final

from lxml.etree import _Element as Element

_BLANK: Final = " \t\n\r"
_WORD_START: Final = re.compile(r"(?<![^\W_])(?<![^\W_]['’])[^\W\d_]")


def transformed(text: str, transform: str) -> str:
    """A text in the case that a style asks for."""
    match transform:
        case "uppercase":
            return text.upper()
        case "lowercase":
            return text.lower()
    return _WORD_START.sub(lambda letter: letter[0].upper(), text)


def as_identifier(text: str, element: Element) -> str:
    """A single letter in a formula is set in italics, for which Unicode has separate letters."""
    letter = text.strip(_BLANK)
    if len(letter) != 1 or len(element) or element.get("mathvariant", "italic") != "italic":
        return text
    if letter == "h":
        return "ℎ"
    for first, last, italic in (("A", "Z", "𝐴"), ("a", "z", "𝑎"), ("Α", "Ω", "𝛢"), ("α", "ω", "𝛼")):
        if first <= letter <= last:
            return chr(ord(italic) + ord(letter) - ord(first))
    return text
