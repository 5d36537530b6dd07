"""Where the store is, if nobody says so; and how places of this machine are named to others."""

from __future__ import annotations

import os
import re
from typing import Final

from rdfcrawl.rdf.servers import is_address

DEFAULT_LOCATION: Final = "rdfcrawl-data"


def location_of(given: str | None = None) -> str:
    """Where the store is: as given, else ``RDFCRAWL_STORE``, else ``rdfcrawl-data``."""
    return given or os.environ.get("RDFCRAWL_STORE") or DEFAULT_LOCATION


def without_folders(place: str) -> str:
    """A place as others may read it: an address as it is, of a file or a folder only its name."""
    return place if is_address(place) else re.split(r"[/\\]", place.rstrip("/\\"))[-1]
