"""A site of things whose server can be told, page by page, in which way to fail. It speaks HTTP by hand."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
import struct
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache

from tests.thing_site import MODEL

Writer = asyncio.StreamWriter


def answer(status: str, body: bytes, *headers: str, length: int | None = None) -> bytes:
    """An answer with all its headers; ``length`` is what it claims."""
    kind = () if any(header.lower().startswith("content-type") for header in headers) else ("Content-Type: text/html",)
    size = f"Content-Length: {len(body) if length is None else length}"
    return "\r\n".join((f"HTTP/1.1 {status}", *kind, size, *headers, "", "")).encode() + body


@dataclass(slots=True)
class FaultySite:
    """A running site; ``faults`` names the fault of a path, ``again`` how often it fails before it recovers."""

    things: int
    address: str = ""
    faults: dict[str, str] = field(default_factory=dict)
    again: dict[str, int] = field(default_factory=dict)
    asked: Counter[str] = field(default_factory=Counter)

    @property
    def turtle(self) -> str:
        """The model of the site."""
        return MODEL.format(site=self.address, extra="")

    async def serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        """Answer the requests of one connection, one after the other."""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                path = head.split(b" ", 2)[1].decode()
                self.asked[path] += 1
                fault = self.faults.get(path)
                if fault is not None and self.again.get(path, 1):
                    if path in self.again:
                        self.again[path] -= 1
                    await FAULTS[fault](writer, path)
                    if fault == "stall":
                        # Nothing more comes until the client has lost its patience.
                        await reader.read()
                    break
                writer.write(self._page(path))
                await writer.drain()
        writer.close()

    def _page(self, path: str) -> bytes:
        if path == "/list":
            return answer("200 OK", "".join(f'<li><a href="/thing/{n}">x</a>' for n in range(self.things)).encode())
        if path.startswith("/thing/"):
            return answer("200 OK", f"<main><h1>Thing {path.rpartition('/')[2]}</h1></main>".encode())
        return answer("404 Not Found", b"")


async def _reset(writer: Writer, path: str) -> None:
    connection = writer.get_extra_info("socket")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def _hang_up(writer: Writer, path: str) -> None:
    """Not a word."""


async def _stall(writer: Writer, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\n<main>")


async def _truncate(writer: Writer, path: str) -> None:
    writer.write(answer("200 OK", b"<main><h1>Half a pa", length=5000))


async def _cut_chunk(writer: Writer, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n<main>")


async def _understate(writer: Writer, path: str) -> None:
    writer.write(answer("200 OK", b"<main><h1>Thing</h1></main>", length=3))


async def _wrong_type(writer: Writer, path: str) -> None:
    writer.write(answer("200 OK", b"<main><h1>Thing</h1></main>", "Content-Type: image/png"))


async def _no_markup(writer: Writer, path: str) -> None:
    writer.write(answer("200 OK", bytes(range(256)) * 10))


async def _garbage(writer: Writer, path: str) -> None:
    writer.write(b"\x16\x03\x01 this is not HTTP\r\n\r\n")


async def _error(writer: Writer, path: str) -> None:
    writer.write(answer("500 Internal Server Error", b"<main><h1>Error</h1></main>"))


async def _circle(writer: Writer, path: str) -> None:
    writer.write(answer("302 Found", b"", f"Location: {path}"))


async def _bomb(writer: Writer, path: str) -> None:
    writer.write(answer("200 OK", _packed_bomb(), "Content-Encoding: gzip"))
    await writer.drain()


@cache
def _packed_bomb() -> bytes:
    """300 megabytes in less than two."""
    return gzip.compress(b"<p>" * 100_000_000, 1)


async def _endless(writer: Writer, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n")
    while True:
        writer.write(b"<p>more" * 10_000)
        await writer.drain()


async def _endless_headers(writer: Writer, path: str) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X-More: " + b"x" * 1000 + b"\r\n")
        await writer.drain()


async def _not_packed(writer: Writer, path: str) -> None:
    writer.write(answer("200 OK", b"<main><h1>Thing</h1></main>", "Content-Encoding: gzip"))


async def _cut_packed(writer: Writer, path: str) -> None:
    """Half of a compressed page, whose length is announced as that half's."""
    packed = gzip.compress(b"<main><h1>Thing</h1></main>" + bytes(range(256)))
    writer.write(answer("200 OK", packed[: len(packed) // 2], "Content-Encoding: gzip"))


FAULTS: dict[str, Callable[[Writer, str], Awaitable[None]]] = {
    "reset": _reset,
    "hang-up": _hang_up,
    "stall": _stall,
    "truncated": _truncate,
    "cut-chunk": _cut_chunk,
    "understated-length": _understate,
    "wrong-type": _wrong_type,
    "no-markup": _no_markup,
    "garbage": _garbage,
    "error": _error,
    "circle": _circle,
    "bomb": _bomb,
    "endless": _endless,
    "endless-headers": _endless_headers,
    "not-packed": _not_packed,
    "cut-packed": _cut_packed,
}
"""Every way to fail, by name."""


@asynccontextmanager
async def faulty_site(things: int) -> AsyncIterator[FaultySite]:
    """Serve a faulty site on a free port of this machine."""
    # A request would wait for it longer than it may.
    _packed_bomb()
    site = FaultySite(things)
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.address = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    try:
        yield site
    finally:
        server.close()
