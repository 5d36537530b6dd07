"""The file that says that a folder is a store, of which format, and under which name servers know it.

Format 2 has records that the first versions cannot read, format 3 has files of links and of scores. A store of an
earlier format is read as it is, and becomes one of the current format when the first record is written to it.
"""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Any, Final

from rdfcrawl.errors import StoreError
from rdfcrawl.store.files.whole import write_whole

MARKER: Final = "rdfcrawl-store.json"
FORMAT: Final = 3
_READABLE: Final = (1, 2, 3)


def write_marker(folder: Path) -> None:
    """Make a folder a store."""
    write_whole(folder / MARKER, json.dumps({"format": FORMAT, "id": uuid.uuid4().hex}).encode())


def check_format(folder: Path) -> None:
    """Raise ``StoreError`` unless this version can read the store."""
    found = _read(folder)["format"]
    if found not in _READABLE:
        raise StoreError(f"{folder} is a store of format {found}; this rdfcrawl reads and writes format {FORMAT}")


def raise_format(folder: Path) -> None:
    """Mark a store as one of the current format, so that versions that cannot read it say so."""
    if (folder / MARKER).exists() and (values := _read(folder))["format"] != FORMAT:
        write_whole(folder / MARKER, json.dumps({**values, "format": FORMAT}).encode())


def store_name(folder: Path) -> str:
    """The name that a store was given when it was made; it never changes."""
    return str(_read(folder)["id"])


def _read(folder: Path) -> dict[str, Any]:
    try:
        values: dict[str, Any] = json.loads((folder / MARKER).read_bytes())
        values["format"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{folder / MARKER} cannot be read: {error}") from error
    return values
