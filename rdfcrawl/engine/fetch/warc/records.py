"""The records of a WARC 1.1 file as bytes: a header of named fields, a block, and each compressed on its own."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from random import Random
from typing import Final

from rdfcrawl.engine.address import host_of, target_of
from rdfcrawl.engine.compression import deflated
from rdfcrawl.engine.fetch.answers import decoded_headers, readable_headers
from rdfcrawl.engine.fetch.session import Body, Exchange
from rdfcrawl.engine.fetch.warc.index import BODY_FILE, BODY_OFFSET

_UNCHANGED: Final = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"
_SECRETS: Final = frozenset(("authorization", "cookie", "proxy-authorization"))

Field = tuple[str, str]


def new_id(source: Random) -> str:
    """The name of a record that is to be written: a random UUID."""
    # Asking the system for each would take as long as compressing the record.
    digits = f"{source.getrandbits(128):032x}"
    return f"<urn:uuid:{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}>"


def about_record(about: Iterable[Field], name: str, file: str, moment: str) -> bytes:
    """The first record of a file, which describes it."""
    fields = f"WARC-Record-ID: {name}\r\nWARC-Filename: {file}\r\nWARC-Date: {moment}\r\n"
    block = "".join([f"{name}: {value}\r\n" for name, value in about]).encode()
    return _member("warcinfo", fields, "application/warc-fields", block)


def request_record(exchange: Exchange, name: str, answered_by: str, moment: str) -> bytes:
    """The record of a request, without what only the server should know."""
    lines = _lines_asked(host_of(exchange.address), tuple(exchange.request_headers.items()))
    fields = (
        f"WARC-Record-ID: {name}\r\nWARC-Target-URI: {exchange.address}\r\nWARC-Date: {moment}\r\n"
        f"WARC-Concurrent-To: {answered_by}\r\n"
    )
    head = f"{exchange.method} {target_of(exchange.address)} HTTP/1.1\r\n{lines}\r\n".encode("utf-8", "replace")
    return _member("request", fields, "application/http; msgtype=request", head + (exchange.request_body or b""))


@lru_cache(maxsize=256)
def _lines_asked(host: str, headers: tuple[Field, ...]) -> str:
    """The headers of a request; those of thousands of pages are the same."""
    named = [(field.lower(), (field, value)) for field, value in headers]
    asked = [header for lowered, header in named if lowered not in _SECRETS]
    if not any(lowered == "host" for lowered, _ in named):
        asked.insert(0, ("Host", host))
    return _lines(asked)


def answer_record(exchange: Exchange, name: str, moment: str, digest: str, held: Body | None = None) -> bytes:
    """The record of an answer, its body decoded: the headers describe what is stored, not what was transferred.

    A body that is ``held`` by another record is referred to.
    """
    headers = decoded_headers(exchange.headers)
    if exchange.body or held is None:
        headers.append(("Content-Length", str(len(exchange.body))))
    head = _head(f"HTTP/1.1 {exchange.status} {exchange.reason}".rstrip(), headers)
    fields = (
        f"WARC-Target-URI: {exchange.address}\r\nWARC-Record-ID: {name}\r\nWARC-Date: {moment}\r\n"
        f"WARC-Payload-Digest: {digest}\r\n"
    )
    if held is None:
        return _member("response", fields, "application/http; msgtype=response", head + exchange.body)
    fields += (
        f"WARC-Refers-To: {held.record}\r\nWARC-Refers-To-Target-URI: {held.address}\r\n"
        f"WARC-Refers-To-Date: {held.moment}\r\n{BODY_FILE}: {held.file}\r\n{BODY_OFFSET}: {held.offset}\r\n"
        f"WARC-Profile: {_UNCHANGED}\r\n"
    )
    return _member("revisit", fields, "application/http; msgtype=response", head)


def _member(kind: str, fields: str, content_type: str, block: bytes) -> bytes:
    header = (
        f"WARC/1.1\r\nWARC-Type: {kind}\r\n{fields}Content-Type: {content_type}\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return deflated(b"%b%b\r\n\r\n" % (header.encode("utf-8", "replace"), block), gzip=True)


def _head(first: str, headers: Iterable[Field]) -> bytes:
    return f"{first}\r\n{_lines(headers)}\r\n".encode("utf-8", "replace")


def _lines(headers: Iterable[Field]) -> str:
    return "".join([f"{name}: {value}\r\n" for name, value in readable_headers(headers)])
