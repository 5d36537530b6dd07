"""Lists of names as files: ``word<TAB>given<TAB>family`` a line, plain or compressed with gzip or xz."""

from __future__ import annotations

import gzip
import io
import lzma
import zlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from rdfcrawl.errors import RdfcrawlError
from rdfcrawl.recognise.lists.name_list import NameList, packed

FIRST_LINE: Final = "# rdfcrawl names 1"
_TOTAL: Final = "# total "
PACKAGED: Final = "packaged"
_MAX_BYTES: Final = 1 << 28


class NameListError(RdfcrawlError):
    """A list of names that cannot be read; the message names the file, the line and what would be right."""


@lru_cache(maxsize=8)
def name_list(location: str | None) -> NameList:
    """The list at a path; without one, the packaged list. A list is read once per process."""
    if location is None:
        body = files("rdfcrawl.recognise.lists").joinpath("names.tsv.xz").read_bytes()
        return parsed(_unpacked(body, PACKAGED), PACKAGED)
    return read_name_list(Path(location))


def read_name_list(path: Path) -> NameList:
    """Read a list that ``rdfcrawl names lists build`` or anybody else has written."""
    try:
        body = path.read_bytes()
    except OSError as error:
        raise NameListError(f"{path}: the list of names cannot be read: {error.strerror or error}") from None
    return parsed(_unpacked(body, str(path)), str(path))


def write_name_list(names: NameList, path: Path) -> None:
    """Write a list; a path that ends in ``.gz`` or ``.xz`` is compressed."""
    body = serialised(names).encode()
    match path.suffix:
        case ".xz":
            body = lzma.compress(body, preset=9 | lzma.PRESET_EXTREME)
        case ".gz":
            body = gzip.compress(body, mtime=0)
    path.write_bytes(body)


def serialised(names: NameList) -> str:
    """The text of a list, its words sorted."""
    lines = [FIRST_LINE, f"{_TOTAL}{names.total}"]
    for word in sorted(names.words):
        given, family = divmod(names.words[word], packed(1, 0))
        lines.append(f"{word}\t{given or ''}\t{family or ''}")
    return "\n".join(lines) + "\n"


def parsed(text: str, label: str) -> NameList:
    """Read the text of a list."""
    lines = io.StringIO(text)
    if next(lines, "").rstrip("\r\n") != FIRST_LINE:
        raise NameListError(
            f"{label}:1: not a list of names; it must begin with {FIRST_LINE!r}. "
            "rdfcrawl names lists build makes a list from plain names"
        )
    words: dict[str, int] = {}
    total = 0
    for number, line in enumerate(lines, 2):
        line = line.rstrip("\r\n")
        if line.startswith(_TOTAL):
            total = _number(line.removeprefix(_TOTAL), label, number)
        elif line and not line.startswith("#"):
            word, given, family = (*line.split("\t"), "", "")[:3]
            if given.isdecimal() and (not family or family.isdecimal()):
                words[word] = packed(int(given), int(family or 0))
            else:
                words[word] = packed(_number(given, label, number), _number(family, label, number))
    if not words:
        raise NameListError(f"{label}: the list of names is empty")
    return NameList(label, total or sum(entry >> 24 for entry in words.values()) or len(words), words)


def _number(text: str, label: str, line: int) -> int:
    if not text:
        return 0
    if not text.isdecimal():
        raise NameListError(
            f"{label}:{line}: {text!r} is not a count; a line is word, given, family, with tabs between"
        )
    return int(text)


def _unpacked(body: bytes, label: str) -> str:
    try:
        if body.startswith(b"\xfd7zXZ"):
            unxz = lzma.LZMADecompressor()
            body = unxz.decompress(body, max_length=_MAX_BYTES)
            if not unxz.eof:
                raise EOFError("it ends too early, or is larger than any list")
        elif body.startswith(b"\x1f\x8b"):
            gunzip = zlib.decompressobj(31)
            body = gunzip.decompress(body, _MAX_BYTES)
            if not gunzip.eof:
                raise EOFError("it ends too early, or is larger than any list")
        return body.decode()
    except (lzma.LZMAError, zlib.error, EOFError, UnicodeDecodeError) as error:
        raise NameListError(f"{label}: the list of names is damaged: {error}") from None
