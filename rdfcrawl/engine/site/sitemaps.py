"""What a site names itself: the sitemaps in its robots.txt, and the addresses in them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.compression import inflated
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.markup import read_tree
from rdfcrawl.engine.site.links import web_address
from rdfcrawl.engine.site.media import media_type

MOST_BYTES: Final = 64 * 1024 * 1024
"""The longest sitemap; the protocol allows fifty megabytes."""
_ROBOTS: Final = "/robots.txt"
_GZIP: Final = b"\x1f\x8b"
_XML: Final = frozenset(("application/xml", "text/xml", "application/gzip", "application/x-gzip", "text/plain"))


def guesses(start: str) -> tuple[str, str]:
    """Where a site that begins at ``start`` names its sitemaps, if it does."""
    origin = origin_of(start)
    return f"{origin}{_ROBOTS}", f"{origin}/sitemap.xml"


def may_be_sitemap(content_type: str | None) -> bool:
    """Whether an answer with such a media type may be a sitemap or a robots.txt."""
    return media_type(content_type) in _XML or media_type(content_type).endswith("+xml")


def named_addresses(address: str, body: bytes) -> tuple[list[str], list[str]]:
    """The sitemaps and the pages that a robots.txt, a sitemap or an index of sitemaps names; none for anything else."""
    if address.endswith(_ROBOTS):
        return list(_of_robots(address, body)), []
    if body.startswith(_GZIP):
        try:
            body = inflated(body, MOST_BYTES, gzip=True)
        except ValueError:
            return [], []
    if not body.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return [], list(_of_lines(address, body))
    try:
        root = read_tree(body, "application/xml")
    except DocumentError:
        return [], []
    found = [web for loc in root.iter("loc") if (web := web_address((loc.text or "").strip(), address))]
    return (found, []) if root.tag == "sitemapindex" else ([], found) if root.tag == "urlset" else ([], [])


def _of_robots(address: str, body: bytes) -> Iterator[str]:
    for line in body.decode("utf-8-sig", "replace").splitlines():
        name, _, value = line.partition(":")
        if name.strip().lower() == "sitemap" and (found := web_address(value.partition("#")[0].strip(), address)):
            yield found


def _of_lines(address: str, body: bytes) -> Iterator[str]:
    """A sitemap may be a plain list, one address on each line."""
    for line in body.decode("utf-8", "replace").split():
        if line.startswith(("http://", "https://")) and (found := web_address(line, address)):
            yield found
