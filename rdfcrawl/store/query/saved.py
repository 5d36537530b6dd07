"""Queries that a publisher keeps in the folder ``queries`` of a store, each in a file ``NAME.rq``.

The comments at the beginning of a file say what it asks for: their first line is the title, the others describe it.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import UsageError

SAVED: Final = "queries"
SUFFIX: Final = ".rq"
LARGEST: Final = 1_000_000
MOST: Final = 500
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,79}")
_LONGEST_TITLE: Final = 120
_LONGEST_DESCRIPTION: Final = 2000


@dataclass(frozen=True, slots=True)
class SavedQuery:
    """A query with a name; ``problem`` says why a file is not one."""

    name: str
    title: str
    description: str = ""
    text: str = ""
    problem: str | None = None


def saved_queries(folder: Path) -> list[SavedQuery]:
    """The queries of a store, by name."""
    return [read_saved(path) for path in saved_files(folder)]


def saved_files(folder: Path) -> list[Path]:
    """The files of the queries of a store; the first ones if they are very many."""
    try:
        names = sorted(name for name in os.listdir(folder / SAVED) if name.endswith(SUFFIX))
    except OSError:
        return []
    return [folder / SAVED / name for name in names[:MOST]]


def saved_query(folder: Path, name: str) -> SavedQuery:
    """The query of that name; raises ``UsageError`` if there is none, or if its file cannot be read."""
    known = saved_queries(folder)
    found = next((query for query in known if query.name == name), None)
    if found is None:
        names = ", ".join(query.name for query in known) or f"no file {folder / SAVED}/*{SUFFIX}"
        raise UsageError(f"there is no saved query {name!r}; there is {names}")
    if found.problem:
        raise UsageError(f"{folder / SAVED / name}{SUFFIX} {found.problem}")
    return found


def read_saved(path: Path) -> SavedQuery:
    """The query in a file, or what is wrong with the file."""
    name = path.name.removesuffix(SUFFIX)
    if not _NAME.fullmatch(name):
        # A name need not even be text.
        plain = ascii(name)[1:-1]
        return SavedQuery(plain, plain, problem="has a name with other characters than A to Z, 0 to 9, - and _")
    try:
        text = _text(path)
    except (OSError, ValueError) as error:
        told = error.strerror or str(error) if isinstance(error, OSError) else str(error)
        return SavedQuery(name, _readable(name), problem=f"cannot be read: {told}")
    comments = _leading_comments(text)
    title = next((line for line in comments if line), "")
    rest = comments[comments.index(title) + 1 :] if title else ()
    described = "\n".join(rest).strip()[:_LONGEST_DESCRIPTION]
    return SavedQuery(name, title[:_LONGEST_TITLE] or _readable(name), described, text)


def _text(path: Path) -> str:
    # Opening a pipe would wait for somebody who writes to it.
    with open(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise ValueError("it is no file")
        content = file.read(LARGEST + 1)
    if len(content) > LARGEST:
        raise ValueError(f"it has more than {LARGEST:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8 text") from None


def _leading_comments(text: str) -> Sequence[str]:
    found = []
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith("#"):
            break
        found.append(" ".join(line.strip().lstrip("#").split()))
    return found


def _readable(name: str) -> str:
    words = re.sub(r"[_-]+", " ", name).strip()
    return words[:1].upper() + words[1:]
