"""What kind of file an answer is, by its headers; dots in paths are no file types, unless nothing else tells."""

from __future__ import annotations

import mimetypes
import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote

from rdfcrawl.engine.address import target_of

_HTML: Final = frozenset(("text/html", "application/xhtml+xml"))
_UNTOLD: Final = frozenset(
    ("", "application/octet-stream", "binary/octet-stream", "application/download", "application/force-download")
)
_TYPES: Final = {
    "application/pdf": "pdf",
    "application/msword": "doc",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
    "application/vnd.ms-powerpoint": "ppt",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation": "pptx",
    "application/vnd.ms-excel": "xls",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
    "application/epub+zip": "epub",
    "application/rtf": "rtf",
    "application/zip": "zip",
    "application/gzip": "gz",
    "application/x-gzip": "gz",
    "application/xml": "xml",
    "text/xml": "xml",
    "application/rss+xml": "rss",
    "application/atom+xml": "atom",
    "application/json": "json",
    "application/javascript": "js",
    "text/javascript": "js",
    "text/plain": "txt",
    "text/csv": "csv",
    "text/calendar": "ics",
    "image/jpeg": "jpg",
    "image/svg+xml": "svg",
    "audio/mpeg": "mp3",
}
"""Names that people use; the system's table of media types differs from machine to machine, so it comes second."""
_NAME: Final = re.compile(r"""filename\*?\s*=\s*(?:[\w-]*'[\w-]*')?"?([^";]+)""", re.IGNORECASE)
_ENDING: Final = re.compile(r"\.([A-Za-z0-9]{1,8})$")
_SUBTYPE: Final = re.compile(r"[a-z0-9.+-]+/(?:x-|vnd\.)?([a-z0-9.+-]+)")
_types: Final = mimetypes.MimeTypes()


@lru_cache(maxsize=256)
def media_type(content_type: str | None) -> str:
    """The media type without its parameters; empty if there is none."""
    return (content_type or "").partition(";")[0].strip().lower()


def is_html(content_type: str | None) -> bool:
    """Whether an answer says that it is a page."""
    return media_type(content_type) in _HTML


def looks_like_html(body: bytes) -> bool:
    """Whether an answer without a media type is a page."""
    return body[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<")


def file_type(address: str, content_type: str | None, disposition: str | None = None) -> str | None:
    """The short name of a file's type, such as ``pdf``; ``None`` if nothing tells it."""
    kind = media_type(content_type)
    if kind not in _UNTOLD:
        if known := _TYPES.get(kind):
            return known
        if guessed := _types.guess_extension(kind):
            return guessed.removeprefix(".")
    given = _NAME.search(disposition or "")
    path = target_of(address).partition("?")[0]
    for name in (unquote(given[1]).strip() if given else "", unquote(path)):
        if ending := _ENDING.search(name):
            return ending[1].lower()
    subtype = None if kind in _UNTOLD else _SUBTYPE.fullmatch(kind)
    return subtype[1] if subtype else None
