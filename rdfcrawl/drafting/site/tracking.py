"""Parameters of addresses that only say where a link was."""

from __future__ import annotations

from typing import Final

_BEGINNINGS: Final = ("utm_", "ref_", "pf_rd_", "fbclid", "gclid", "PHPSESSID", "jsessionid", "sid")


def is_tracking(name: str) -> bool:
    """Whether a parameter of this name does not tell what is at the address."""
    return name.startswith(_BEGINNINGS)
