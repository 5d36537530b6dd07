"""Short names for long ones: an index of PostgreSQL takes no text of more than 2,700 bytes, and addresses have more."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from rdfcrawl.engine.address import host_of

_MARK_BYTES: Final = 16
_LONGEST_HOST: Final = 255
"""No host has a longer name; what a page may name so leads nowhere."""


def mark_of(*names: str) -> bytes:
    """The same only for the same names in the same order."""
    return blake2b("\0".join(names).encode("utf-8", "surrogatepass"), digest_size=_MARK_BYTES).digest()


def short_host(host: str) -> str:
    """The host as the tables have it."""
    return host[:_LONGEST_HOST]


def host_in_tables(address: str) -> str:
    """The host of an address, as the tables have it."""
    return short_host(host_of(address))
