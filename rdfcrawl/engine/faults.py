"""Where in the code something went wrong that nobody expects, in words that can be reported."""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import Final

_PACKAGE: Final = Path(__file__).parents[1]


def place_of_fault(error: BaseException) -> str:
    """Where an exception was raised: the innermost place of rdfcrawl itself, and the one inside it, if there is one."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if Path(frame.filename).is_relative_to(_PACKAGE)]
    places = dict.fromkeys(_shown(frame) for frame in (*own[-1:], *frames[-1:]))
    return ", ".join(places) or "an unknown place"


def _shown(frame: traceback.FrameSummary) -> str:
    file = Path(frame.filename)
    # Where the package is on this machine is nobody's business.
    shown = file.relative_to(_PACKAGE.parent) if file.is_relative_to(_PACKAGE) else file.name
    return f"{shown}:{frame.lineno} in {frame.name}"
