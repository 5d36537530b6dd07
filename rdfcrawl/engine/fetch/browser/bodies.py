"""The bodies that come to a browser, taken out of its hands within a bound, and given back to it."""

from __future__ import annotations

import asyncio
import base64
from collections.abc import Iterable
from typing import Any, Final

from playwright.async_api import CDPSession

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.fetch.answers import header_of
from rdfcrawl.engine.fetch.codings import BodyTooLarge, UndecodableBody, decoded
from rdfcrawl.engine.fetch.session import Exchange

_BODY_SECONDS: Final = 30.0
_PIECE: Final = 1 << 20
_DENSEST: Final = 1032
"""How many times as large as its compressed form a body can be, by the rules of deflate; others are not told."""


@dataclass(frozen=True, slots=True)
class TakenBody:
    """A body. One that ``is_taken`` the browser does not have any more: the request must be answered with it."""

    content: bytes
    is_taken: bool


async def body_of(network: CDPSession, request: str, headers: Iterable[tuple[str, str]], most_bytes: int) -> TakenBody:
    """The body of a paused answer, decoded; raises ``BodyTooLarge``, and ``TimeoutError`` where it has no end."""
    async with asyncio.timeout(_BODY_SECONDS):
        if is_surely_small(list(headers), most_bytes):
            got = await network.send("Fetch.getResponseBody", {"requestId": request})
            return TakenBody(_decoded(got["body"], got["base64Encoded"]), is_taken=False)
        return TakenBody(await _streamed(network, request, most_bytes), is_taken=True)


def is_surely_small(headers: list[tuple[str, str]], most_bytes: int) -> bool:
    """Whether a body cannot be larger than it may be, so that it can be asked for as a whole."""
    length, coding = header_of(headers, "content-length"), header_of(headers, "content-encoding")
    if length is None or not (length.isascii() and length.isdecimal() and len(length) < len(str(most_bytes)) + 1):
        return False
    if coding is None or coding.strip().lower() in ("", "identity"):
        return int(length) <= most_bytes
    return coding.strip().lower() in ("gzip", "deflate") and int(length) * _DENSEST <= most_bytes


def decoded_body(exchange: Exchange, most_bytes: int) -> bytes:
    """The body without its content encoding; as it is where it was recorded decoded already.

    Raises ``BodyTooLarge``.
    """
    codings = ",".join(value for name, value in exchange.headers if name.lower() == "content-encoding")
    try:
        return decoded(exchange.body, codings, most_bytes)
    except UndecodableBody:
        return exchange.body


async def _streamed(network: CDPSession, request: str, most_bytes: int) -> bytes:
    stream = (await network.send("Fetch.takeResponseBodyAsStream", {"requestId": request}))["stream"]
    found = bytearray()
    try:
        while True:
            piece: dict[str, Any] = await network.send("IO.read", {"handle": stream, "size": _PIECE})
            found += _decoded(piece["data"], piece.get("base64Encoded", False))
            if len(found) > most_bytes:
                raise BodyTooLarge
            if piece["eof"]:
                return bytes(found)
    finally:
        await network.send("IO.close", {"handle": stream})


def _decoded(text: str, is_base64: bool) -> bytes:
    return base64.b64decode(text) if is_base64 else text.encode("utf-8", "replace")
