"""Which files have a text, and who reads it."""

from __future__ import annotations

from typing import Final

from rdfcrawl.engine.document.files.file_text import FileText
from rdfcrawl.engine.document.files.office import OFFICE_TYPES, read_office
from rdfcrawl.engine.document.files.pdf import read_pdf
from rdfcrawl.engine.document.files.plain_text import read_plain_text

READABLE: Final = OFFICE_TYPES | {"pdf", "txt"}
"""The types of files that have a text."""


def read_file(body: bytes, file_type: str, content_type: str | None = None) -> FileText:
    """The text of a file of one of the ``READABLE`` types; raises ``DocumentError``."""
    if file_type == "pdf":
        return read_pdf(body)
    return read_office(body, file_type) if file_type in OFFICE_TYPES else read_plain_text(body, content_type)
