"""Warnings about a store for which a command need not stop."""

from __future__ import annotations

import logging
from functools import lru_cache

from rdfcrawl.errors import printable

_log = logging.getLogger(__name__)


@lru_cache(maxsize=1000)
def say_once(text: str) -> None:
    """Log a warning the first time only; the same fault is found again at every step."""
    _log.warning("%s", printable(text))
