"""Warnings about a store for which a command need not stop."""

from __future__ import annotations

import logging
from functools import cache

_log = logging.getLogger(__name__)


@cache
def say_once(text: str) -> None:
    """Log a warning the first time only; the same fault is found again at every step."""
    _log.warning("%s", text)
