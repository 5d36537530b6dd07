"""Parameters of addresses that only say where a link was."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final
from urllib.parse import parse_qsl, urlsplit

_BEGINNINGS: Final = ("utm_", "ref_", "pf_rd_", "fbclid", "gclid", "PHPSESSID", "jsessionid", "sid")
_WRITABLE: Final = re.compile(r"[^&=?#\x00-\x20]+")
"""What a model can name; a name may have anything else in it, percent-encoded."""


def is_tracking(name: str) -> bool:
    """Whether a parameter of this name does not tell what is at the address."""
    return name.startswith(_BEGINNINGS)


def tracking_parameters(addresses: Iterable[str]) -> list[str]:
    """The parameters of addresses that only say where a link was."""
    names = {name for address in addresses for name, _ in parse_qsl(urlsplit(address).query, keep_blank_values=True)}
    return sorted(name for name in names if is_tracking(name) and _WRITABLE.fullmatch(name))
