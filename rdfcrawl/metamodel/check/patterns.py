r"""Regular expressions and the texts that replace their matches.

``:new`` refers to groups as XPath's and SPARQL's ``replace()`` do: ``$1`` is the first group, ``$0`` the whole match,
``\$`` a dollar sign and ``\\`` a backslash. ``${name}`` is a named group.
"""

from __future__ import annotations

import re
from typing import Final

import regex

_PIECE: Final = re.compile(r"\\(?P<escaped>.?)|\$(?P<number>\d+)|\$\{(?P<name>\w+)\}|(?P<dollar>\$)", re.DOTALL)


class PatternError(ValueError):
    """A regular expression or replacement that cannot work, and what would be right."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """The compiled expression; ``PatternError`` with the position where it cannot be read."""
    try:
        return regex.compile(pattern)
    except regex.error as error:
        position, reason = getattr(error, "pos", None), getattr(error, "msg", error)
        place = f" at character {position + 1}" if position is not None else ""
        advice = "escape characters that stand for themselves, such as \\\\( in Turtle"
        raise PatternError(f"the regular expression {pattern} is wrong{place}: {reason}", advice) from None
    except OverflowError:
        raise PatternError(f"the regular expression {pattern} repeats too often", "repeat less often") from None


def check_replacement(new: str, old: regex.Pattern[str]) -> None:
    """Whether every reference of ``new`` has its group in ``old``; ``PatternError`` at the first that has none."""
    for piece in _PIECE.finditer(new):
        if piece["escaped"] is not None and piece["escaped"] not in ("$", "\\"):
            raise PatternError(
                f"{piece[0]} is no escape in a replacement",
                "write \\\\\\\\ for a backslash and \\\\$ for a dollar sign",
            )
        if piece["dollar"] is not None:
            raise PatternError("a $ stands without the number of a group", "write \\\\$ for a dollar sign")
        # As in XPath, only as many digits count as name a group, so $12 can be group 1 and the digit 2.
        if piece["number"] is not None and int(piece["number"][0]) > old.groups:
            raise PatternError(f"{piece[0]} refers to a group that :old does not have", _groups_advice(old))
        if piece["name"] is not None and piece["name"] not in old.groupindex:
            raise PatternError(f"{piece[0]} refers to a group that :old does not have", _groups_advice(old))


def _groups_advice(old: regex.Pattern[str]) -> str:
    if old.groups == 0:
        return "put parentheses around the part of :old that is meant, or write $0 for the whole match"
    return f"refer to $0 for the whole match or to $1{f' … ${old.groups}' if old.groups > 1 else ''}"
