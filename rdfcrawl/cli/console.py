"""The consoles: results go to standard output, everything else to standard error.

What is shown comes from pages, models and servers. It is text: never markup of the console, never an emoji by name,
and never a control character, with which a page could set the title of a terminal or write over what stands there.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any, Final, cast

import typer

from rdfcrawl.engine.choice import Engine
from rdfcrawl.errors import printable
from rdfcrawl.store.location import location_of

if TYPE_CHECKING:
    from rdfcrawl.cli.output.text_console import TextConsole, err, out

__all__ = [
    "PROGRAM",
    "TextConsole",
    "counted",
    "err",
    "for_programs",
    "hand_over",
    "how_read",
    "out",
    "pasteable",
    "say",
]

PROGRAM: Final = "rdfcrawl"

_IN_MEMORY: Final = 16 << 20


def say(text: str, *, to_err: bool = False) -> None:
    """Print a line that people read, whatever is in it."""
    typer.echo(printable(text), err=to_err)


def hand_over(text: str, *, nl: bool = True) -> None:
    """Write a text for programs: as it is, but on a terminal like everything that is shown there."""
    typer.echo(printable(text) if sys.stdout.isatty() else text, nl=nl)


@contextmanager
def for_programs() -> Iterator[IO[bytes]]:
    """Where a document for programs is written: standard output, byte by byte, unless that is a terminal."""
    if not sys.stdout.isatty():
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    with SpooledTemporaryFile(_IN_MEMORY) as held:
        yield cast(IO[bytes], held)
        held.seek(0)
        for line in TextIOWrapper(cast(IO[bytes], held), "utf-8", "replace", newline="\n"):
            typer.echo(printable(line), nl=False)
        typer.echo()


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


def __getattr__(name: str) -> Any:
    """The consoles themselves, whose library takes longer to import than some commands to run."""
    if name not in ("TextConsole", "err", "out"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rdfcrawl.cli.output import text_console

    return getattr(text_console, name)
