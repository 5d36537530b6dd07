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
    """A regular expression or replacement is invalid; ``advice`` says what would be right."""

    def __init__(self, message: str, advice: str) -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Compiles the expression; raises ``PatternError`` with the position of a mistake."""
    try:
        return regex.compile(pattern)
    except regex.error as error:
        position, reason = getattr(error, "pos", None), getattr(error, "msg", error)
        place = f" at character {position + 1}" if position is not None else ""
        advice = "escape literal characters, such as \\\\( in Turtle"
        raise PatternError(f"the regular expression {pattern} is invalid{place}: {reason}", advice) from None
    except RecursionError:
        raise PatternError("the regular expression is nested too deeply", "use fewer brackets") from None
    except OverflowError:
        raise PatternError(f"the regular expression {pattern} repeats too often", "repeat less often") from None


def check_replacement(new: str, old: regex.Pattern[str]) -> None:
    """Raises ``PatternError`` for the first reference in ``new`` to a group that ``old`` does not have."""
    for piece in _PIECE.finditer(new):
        if piece["escaped"] is not None and piece["escaped"] not in ("$", "\\"):
            raise PatternError(
                f"{piece[0]} is not an escape in a replacement",
                "write \\\\\\\\ for a backslash and \\\\$ for a dollar sign",
            )
        if piece["dollar"] is not None:
            raise PatternError("a $ is not followed by the number of a group", "write \\\\$ for a dollar sign")
        # As in XPath, only those digits count that name a group, so $12 can be group 1 and the digit 2.
        if piece["number"] is not None and int(piece["number"][0]) > old.groups:
            raise PatternError(f"{piece[0]} refers to a group that :old does not have", _groups_advice(old))
        if piece["name"] is not None and piece["name"] not in old.groupindex:
            raise PatternError(f"{piece[0]} refers to a group that :old does not have", _groups_advice(old))


def _groups_advice(old: regex.Pattern[str]) -> str:
    if old.groups == 0:
        return "put parentheses around that part of :old, or write $0 for the whole match"
    return f"refer to $0 for the whole match or to $1{f' … ${old.groups}' if old.groups > 1 else ''}"
