"""Dataclasses whose methods are written when they are first called.

The standard library writes and compiles up to six methods for each dataclass while its module is imported. That took a
quarter of the time of a small command, which then uses few of its classes, and of most of those only ``__init__``.
Fields, and all functions of ``dataclasses``, are those of the standard library.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(**options: bool) -> Callable[[type], type]:
        """The decorator ``dataclasses.dataclass`` with some of its options."""
        return lambda described: _record(described, **options)


__all__ = ["dataclass"]

_UNSET: Final = object()
_NAMES: Final = {"_set": object.__setattr__, "_unset": _UNSET}


def _record(
    described: type, *, frozen: bool = False, slots: bool = False, eq: bool = True, kw_only: bool = False
) -> type:
    own = {name for name in _WRITERS if described.__dict__.get(name) is not None}
    record: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(described)
    wanted = ["__init__", "__repr__", *(["__eq__"] if eq else []), *(["__hash__"] if eq and frozen else [])]
    for name in wanted:
        if name not in own:
            setattr(record, name, _unwritten(record, name, frozen))
    if eq and not frozen and "__hash__" not in own:
        record.__hash__ = None
    if frozen:
        record.__setattr__ = _refuse_to_set
        record.__delattr__ = _refuse_to_delete
    if frozen and slots:
        record.__getstate__ = _values
        record.__setstate__ = _take_values
    made: type = record
    return made


def _unwritten(record: type, name: str, frozen: bool) -> Callable[..., Any]:
    """A method that replaces itself by the one that it is to be."""

    def method(self: object, *values: Any, **named: Any) -> Any:
        text, names = _WRITERS[name](record, dataclasses.fields(record), frozen)
        written: dict[str, Any] = {}
        exec(text, {**_NAMES, **names}, written)
        made = written[name]
        made.__qualname__ = f"{record.__qualname__}.{name}"
        setattr(record, name, made)
        return made(self, *values, **named)

    return method


_Fields = tuple[dataclasses.Field[Any], ...]
_Text = tuple[str, dict[str, Any]]
"""The text of a method, and what its names stand for."""


def _init(record: type, fields: _Fields, frozen: bool) -> _Text:
    names: dict[str, Any] = {}
    lines, first, last = list[str](), list[str](), list[str]()
    if frozen:
        # Bound once: to look it up for each field takes as long as to set it.
        lines.append(" _put = _set.__get__(self)")
    for one in fields:
        value, parameter = one.name, one.name
        if one.default is not dataclasses.MISSING:
            names[f"_default_{one.name}"] = one.default
            parameter += f"=_default_{one.name}"
            value = one.name if one.init else f"_default_{one.name}"
        elif one.default_factory is not dataclasses.MISSING:
            names[f"_made_{one.name}"] = one.default_factory
            parameter += "=_unset"
            value = f"_made_{one.name}() if {one.name} is _unset else {one.name}"
        if one.init:
            (last if one.kw_only else first).append(parameter)
        lines.append(f" _put({one.name!r}, {value})" if frozen else f" self.{one.name} = {value}")
    if hasattr(record, "__post_init__"):
        lines.append(" self.__post_init__()")
    parameters = ", ".join(["self", *first, *(["*", *last] if last else [])])
    return "\n".join([f"def __init__({parameters}):", *(lines or [" pass"])]), names


def _repr(record: type, fields: _Fields, frozen: bool) -> _Text:
    shown = ", ".join(f"{one.name}={{self.{one.name}!r}}" for one in fields if one.repr)
    return f"def __repr__(self):\n return f'{{self.__class__.__qualname__}}({shown})'", {}


def _eq(record: type, fields: _Fields, frozen: bool) -> _Text:
    own, other = (f"({''.join(f'{who}.{one.name},' for one in fields if one.compare)})" for who in ("self", "other"))
    return (
        f"def __eq__(self, other):\n return {own} == {other} if other.__class__ is self.__class__ else NotImplemented"
    ), {}


def _hash(record: type, fields: _Fields, frozen: bool) -> _Text:
    counting = "".join(f"self.{one.name}," for one in fields if (one.compare if one.hash is None else one.hash))
    return f"def __hash__(self):\n return hash(({counting}))", {}


_WRITERS: Final = {"__init__": _init, "__repr__": _repr, "__eq__": _eq, "__hash__": _hash}


def _refuse_to_set(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _values(self: Any) -> list[Any]:
    """What a copy of a frozen record is made from."""
    return [getattr(self, one.name) for one in dataclasses.fields(self)]


def _take_values(self: Any, values: list[Any]) -> None:
    for one, value in zip(dataclasses.fields(self), values, strict=True):
        object.__setattr__(self, one.name, value)
