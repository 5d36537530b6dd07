"""CSS selectors: ``css:h2 > a`` stands wherever an XPath can stand, and is translated into one.

As in browsers, a selector finds elements below the one where it starts; where it starts at the root element of the
document, the root element itself can be found as well. ``::text`` and ``::attr(name)`` at the end take texts and
attributes, as in Scrapy.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from cssselect import HTMLTranslator, Selector

PREFIX: Final = "css:"
_BELOW: Final = "descendant::"
_AT_THE_ROOT: Final = "self::*[not(parent::*)]/self::"
_ITSELF: Final = "self::"
_PLACE: Final = re.compile(r", got <(?:EOF|[A-Z]+ .*) at (\d+)>$", re.DOTALL)


class CssError(ValueError):
    """A selector cannot be used; ``place`` is the position of the mistake, if it is known."""

    def __init__(self, reason: str, place: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.place = place


def is_css(text: str) -> bool:
    """Whether an expression is a CSS selector."""
    return text.startswith(PREFIX)


@lru_cache(maxsize=4096)
def xpath_of_css(text: str) -> str:
    """The XPath of ``css:…``; raises ``CssError``."""
    # Every worker would import it, and most models have XPaths only.
    from cssselect import SelectorError, parse

    selector = text.removeprefix(PREFIX)
    try:
        branches = [branch for parsed in parse(selector) for branch in _branches(parsed)]
    except SelectorError as error:
        place = _PLACE.search(str(error))
        reason = _PLACE.sub("", str(error)).lower() if place else str(error).rstrip(".").lower()
        raise CssError(reason, int(place[1]) if place else None) from None
    return " | ".join(branches)


def _branches(selector: Selector) -> list[str]:
    ending = _ending(selector.pseudo_element)
    starts = (_ITSELF,) if selector.canonical().startswith(":scope") else (_BELOW, _AT_THE_ROOT)
    selector.pseudo_element = None
    return [_translator().selector_to_xpath(selector, prefix=start) + ending for start in starts]


@cache
def _translator() -> HTMLTranslator:
    from cssselect import HTMLTranslator

    # XML and JSON have names with capital letters, so names are taken as they are written.
    return HTMLTranslator(xhtml=True)


def _ending(pseudo: object) -> str:
    if pseudo is None:
        return ""
    if pseudo == "text":
        return "/text()"
    from cssselect.parser import FunctionalPseudoElement

    if isinstance(pseudo, FunctionalPseudoElement) and pseudo.name == "attr" and len(pseudo.arguments) == 1:
        return f"/@{pseudo.arguments[0].value}"
    name = pseudo.name if isinstance(pseudo, FunctionalPseudoElement) else pseudo
    raise CssError(f"the pseudo-element ::{name} is not known; there are ::text and ::attr(name)")
