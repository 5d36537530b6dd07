"""Which texts are values of a datatype, and what to say about those that are not.

A valid lexical form is kept as the page has it: ``PT60M`` stays ``PT60M``, and ``4.0`` stays ``4.0``.
"""

from __future__ import annotations

import re
import unicodedata
from calendar import monthrange
from collections.abc import Callable
from typing import Final

from rdfcrawl.errors import quoted
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import shorten

_ZONE: Final = r"(?:Z|[+-](?:(?:0[0-9]|1[0-3]):[0-5][0-9]|14:00))?"
_YEAR: Final = r"-?(?:[1-9][0-9]{3,8}|0[0-9]{3})"
_DAY: Final = rf"(?P<year>{_YEAR})-(?P<month>0[1-9]|1[0-2])-(?P<day>0[1-9]|[12][0-9]|3[01])"
_TIME: Final = r"(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\.[0-9]+)?|24:00:00(?:\.0+)?)"
_DECIMAL: Final = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)"

_FORMS: dict[str, tuple[str, str]] = {
    terms.DECIMAL: (_DECIMAL, 'digits with an optional "." were expected'),
    # Without INF and NaN: a page that shows them shows a computation that failed.
    terms.DOUBLE: (rf"{_DECIMAL}(?:[eE][+-]?[0-9]+)?", 'a number like 4.2 or 4.2E1, with a ".", was expected'),
    terms.INT: (r"[+-]?[0-9]+", "only digits were expected"),
    terms.INTEGER: (r"[+-]?[0-9]+", "only digits were expected"),
    terms.BOOLEAN: (r"true|false|[01]", "true, false, 1 or 0 was expected"),
    terms.G_YEAR: (_YEAR + _ZONE, "a year of four digits was expected"),
    terms.DATE: (_DAY + _ZONE, "a date like 2015-11-11 was expected; a :format reads other spellings"),
    terms.TIME: (_TIME + _ZONE, "a time like 16:00:00 was expected; a :format reads other spellings"),
    terms.DATE_TIME: (
        f"{_DAY}T{_TIME}{_ZONE}",
        "a moment like 2016-01-22T20:00:00+01:00 was expected; a :format reads other spellings",
    ),
    terms.DURATION: (
        r"-?P(?!$)(?:[0-9]+Y)?(?:[0-9]+M)?(?:[0-9]+D)?(?:T(?!$)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?",
        "a duration like PT60M or P1DT2H was expected",
    ),
}
_WHOLE: Final = "only digits were expected"
_FURTHER: Final = {
    "float": (rf"{_DECIMAL}(?:[eE][+-]?[0-9]+)?", 'a number like 4.2 or 4.2E1, with a ".", was expected'),
    "nonNegativeInteger": (r"\+?[0-9]+|-0+", "digits without a minus were expected"),
    "positiveInteger": (r"\+?0*[1-9][0-9]*", "digits of a number above 0 were expected"),
    "nonPositiveInteger": (r"-[0-9]+|\+?0+", "digits with a minus, or 0, were expected"),
    "negativeInteger": (r"-0*[1-9][0-9]*", "digits with a minus were expected"),
    **dict.fromkeys(("long", "short", "byte"), (r"[+-]?[0-9]+", _WHOLE)),
    **dict.fromkeys(
        ("unsignedLong", "unsignedInt", "unsignedShort", "unsignedByte"),
        (r"\+?[0-9]+|-0+", "digits without a minus were expected"),
    ),
    "gYearMonth": (rf"{_YEAR}-(?:0[1-9]|1[0-2]){_ZONE}", "a month like 2015-11 was expected"),
    "gMonth": (rf"--(?:0[1-9]|1[0-2]){_ZONE}", "a month like --11 was expected"),
    "gDay": (rf"---(?:0[1-9]|[12][0-9]|3[01]){_ZONE}", "a day like ---24 was expected"),
    "gMonthDay": (
        rf"--(?!02-3|(?:0[469]|11)-31)(?:0[1-9]|1[0-2])-(?:0[1-9]|[12][0-9]|3[01]){_ZONE}",
        "a day like --12-24 was expected",
    ),
    "dateTimeStamp": (
        rf"{_DAY}T{_TIME}{_ZONE[:-1]}",
        "a moment like 2016-01-22T20:00:00Z was expected",
    ),
    "dayTimeDuration": (
        r"-?P(?!$)(?:[0-9]+D)?(?:T(?!$)(?:[0-9]+H)?(?:[0-9]+M)?(?:[0-9]+(?:\.[0-9]+)?S)?)?",
        "a duration like P1DT2H was expected",
    ),
    "yearMonthDuration": (r"-?P(?!$)(?:[0-9]+Y)?(?:[0-9]+M)?", "a duration like P1Y6M was expected"),
    "hexBinary": (r"(?:[0-9A-Fa-f]{2})*", "an even number of digits from 0 to F was expected"),
    "base64Binary": (
        r"(?:(?:[A-Za-z0-9+/] ?){4})*(?:(?:[A-Za-z0-9+/] ?){2}= ?=|(?:[A-Za-z0-9+/] ?){3}=)?",
        "Base64 was expected",
    ),
    "language": (r"[a-zA-Z]{1,8}(?:-[a-zA-Z0-9]{1,8})*", "a language tag like de or en-GB was expected"),
    "token": (r"[^ \t\r\n]+(?: [^ \t\r\n]+)*", "a text without line breaks and double spaces was expected"),
    "normalizedString": (r"[^\t\r\n]*", "a text without line breaks and tabs was expected"),
}
_FORMS |= {terms.XSD + name: form_of for name, form_of in _FURTHER.items()}
_BOUNDS: Final = {
    terms.XSD + name: bound
    for name, bound in {
        "long": (-(2**63), 2**63 - 1),
        "short": (-(2**15), 2**15 - 1),
        "byte": (-(2**7), 2**7 - 1),
        "unsignedLong": (0, 2**64 - 1),
        "unsignedInt": (0, 2**32 - 1),
        "unsignedShort": (0, 2**16 - 1),
        "unsignedByte": (0, 2**8 - 1),
    }.items()
}
_WEEKS: Final = re.compile(r"(-?)P([0-9]{1,9})W")
_INT_LIMIT: Final = 2**31


class LexicalError(ValueError):
    """The text is not a value of the datatype; the message says why, and what would be one."""


def form(datatype: str) -> Callable[[str], str]:
    """The function that returns a text as a lexical form of the datatype, or raises ``LexicalError``."""
    if datatype not in _FORMS:
        # What other vocabularies mean by their datatypes is theirs to know.
        return lambda text: text
    expression, expected = _FORMS[datatype]
    fullmatch = re.compile(expression).fullmatch
    refine = _REFINEMENTS.get(datatype)

    def check(text: str) -> str:
        match = fullmatch(text)
        if match is None:
            if datatype == terms.DURATION and (weeks := _WEEKS.fullmatch(text)):
                return f"{weeks[1]}P{int(weeks[2]) * 7}D"
            shown = quoted(text)
            raise LexicalError(f"{shown} is not a valid {short(datatype)}; {expected}{_hint(text, datatype)}")
        if datatype in _BOUNDS and (reason := _bound_reason(text, *_BOUNDS[datatype])):
            raise LexicalError(f"{quoted(text)} is not a valid {short(datatype)}; {reason}")
        if refine is not None and (reason := refine(match)):
            raise LexicalError(f"{quoted(text)} is not a valid {short(datatype)}; {reason}")
        return text

    return check


def short(datatype: str) -> str:
    """The datatype as people write it: ``xsd:date``."""
    return shorten(datatype, {"xsd": terms.XSD})


def _int_reason(match: re.Match[str]) -> str | None:
    digits = match[0].lstrip("+-0")
    highest = _INT_LIMIT if match[0].startswith("-") else _INT_LIMIT - 1
    if len(digits) < 10 or (len(digits) == 10 and int(digits) <= highest):
        return None
    return "it has more than 32 bits; xsd:integer holds numbers of any size"


def _bound_reason(text: str, least: int, most: int) -> str | None:
    # Python refuses to read numbers of thousands of digits.
    number = int(text) if len(text) <= 40 else None
    if number is not None and least <= number <= most:
        return None
    return f"it is not between {least:,} and {most:,}; xsd:integer holds numbers of any size"


def _day_reason(match: re.Match[str]) -> str | None:
    if match["day"] <= "28":
        return None
    # The calendar repeats after 400 years, and monthrange needs a year of our era.
    last = monthrange(int(match["year"]) % 400 + 400, int(match["month"]))[1]
    return None if int(match["day"]) <= last else f"that month has {last} days"


_REFINEMENTS: Final = {
    terms.INT: _int_reason,
    **dict.fromkeys((terms.DATE, terms.DATE_TIME, terms.XSD + "dateTimeStamp"), _day_reason),
}
_NUMBERS: Final = frozenset({terms.DECIMAL, terms.DOUBLE, terms.INT, terms.INTEGER})


def _hint(text: str, datatype: str) -> str:
    """What the author of the model can do about it, as the end of a message."""
    if not text:
        return ""
    if datatype in _NUMBERS and any(map(str.isdigit, text)):
        if gap := next((char for char in text if char.isspace() or unicodedata.category(char) == "Cf"), None):
            name = unicodedata.name(gap, f"U+{ord(gap):04X}").lower()
            return f'; it contains a {name}, which a :pattern or a :replace of "\\\\s" can remove'
        if "," in text:
            return '; a :replace can turn the "," into what XSD expects'
    return "; a :pattern or :replace can bring it into shape"
