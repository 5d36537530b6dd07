"""What every kind of document gives: its text in blocks, its headings, and what it says about itself."""

from __future__ import annotations

from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.errors import DocumentError

MOST_CHARACTERS: Final = 4_000_000
"""How much of a document is read: a book has fewer. What comes after that is not searched."""


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a document; ``head`` is its title, subject and keywords."""

    blocks: tuple[str, ...] = ()
    headings: tuple[str, ...] = ()
    head: tuple[str, ...] = ()


class EncryptedDocument(DocumentError):
    """A document that nobody can read without its password."""

    def __init__(self) -> None:
        super().__init__("the document is encrypted")
