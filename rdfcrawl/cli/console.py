"""The consoles: results go to standard output, everything else to standard error.

Nothing that is printed is read as markup: an XPath has brackets, and ``page:scroll:`` would be a picture.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from rich.console import Console

from rdfcrawl.engine.choice import Engine
from rdfcrawl.store.folder import location_of

PROGRAM = "rdfcrawl"

out = Console(soft_wrap=True, highlight=False, markup=False, emoji=False)
err = Console(stderr=True, soft_wrap=True, highlight=False, markup=False, emoji=False)


def how_read(engine: Engine) -> str:
    """How a page was read, in words."""
    return "over HTTP" if engine is Engine.HTTP else "in the browser"


def counted(count: int, noun: str, plural: str | None = None) -> str:
    """A number of things: ``1 page``, ``2,000 pages``."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


def pasteable(*arguments: str, store: str | None = None) -> str:
    """A command as it can be pasted: with the program as it was called, and the store if it is not the usual one."""
    where = ("--store", store) if store is not None and store != location_of() else ()
    return f"{_program()} {shlex.join((arguments[0], *where, *arguments[1:]))}"


def _program() -> str:
    called = Path(sys.argv[0])
    if called.name != PROGRAM:
        return PROGRAM if called.name != "__main__.py" else f"{shlex.quote(Path(sys.executable).name)} -m {PROGRAM}"
    found = shutil.which(PROGRAM)
    is_on_path = found is not None and Path(found).resolve() == called.resolve()
    return PROGRAM if is_on_path else shlex.quote(str(called))
