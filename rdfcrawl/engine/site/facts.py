"""What a survey says about an address, as N-Triples text."""

from __future__ import annotations

from base64 import b32encode
from collections.abc import Iterable, Iterator
from decimal import Decimal
from enum import StrEnum
from hashlib import sha1
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.site.media import file_type, media_type
from rdfcrawl.metamodel.criteria import number
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import iri, literal


class SiteKind(StrEnum):
    """What was found at an address; the value is the local name in the namespace of surveys."""

    HTML = "html"
    BINARY = "binary"
    """Anything but HTML, and HTML that is too large."""
    DUPLICATE = "duplicate"
    """HTML with the same content as another address of the site."""
    REDIRECT = "redirect"
    DISALLOWED = "disallowed"
    """Forbidden by robots.txt, so it was not asked."""
    UNRESOLVED = "unresolved"
    """The host has no IP address."""
    TIMEOUT = "timeout"
    BROWSER_ERROR = "browserError"
    ERROR = "error"
    """Any other failure; ``site:status`` says which, where the server has answered."""
    UNREAD = "unread"
    """Known, but not asked; ``site:reason`` says why."""


def term(name: str) -> str:
    """A term of surveys as N-Triples text."""
    return f"<{terms.SITE}{name}>"


PAGE: Final = term("page")
LINK: Final = term("link")
IMAGE: Final = term("image")
KIND: Final = term("kind")
DEPTH: Final = term("depth")
REASON: Final = term("reason")
DUPLICATE_OF: Final = term("duplicateOf")
LINK_TEXTS: Final = term("linkTexts")
_REDIRECTS_TO: Final = term("redirectsTo")
_NUMBERS: Final = frozenset({"status", "bytes", "linkCount", "imageCount"})

OF_DUPLICATES: Final = frozenset(
    term(name).encode() for name in ("status", "mediaType", "bytes", "digest", "title", "language")
)
"""What is said of a duplicate as well; everything else is said of the page that it repeats."""


@dataclass(frozen=True, slots=True)
class AnswerHead:
    """What the head of an answer says about an address."""

    status: int
    content_type: str | None = None
    length: int | None = None
    disposition: str | None = None
    location: str | None = None


def facts(address: str, **values: str | int | None) -> list[str]:
    """Triples about an address, one for each value that there is."""
    subject = iri(address)
    return [
        f"{subject} {term(name)} {literal(str(value), terms.INTEGER if name in _NUMBERS else terms.STRING)}"
        for name, value in values.items()
        if value is not None and value != ""
    ]


def page_facts(address: str, head: AnswerHead, body: bytes) -> list[str]:
    """What is said of an HTML page as it was sent."""
    return facts(
        address,
        status=head.status,
        mediaType=media_type(head.content_type) or None,
        bytes=len(body),
        digest=content_digest(body),
    )


def binary_facts(address: str, head: AnswerHead) -> list[str]:
    """What is said of an address whose body is of no interest."""
    return facts(
        address,
        status=head.status,
        mediaType=media_type(head.content_type) or None,
        fileType=file_type(address, head.content_type, head.disposition),
        bytes=head.length,
    )


def redirect_facts(address: str, status: int | None, target: str) -> list[str]:
    """What is said of an address that leads elsewhere."""
    return [*facts(address, status=status), f"{iri(address)} {_REDIRECTS_TO} {iri(target)}"]


def score_facts(address: str, score: Decimal, met: Iterable[str] | None) -> Iterator[str]:
    """The score of a page; of a find, also the criteria that it meets."""
    subject = iri(address)
    yield f"{subject} {term('score')} {literal(number(score), terms.DECIMAL)}"
    if met is not None:
        yield f"{subject} {term('find')} {literal('true', terms.BOOLEAN)}"
        for criterion in met:
            yield f"{subject} {term('meets')} {iri(criterion)}"


def settled_facts(address: str, kind: str, depth: int, reason: str | None, original: str | None) -> Iterator[str]:
    """What is only known of an address when its whole level is read."""
    subject = iri(address)
    yield f"{subject} {KIND} {term(kind)}"
    yield f"{subject} {DEPTH} {literal(str(depth), terms.INTEGER)}"
    if reason is not None:
        yield f"{subject} {REASON} {literal(reason)}"
    if original is not None:
        yield f"{subject} {DUPLICATE_OF} {iri(original)}"


def content_digest(body: bytes) -> str:
    """The digest of a body, written as archives write it."""
    return f"sha1:{b32encode(sha1(body, usedforsecurity=False).digest()).decode()}"
