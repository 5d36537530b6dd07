"""What a user of a store should know and a command need not stop for."""

from __future__ import annotations

import logging
from functools import cache

_log = logging.getLogger(__name__)


@cache
def say_once(text: str) -> None:
    """Log a warning the first time; what is wrong with a store is met again at every step."""
    _log.warning("%s", text)
