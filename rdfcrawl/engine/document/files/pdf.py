"""PDF documents, by pypdf, which is an extra."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Final

from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.files.file_text import MOST_CHARACTERS, EncryptedDocument, FileText

if TYPE_CHECKING:
    from pypdf import PdfReader

_ABOUT: Final = ("/Title", "/Subject", "/Keywords")


def read_pdf(body: bytes) -> FileText:
    """The text of a PDF document, each of its pages a block; raises ``DocumentError``."""
    try:
        from pypdf import PdfReader
        from pypdf.errors import DependencyError, FileNotDecryptedError, WrongPasswordError
    except ImportError:
        raise DocumentError('PDF documents are read by pypdf: pip install "rdfcrawl[documents]"') from None
    # It says on the way what it makes the best of.
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(BytesIO(body))
        if reader.is_encrypted and not reader.decrypt(""):
            raise EncryptedDocument
        return FileText(tuple(_pages(reader)), head=tuple(_about(reader)))
    except (FileNotDecryptedError, WrongPasswordError, DependencyError):
        raise EncryptedDocument from None
    except (DocumentError, MemoryError):
        raise
    except Exception as error:
        # A broken document is broken anywhere, and any exception may come of it.
        raise DocumentError(f"the PDF document is broken: {type(error).__name__}: {error}") from None


def _pages(reader: PdfReader) -> Iterator[str]:
    length = 0
    for page in reader.pages:
        text = page.extract_text()
        yield text
        length += len(text)
        if length > MOST_CHARACTERS:
            return


def _about(reader: PdfReader) -> Iterator[str]:
    about = reader.metadata
    if about is not None:
        yield from (str(value) for name in _ABOUT if isinstance(value := about.get(name), str))
