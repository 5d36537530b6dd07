"""Addresses that lead to ever new ones: calendars without end, sessions in addresses, paths and queries that grow.

What can be told from the address alone is refused at once. The other traps are families: addresses that differ only in
a date, in a session or in the order of their query. The frontier takes only so many addresses of a family.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

from rdfcrawl.engine.address import target_of


class TrapKind(StrEnum):
    """A trap; the value is how a report names it."""

    CALENDAR = "calendar"
    SESSION = "session"
    QUERY_ORDER = "query-order"
    REPEATED_PATH = "repeated-path"
    LONG_ADDRESS = "long-address"
    LEVELS = "levels"
    REDIRECTS = "redirects"


TRAPS: Final[Mapping[str, str]] = {
    TrapKind.CALENDAR: "differ only in a date",
    TrapKind.SESSION: "differ only in a session number",
    TrapKind.QUERY_ORDER: "differ only in the order of their query",
    TrapKind.REPEATED_PATH: "repeat a part of their path",
    TrapKind.LONG_ADDRESS: "are too long",
    TrapKind.LEVELS: "are too many links away from the start",
    TrapKind.REDIRECTS: "are too many redirects away from a link",
}
"""What the addresses in a trap have in common, in words."""


_REMEMBERED: Final = 1 << 14
_MOST_REPEATS: Final = 2
_LONGEST: Final = 2_000
_REPEATED: Final = re.compile(r"((?:/[^/?]+){1,4}?)(\1+)(?=/|$)")
_MOST_SEGMENTS: Final = 40

_YEAR: Final = r"(?:19|20|21|22|23|24)\d\d"
_DATES: Final = re.compile(
    rf"""(?<![0-9A-Za-z]){_YEAR}([-_.]?)(?:0[1-9]|1[0-2])(?:\1(?:0[1-9]|[12]\d|3[01]))?(?![0-9A-Za-z])
       | (?<=/){_YEAR}/(?:1[0-2]|0?[1-9])(?:/(?:3[01]|[12]\d|0?[1-9]))?(?=[/?]|$)
       | (?<=[?&;])(?:[\w-]*(?:year|month|week|day|date|jahr|monat|woche|tag|datum)|y|m|d)=[0-9][0-9T:.%A-Z+-]*(?=&|;|$)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_SESSIONS: Final = re.compile(
    r""";jsessionid=[^/?;]+
      | /\([A-Z]\([^/)]+\)\)
      | (?<=[?&;])(?:phpsessid|jsessionid|aspsessionid\w*|cfid|cftoken|sid|sessid|sessionid|session_id|session)=[^&;]+
      | (?<=/)(?:sid|session|sess|s)[-_=:]?(?=[^/?]*\d)[0-9A-Za-z]{8,}(?=[/?]|$)
      | (?<=/)(?=[^/?]*\d)(?=[^/?]*[A-Za-z])[0-9A-Za-z]{20,}(?=/[^/?])
      | (?<=/)(?=[^/?]*\d)[0-9a-f]{16,}(?=/[^/?])
    """,
    re.VERBOSE | re.IGNORECASE,
)
# Most addresses have nothing of the kind, and these take a tenth of the time to see that: on a large site, most links
# are to addresses that nothing is remembered of.
_MAY_HAVE_SESSION: Final = re.compile(
    r"""[;(] | [?&](?i:phpsess|jsess|aspsess|cf|sess|sid)
      | /(?:[0-9A-Za-z]{16} | (?i:sid|session|sess|s)[-_=:]?[0-9A-Za-z]{8})""",
    re.VERBOSE,
)
_MAY_HAVE_DATE: Final = re.compile(r"(?:19|2[0-4])\d\d|[?&;][^=]*[=]\d")


@lru_cache(maxsize=_REMEMBERED)
def suspicion(address: str) -> tuple[TrapKind | None, str | None]:
    """The trap that an address is part of by itself, and its family; pages of a site link to the same addresses."""
    return trap_of(address), family_of(address)


def trap_of(address: str) -> TrapKind | None:
    """The trap that an address is part of by itself: it is too long, or repeats itself."""
    if len(address) > _LONGEST:
        return TrapKind.LONG_ADDRESS
    path = target_of(address).partition("?")[0]
    segments = path.split("/")
    if len(segments) > _MOST_SEGMENTS + 1:
        return TrapKind.REPEATED_PATH
    if len(segments) - len(set(segments)) < _MOST_REPEATS:
        return None
    for match in _REPEATED.finditer(path):
        if 1 + len(match[2]) // len(match[1]) > _MOST_REPEATS:
            return TrapKind.REPEATED_PATH
    return None


def family_of(address: str) -> str | None:
    """The family that an address belongs to, beginning with its kind of trap; most addresses belong to none."""
    front, _, query = address.partition("?")
    has_order = "&" in query
    ordered = f"{front}?{'&'.join(sorted(query.split('&'), key=_name))}" if has_order else address
    if _MAY_HAVE_SESSION.search(ordered):
        masked, sessions = _SESSIONS.subn("*", ordered)
        if sessions:
            return f"{TrapKind.SESSION} {masked}"
    if _MAY_HAVE_DATE.search(ordered):
        masked, dates = _DATES.subn("*", ordered)
        if dates:
            return f"{TrapKind.CALENDAR} {masked}"
    if has_order:
        return f"{TrapKind.QUERY_ORDER} {ordered}"
    return None


def _name(parameter: str) -> str:
    """Parameters of one name keep their order: it can matter."""
    return parameter.partition("=")[0]
