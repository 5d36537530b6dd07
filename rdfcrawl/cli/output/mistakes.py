"""Mistakes in a command, in one sentence: what is wrong, and what would be right."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any, Final

import typer

UsageMistake: Final[type[Exception]] = typer.BadParameter.__bases__[0]
"""What is raised about any mistake in a command."""

_EXPECTED: Final = (
    (r"valid integer|not a valid int", "a whole number is expected"),
    (r"valid number|not a valid float", "a number is expected"),
    (r"greater than or equal to (\S*\d)|x>=(\S*\d)", "it must be at least {}"),
    (r"less than or equal to (\S*\d)|x<=(\S*\d)", "it must be at most {}"),
)
_COMMAND: Final = re.compile(r"No such command '(.*)'")
_TOO_MANY: Final = re.compile(r"unexpected extra arguments?(?:\(s\))? \((.*)\)")
_CHOICE: Final = re.compile(r"'([^']*)' is not one of (.*?)\.?$")


def in_our_words(mistake: Any, commands: Iterable[str]) -> str:
    """A mistake as a sentence, with the command that tells more."""
    known = tuple(commands)
    called = next((word for word in sys.argv[1:2] if word in known), None)
    path = f"rdfcrawl {called}" if called else "rdfcrawl"
    return f"{_said(mistake, known)} (see {path} --help)"


def _said(mistake: Any, commands: Iterable[str]) -> str:
    message: str = mistake.message or mistake.format_message()
    if match := _COMMAND.search(message):
        return f"there is no command {match[1]}{_meant(match[1], commands)}"
    if match := _TOO_MANY.search(message):
        return f"too many arguments: {match[1]}"
    option = getattr(mistake, "option_name", None)
    if option and hasattr(mistake, "possibilities"):
        return f"there is no option {option}{_meant(option, mistake.possibilities or ())}"
    if option:
        return f"{option} takes no value" if "not take" in message else f"{option} needs a value"
    parameter = getattr(mistake, "param", None)
    if parameter is None:
        return message.rstrip(".")
    name = parameter.opts[0]
    if not name.startswith("-"):
        name = (parameter.metavar or name.upper()).strip("[].…")
    if type(mistake).__name__ == "MissingParameter":
        return f"{name} is missing"
    return f"{name}: {_expected(message)}"


def _expected(message: str) -> str:
    if match := _CHOICE.search(message):
        return f"{match[1]} is none of {match[2].replace(chr(39), '')}"
    for pattern, words in _EXPECTED:
        if match := re.search(pattern, message):
            return words.format(next((group for group in match.groups() if group), ""))
    return message.rstrip(".")


def _meant(name: str, known: Iterable[str]) -> str:
    close = get_close_matches(name, list(known), 2, 0.7)
    return f"; did you mean {' or '.join(sorted(close))}?" if close else ""
