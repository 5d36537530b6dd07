"""What was extracted from pages when they were last read, so that unchanged pages are not read again.

Extraction is a function of the model and of what came over the network. What is remembered of a page is the
fingerprint of what came and what was extracted from it; where the next run meets the same fingerprint, or the server
says that nothing has changed, it takes the extraction from there. Losing this costs time, never data.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha1
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.packing import packed, unpacked
from rdfcrawl.engine.fetch.session import Fetched, Known
from rdfcrawl.engine.fetch.warc.index import digest_of

KEPT_SECONDS: Final = 90 * 24 * 3600
"""How long a page that no run visits any more is remembered."""
NOTED_SECONDS: Final = 30 * 24 * 3600
"""After how long another visit to a page is noted."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as it was: the fingerprint of what came, how to ask whether it has changed, and what was extracted."""

    fingerprint: bytes
    known: Known | None
    packed: bytes

    def extraction(self) -> Extraction:
        """What was extracted from it."""
        return unpacked(self.packed)


def fingerprint(documents: Sequence[Fetched]) -> bytes:
    """Equal only for documents from which the same is extracted."""
    made = sha1(usedforsecurity=False)
    for fetched in documents:
        about = (fetched.address, fetched.content_type, fetched.rendered, fetched.notes, len(fetched.body))
        made.update(repr(about).encode())
        made.update(fetched.body)
    return made.digest()


def seen_page(documents: Sequence[Fetched], content: bytes) -> SeenPage:
    """What is kept of a page that was just read; ``content`` are the bytes of its extraction."""
    return SeenPage(fingerprint(documents), _known(documents), packed(content))


def _known(documents: Sequence[Fetched]) -> Known | None:
    """How to ask for a page only if it has changed; ``None`` where the server offers no way to."""
    if len(documents) != 1 or documents[0].rendered:
        return None
    (fetched,) = documents
    etag, modified = fetched.headers.get("etag"), fetched.headers.get("last-modified")
    if not etag and not modified:
        return None
    return Known(fetched.address, etag, modified, fetched.content_type, fetched.digest or digest_of(fetched.body))
