"""What makes an object that object: its cleaned address, or the hash of its values.

Both are part of published IRIs. Whatever changes here gives objects new names, so that a run after the change would
report all of them as removed and added, unless ``NAMING`` says that the rules have changed.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from hashlib import sha1
from json.encoder import encode_basestring
from operator import itemgetter
from typing import Final
from urllib.parse import unquote_plus

NAMING: Final = 2
"""The version of the rules by which objects are named. In the first one ``:id`` dropped fragments, and a ``:key`` was
hashed from raw texts, under the address of whatever page showed the object, without the object around it."""

ENCLOSING: Final = "predicate://in"
"""Stands, like a property, for the object that a keyed object is nested in."""

_by_property = itemgetter(0)


def object_hash(values: Iterable[tuple[str, str]]) -> str:
    """SHA-1 over the values as a JSON array of ``{"property":"value"}``, ordered by property.

    Several values of one property keep the order in which they are given.
    """
    entries = [
        f"{{{encode_basestring(iri)}:{encode_basestring(value)}}}" for iri, value in sorted(values, key=_by_property)
    ]
    # A lone surrogate has no UTF-8 form; "?" for it keeps the hash defined for every page.
    return sha1(f"[{','.join(entries)}]".encode("utf-8", "replace"), usedforsecurity=False).hexdigest()


def clean_address(address: str, params: Collection[str] = ()) -> str:
    """The address without fragment and without these parameters; the rest keeps its order and spelling."""
    address = address.partition("#")[0]
    if not params:
        return address
    path, mark, query = address.partition("?")
    if not mark:
        return address
    kept = "&".join(part for part in query.split("&") if not _names(part, params))
    if kept:
        return f"{path}?{kept}"
    return path if query else address


def permalink(address: str, params: Collection[str] = ()) -> str:
    """The address without these parameters, but with its fragment: places on a page can be objects of their own."""
    front, mark, fragment = address.partition("#")
    return clean_address(front, params) + (mark + fragment if fragment else "")


def hash_iri(page_address: str, values: Iterable[tuple[str, str]], params: Collection[str] = ()) -> str:
    """The IRI of an object without address: its page's cleaned address, ``#`` and the hash."""
    return f"{clean_address(page_address, params)}#{object_hash(values)}"


def _names(part: str, params: Collection[str]) -> bool:
    name = part.partition("=")[0]
    return name in params or unquote_plus(name) in params
