"""What is said of a response that cannot be read; whoever only has to report it need not import what reads."""

from __future__ import annotations


class DocumentError(ValueError):
    """The response is not a document; the message says why."""


class DocumentLimit(DocumentError):
    """The document is too much in some way; the message says in which."""
