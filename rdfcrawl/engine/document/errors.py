"""What is said of a response that cannot be read; whoever only has to report it need not import what reads."""

from __future__ import annotations


class DocumentError(ValueError):
    """The response is not a document; the message says why."""


class DocumentLimit(DocumentError):
    """The document is too much in some way; the message says in which."""


class FormError(DocumentError):
    """A form that cannot be sent as it is; where ``is_missing``, because a field or the button is not on the page."""

    def __init__(self, reason: str, *, is_missing: bool = False) -> None:
        super().__init__(reason)
        self.is_missing = is_missing
