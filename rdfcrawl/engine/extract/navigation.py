"""How a list goes on: its next button, and the number of results that the page itself states."""

from __future__ import annotations

import re

from lxml import etree

from rdfcrawl.engine.document.tree import Match, Path, address_of
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading

_JUMPS = etree.XPath("(ancestor-or-self::* | .//*)[normalize-space(@href) = '#']")
_MOST_DIGITS = 15
_NUMBER = re.compile(r"\d{1,3}(?:[.,'’\u00a0\u2009\u202f ]\d{3})+|\d+")


def read_navigation(reading: Reading, plan: PagePlan) -> None:
    """Read ``:next`` and ``:total``."""
    result, document = reading.result, reading.document
    if plan.next is not None and (button := _first(reading, plan.next)) is not None:
        address = address_of(button, document.base)
        leads_on = address is not None and not _is_jump(button, address, document.address)
        result.next_address = address if leads_on else None
        result.next_clicks = not leads_on
    if plan.total is not None and (total := _first(reading, plan.total)) is not None:
        number = _NUMBER.search(document.text_of(total))
        digits = re.sub(r"\D", "", number[0]) if number else ""
        # Nobody has more results than that: whatever it is, it is not their number.
        result.stated_total = int(digits) if digits and len(digits) <= _MOST_DIGITS else None


def _first(reading: Reading, path: Path) -> Match | None:
    root = reading.document.root
    return next(iter(reading.document.select(path, root, outer=root, root=root)), None)


def _is_jump(button: Match, address: str, current: str) -> bool:
    """Whether a button only leads to a place on the same page, so that a script must do the rest."""
    target, hash_sign, _ = address.partition("#")
    # A lone "#" leaves no trace in the resolved address; the link may be around the button or inside it.
    lone = button.strip() == "#" if isinstance(button, str) else bool(_JUMPS(button))
    return target == current.partition("#")[0] and (bool(hash_sign) or lone)
