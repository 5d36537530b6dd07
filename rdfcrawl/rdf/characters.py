"""Which characters can be written: as RDF, as XML and as UTF-8, and which texts need nothing done to be written."""

from __future__ import annotations

import re
from typing import Final

# No XML document can contain these, so RDF/XML could not express the value; UTF-8 cannot express surrogates at all.
_UNWRITABLE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")


def writable(text: str) -> str:
    """The text without control characters, and with U+FFFD in place of what is no character at all."""
    # Printable are no control characters, surrogates or unassigned ones; asking for that takes half the time.
    if text.isprintable() or not _UNWRITABLE.search(text):
        return text
    return _UNWRITABLE.sub(lambda match: "\ufffd" if match[0] >= "\ud800" else "", text)


def is_plain(text: str) -> bool:
    """Whether a trimmed text is written as it is: no white space to collapse, nothing to leave out or to escape.

    Most texts of most pages are, and finding that out takes a fraction of the time of doing all of it.
    """
    # Not printable are control characters, surrogates, zero-width spaces, and every white space but the space.
    return text.isprintable() and '"' not in text and "\\" not in text and "  " not in text
