"""Time zones as pages write them: offsets, abbreviations and the names of the IANA database.

Texts are expected in lower case, as ``dates`` passes them.
"""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Final
from zoneinfo import ZoneInfo, available_timezones

_SHIFT: Final = r"[+\-−][0-9]{1,2}(?::?[0-9]{2})?"
OFFSET: Final = rf"z|{_SHIFT}|(?:gmt|utc)(?: ?{_SHIFT})?"
NAME: Final = rf"{OFFSET}|[a-z][a-z0-9_+\-]*(?:/[a-z0-9_+\-]+)*"

_OFFSET: Final = re.compile(r"(?:gmt|utc)? ?([+\-−])([0-9]{1,2})(?::?([0-9]{2}))?")
_WIDEST_OFFSET: Final = 14 * 60
# Abbreviations with one meaning in practice. IST is not among them: it is India's, Ireland's and Israel's.
_ABBREVIATIONS: Final = {
    **dict.fromkeys(("z", "utc", "gmt", "ut", "wet", "wez"), 0),
    **dict.fromkeys(("cet", "mez", "bst", "west", "wesz"), 60),
    **dict.fromkeys(("cest", "mesz", "eet", "oez"), 120),
    **dict.fromkeys(("eest", "oesz", "msk"), 180),
    **dict.fromkeys(("jst", "kst"), 540),
    "edt": -240,
    **dict.fromkeys(("est", "cdt"), -300),
    **dict.fromkeys(("cst", "mdt"), -360),
    **dict.fromkeys(("mst", "pdt"), -420),
    "pst": -480,
}


def offset(zone: str, moment: datetime | None) -> str:
    """The offset as XSD writes it, ``+01:00`` or ``Z``; a named zone needs the local moment, because of summer time.

    Raises ``ValueError`` with the reason if there is none.
    """
    minutes = _ABBREVIATIONS.get(zone)
    if minutes is None and (match := _OFFSET.fullmatch(zone)):
        minutes = _minutes(match)
    if minutes is None:
        minutes = _named(zone, moment)
    if minutes == 0:
        return "Z"
    hours, rest = divmod(abs(minutes), 60)
    return f"{'-' if minutes < 0 else '+'}{hours:02}:{rest:02}"


def _minutes(match: re.Match[str]) -> int:
    sign, hours, minutes = match.groups("0")
    total = int(hours) * 60 + int(minutes)
    if total > _WIDEST_OFFSET or int(minutes) > 59:
        raise ValueError(f'"{match[0]}" is not an offset; offsets lie between -14:00 and +14:00')
    return total if sign == "+" else -total


def _named(zone: str, moment: datetime | None) -> int:
    name = _zone_names().get(zone)
    if name is None:
        raise ValueError(f'"{zone}" is not an unambiguous time zone; an offset or a name like Europe/Berlin is')
    if moment is None:
        raise ValueError(f"{name} has no offset without a date")
    shift = moment.replace(tzinfo=ZoneInfo(name)).utcoffset() or timedelta()
    minutes = round(shift / timedelta(minutes=1))
    if abs(minutes) > _WIDEST_OFFSET:
        # Before 1867, some places beyond the Pacific counted the days of the other side.
        raise ValueError(f"{name} was more than 14 hours from UTC then, which XSD does not know")
    return minutes


@lru_cache(maxsize=1)
def _zone_names() -> dict[str, str]:
    return {name.casefold(): name for name in available_timezones()}
