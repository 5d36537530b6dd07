"""Plain text: blocks are what empty lines divide."""

from __future__ import annotations

import re
from typing import Final

from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.files.file_text import MOST_CHARACTERS, FileText
from rdfcrawl.engine.document.markup import media_type

_EMPTY_LINES: Final = re.compile(r"\n[ \t]*\n\s*")
_MARKS: Final = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}


def read_plain_text(body: bytes, content_type: str | None) -> FileText:
    """The text of a file; raises ``DocumentError`` if it is none."""
    text = _decoded(body, media_type(content_type)[1])[:MOST_CHARACTERS]
    if "\x00" in text:
        raise DocumentError("the file says that it is plain text, and is not")
    return FileText(tuple(_EMPTY_LINES.split(text.replace("\r\n", "\n").replace("\r", "\n"))))


def _decoded(body: bytes, charset: str | None) -> str:
    """By its mark, by what the answer says, as UTF-8, and else as what most old texts are."""
    for mark, encoding in _MARKS.items():
        if body.startswith(mark):
            return body[len(mark) :].decode(encoding, errors="replace")
    if charset is not None:
        try:
            return body.decode(charset, errors="replace")
        except (LookupError, ValueError):
            pass
    try:
        return body.decode()
    except UnicodeDecodeError:
        return body.decode("cp1252", errors="replace")
