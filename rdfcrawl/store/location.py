"""Where the store is, if nobody says so."""

from __future__ import annotations

import os
from typing import Final

DEFAULT_LOCATION: Final = "rdfcrawl-data"


def location_of(given: str | None = None) -> str:
    """Where the store is: as given, else ``RDFCRAWL_STORE``, else ``rdfcrawl-data``."""
    return given or os.environ.get("RDFCRAWL_STORE") or DEFAULT_LOCATION
