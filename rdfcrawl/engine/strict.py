"""Checks for data that another process sent or a file kept: every value has exactly its type, or is nonsense."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import isfinite
from typing import Any, Final, TypeVar, cast

T = TypeVar("T")
Check = Callable[[object], T]


class Nonsense(ValueError):
    """Data that no working program can have written; the message says what is wrong with it."""


def plain(content: bytes) -> object:
    """The value that a JSON text describes; raises ``Nonsense``."""
    try:
        value = _DECODER.decode(content.decode())
        if _ESCAPED_SURROGATE.search(content):
            # What cannot be written as UTF-8 would be noticed only by whoever writes it.
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except (ValueError, RecursionError) as error:
        raise Nonsense(f"it is not JSON: {error}") from None


def text(value: object) -> str:
    """A text."""
    if type(value) is not str:
        raise Nonsense(f"a text is expected, not {_named(value)}")
    return value


def text_or_none(value: object) -> str | None:
    """A text, or ``None``."""
    return None if value is None else text(value)


def flag(value: object) -> bool:
    """True or false."""
    if type(value) is not bool:
        raise Nonsense(f"true or false is expected, not {_named(value)}")
    return value


def count(value: object) -> int:
    """A whole number that is not negative."""
    if type(value) is not int or value < 0:
        raise Nonsense(f"a whole number is expected, not {_named(value)}")
    return value


def seconds(value: object) -> float:
    """A duration."""
    if type(value) is not float or not isfinite(value) or value < 0:
        raise Nonsense(f"a number of seconds is expected, not {_named(value)}")
    return value


def texts(value: object) -> list[str]:
    """Any number of texts; as ``listed(text)``, and faster."""
    _joined(value)
    return cast(list[str], value)


def line(value: object) -> str:
    """A text without line breaks, which can be part of a line in a file."""
    return lines([value])[0]


def lines(value: object) -> list[str]:
    """Any number of texts without line breaks."""
    joined = _joined(value)
    if "\n" in joined or "\r" in joined:
        raise Nonsense("a text of one line is expected, not one with a line break")
    return cast(list[str], value)


def split_lines(content: bytes) -> list[str]:
    """The lines of a text."""
    try:
        found = content.decode()
    except UnicodeDecodeError as error:
        raise Nonsense(f"it is not UTF-8: {error}") from None
    if "\r" in found:
        raise Nonsense("a text of lines is expected, not one with another line break")
    return found.split("\n")


def listed(check: Check[T]) -> Check[list[T]]:
    """The check of a list whose entries all pass ``check``."""

    def checked(value: object) -> list[T]:
        if type(value) is not list:
            raise Nonsense(f"a list is expected, not {_named(value)}")
        return [check(one) for one in value]

    return checked


def or_none(check: Check[T]) -> Check[T | None]:
    """The check of a value that may be missing."""
    return lambda value: None if value is None else check(value)


def row(*checks: Check[Any]) -> Check[tuple[Any, ...]]:
    """The check of a list with one entry for each of ``checks``, in their order."""

    def checked(value: object) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(checks):
            raise Nonsense(f"a list of {len(checks)} is expected, not {_named(value)}")
        return tuple([check(one) for check, one in zip(checks, value, strict=True)])

    return checked


def record(value: object, **checks: Check[Any]) -> dict[str, Any]:
    """A JSON object that has no members but those of ``checks``; any of them may be missing."""
    if type(value) is not dict:
        raise Nonsense(f"an object is expected, not {_named(value)}")
    if unknown := value.keys() - checks.keys():
        raise Nonsense(f"the member {min(unknown)[:80]} is not known")
    return {name: checks[name](one) for name, one in value.items()}


def whole_record(value: object, **checks: Check[Any]) -> dict[str, Any]:
    """A JSON object with exactly the members of ``checks``."""
    checked = record(value, **checks)
    if missing := checks.keys() - checked.keys():
        raise Nonsense(f"the member {min(missing)} is missing")
    return checked


def _joined(value: object) -> str:
    """All texts of a list in one: looking at them one by one takes many times as long."""
    if type(value) is list:
        try:
            return "".join(value)
        except TypeError:
            pass
    raise Nonsense(f"a list of texts is expected, not {_named(value)}")


def _named(value: object) -> str:
    return f"a {type(value).__name__}"


def _refused(constant: str) -> object:
    raise Nonsense(f"{constant} is not a number")


_ESCAPED_SURROGATE: Final = re.compile(rb"\\u[dD][89a-fA-F]")
_DECODER: Final = json.JSONDecoder(parse_constant=_refused)
