r"""Regular expressions that work for a limited time, and the texts that replace their matches.

A replacement refers to groups as XPath's and SPARQL's ``replace()`` do: ``$1`` is the first group, ``$0`` the whole
match, ``\$`` a dollar sign and ``\\`` a backslash. ``${name}`` is a named group.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import regex

PATTERN_SECONDS: Final = 1.0
"""How long one regular expression may work on one text."""

_LITERAL: Final = re.compile(r"(?:[^\\.^$*+?{}\[\]|()]|\\[^\w\s])+")
_REFERENCE: Final = re.compile(r"\\(.)|\$(?:([0-9]+)|\{(\w+)\})|[^\\$]+|.", re.DOTALL)


def compiled_pattern(pattern: str, *flags: str) -> regex.Pattern[str]:
    """The expression, with flags of the library by name; what it raises is the library's ``error``."""
    # Most models have no expressions, and the library takes a tenth of the time that a run takes to begin.
    import regex

    wanted = 0
    for flag in flags:
        wanted |= getattr(regex, flag)
    return regex.compile(pattern, wanted)


def literal_of(pattern: str) -> str | None:
    """The one text that an expression matches, if it is written as such a text; ``None`` for any other."""
    return re.sub(r"\\(.)", r"\1", pattern) if _LITERAL.fullmatch(pattern) else None


def too_slow(pattern: str) -> str:
    """The message about an expression that exceeds its time."""
    return f"the regular expression {pattern} takes more than {PATTERN_SECONDS:g} s on this text; make it more specific"


def library_template(new: str, expression: regex.Pattern[str]) -> str:
    """A replacement in the syntax of the library."""

    def translated(match: re.Match[str]) -> str:
        escaped, number, name = match.groups()
        if number is not None:
            return _group(number, expression.groups)
        if name is not None:
            return rf"\g<{name}>" if name in expression.groupindex else ""
        return (match[0] if escaped is None else str(escaped)).replace("\\", r"\\")

    return _REFERENCE.sub(translated, new)


def _group(digits: str, groups: int) -> str:
    """As many digits as name a group of the expression; the rest is text. A missing group is empty."""
    length = min(len(digits), len(str(groups)))
    while length > 1 and int(digits[:length]) > groups:
        length -= 1
    group = rf"\g<{int(digits[:length])}>" if int(digits[:length]) <= groups else ""
    return group + digits[length:]
