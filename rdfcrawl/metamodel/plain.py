"""Converts a model to JSON and back, to send it to another process; decoding can create only these classes.

An instance becomes an object whose member ``is`` names the class; no field can have that name. A list is a tuple.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any, Final

from rdfcrawl.metamodel.criteria import Criterion
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.model import Alert, Fill, Item, Link, Login, Model, Property, Replacement, Section

_CLASS: Final = "is"
_MAPPING: Final = "mapping"

CLASSES: Final[Mapping[str, type]] = {
    cls.__name__: cls
    for cls in (Alert, Criterion, Fill, Item, Link, Login, Model, Property, Replacement, Section, *KINDS.values())
}
"""All classes that a model consists of, by name."""


def model_to_json(model: Model) -> bytes:
    """Encodes a model."""
    return json.dumps(_plain(model)).encode()


def model_from_json(content: bytes) -> Model:
    """Decodes a model; raises ``ValueError`` if the JSON is not a model."""
    made = _made(json.loads(content))
    if not isinstance(made, Model):
        raise ValueError(f"a model is expected, not {type(made).__name__}")
    return made


def _plain(value: object) -> Any:
    if value is None or isinstance(value, str | int | float):
        return value
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    if isinstance(value, Mapping):
        return {_CLASS: _MAPPING, "entries": [[_plain(key), _plain(one)] for key, one in value.items()]}
    name = type(value).__name__
    if not is_dataclass(value) or CLASSES.get(name) is not type(value):
        raise TypeError(f"a model cannot contain a {name}")
    return {_CLASS: name} | {field.name: _plain(getattr(value, field.name)) for field in fields(value)}


def _made(plain: Any) -> Any:
    if isinstance(plain, list):
        return tuple(_made(one) for one in plain)
    if not isinstance(plain, dict):
        return plain
    members = dict(plain)
    name = members.pop(_CLASS, None)
    if name == _MAPPING:
        return {_made(key): _made(one) for key, one in members["entries"]}
    if name not in CLASSES:
        raise ValueError(f"a model has no {name}")
    try:
        return CLASSES[name](**{member: _made(one) for member, one in members.items()})
    except TypeError as error:
        raise ValueError(str(error)) from None
