"""CSV as a tree: a ``table`` of ``tr``, the first with ``th``, the others with ``td``, whose ``name`` is the header."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from typing import Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.engine.charsets import decoded
from rdfcrawl.engine.document.bounds import TreeBounds
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.rdf.characters import writable

TAB_SEPARATED: Final = "text/tab-separated-values"
_SEPARATORS: Final = (",", ";", "\t", "|")
# Excel writes and reads such a line before the header.
_STATED_SEPARATOR: Final = re.compile(r"\s*\"?sep=([^\w\s\"]|\t)\"?[ \t]*[\r\n]", re.IGNORECASE)
_HEADERLESS: Final = re.compile(r";\s*header\s*=\s*\"?absent\b", re.IGNORECASE)
_MOST_NAMED: Final = 20
"""How many ragged rows are named; the rest is counted."""

# The standard library has one limit for all readers; a body is limited already.
csv.field_size_limit(2**31 - 1)


def read_csv(body: bytes, content_type: str, charset: str | None, bounds: TreeBounds) -> tuple[Element, list[str]]:
    """The table, and what is wrong with its rows; raises ``DocumentError``."""
    text = _decoded(body, charset)
    if stated := _STATED_SEPARATOR.match(text):
        # The end of its line stays, for the numbers of the others.
        text, separator = text[stated.end() - 1 :], stated[1]
    else:
        separator = "\t" if content_type.lower().startswith(TAB_SEPARATED) else _separator(text)
    if not text.strip():
        raise DocumentError("the CSV is empty")
    table = etree.Element("table")
    header: Sequence[str] | None = None
    ragged: list[tuple[int, int]] = []
    width = count = 0
    has_header = not _HEADERLESS.search(content_type)
    for line, row in _rows(text, separator):
        count += len(row) + 1
        bounds.check_count(count)
        if not width:
            width = len(row)
            if has_header:
                header = [writable(name.strip()) for name in row]
                _add_row(table, "th", header, ())
                continue
        if len(row) != width:
            ragged.append((line, len(row)))
        _add_row(table, "td", row, header or ())
    return table, _complaints(ragged, width)


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    line = 1
    while True:
        begun = line
        try:
            row = next(reader, None)
        except csv.Error as error:
            reason = "a quote that opens there is not closed" if "end of data" in str(error) else str(error)
            raise DocumentError(f"the CSV cannot be read from line {begun} on: {reason}") from None
        if row is None:
            return
        line = reader.line_num + 1
        if row and row != [""]:
            yield begun, row


def _add_row(table: Element, tag: str, cells: Sequence[str], names: Sequence[str]) -> None:
    row = etree.SubElement(table, "tr")
    for place, text in enumerate(cells):
        cell = etree.SubElement(row, tag)
        cell.text = writable(text)
        if place < len(names):
            cell.set("name", names[place])


def _complaints(ragged: list[tuple[int, int]], width: int) -> list[str]:
    found = [
        f"line {line} has {count} cell{'' if count == 1 else 's'} instead of {width}; check its quotes and separators"
        for line, count in ragged[:_MOST_NAMED]
    ]
    if len(ragged) > _MOST_NAMED:
        found.append(f"{len(ragged) - _MOST_NAMED:,} more lines do not have {width} cells")
    return found


def _separator(text: str) -> str:
    """The separator that the first line has most often outside quotes; a comma if it has none."""
    first = re.sub(r'"[^"]*"', "", text.lstrip().partition("\n")[0])
    return max(_SEPARATORS, key=first.count)


def _decoded(body: bytes, charset: str | None) -> str:
    """As the server says, else UTF-8, else what spreadsheets in Western Europe write."""
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        return body.decode("utf-16", "replace")
    for encoding in (charset, "utf-8", "cp1252"):
        if encoding:
            try:
                text = decoded(body, encoding, "strict")
            except UnicodeDecodeError:
                continue
            if text is not None:
                return text.removeprefix("\ufeff")
    return body.decode("cp1252", "replace")
