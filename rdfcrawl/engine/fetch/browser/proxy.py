"""The browser's way out: a SOCKS server on this machine that connects only to what the guard admits.

Chromium resolves names and connects by itself, so no check of addresses in front of it would be reliable. Through
this proxy it hands over names, and the address that was checked is the address that is connected to.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
from ipaddress import ip_address
from typing import Final

from rdfcrawl.engine.address import place_of
from rdfcrawl.engine.fetch.guard import AddressGuard
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.problem import ProblemKind

_VERSION: Final = 5
_NO_PASSWORD: Final = b"\x05\x00"
_CONNECT: Final = 1
_IPV4, _NAME, _IPV6 = 1, 3, 4
_GRANTED, _NOT_ALLOWED, _UNREACHABLE, _NO_SUCH_COMMAND = 0, 2, 4, 7
_PORTS: Final = {"http": 80, "https": 443}
_CHUNK: Final = 1 << 16
_MOST_CONNECTIONS: Final = 128
"""More than a browser opens by itself; each of them takes two descriptors."""
_REMEMBERED: Final = 1000
"""Places whose failure is remembered until a page asks for it; a page can name any number."""


class GuardedProxy:
    """Carries the connections of one browser, and remembers why it could not connect to a place."""

    def __init__(self, guard: AddressGuard, connect_seconds: float) -> None:
        self._guard = guard
        self._connect_seconds = connect_seconds
        self._server: asyncio.Server | None = None
        self._tasks: set[asyncio.Task[None]] = set()
        self._failures: dict[tuple[str, int], FetchFailed] = {}

    async def start(self) -> int:
        """Begin to listen; returns the port."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        port: int = self._server.sockets[0].getsockname()[1]
        return port

    def why_not(self, address: str) -> FetchFailed | None:
        """Why the place of an address could not be connected to when that was last tried."""
        place = place_of(address)
        _, colon, port = place.host.rpartition("]")[2].rpartition(":")
        return self._failures.get((place.hostname, int(port) if colon else _PORTS.get(place.scheme, 0)))

    async def close(self) -> None:
        """End all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if len(self._tasks) >= _MOST_CONNECTIONS:
            writer.close()
            return
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # Either side may leave at any moment; that is the end of a connection, not a fault.
        with contextlib.suppress(OSError, asyncio.IncompleteReadError), contextlib.closing(writer):
            wanted = await _wanted(reader, writer)
            if wanted is None:
                _reply(writer, _NO_SUCH_COMMAND)
                return
            self._failures.pop(wanted, None)
            try:
                far_reader, far_writer = await self._connected(*wanted)
            except FetchFailed as refused:
                self._note(wanted, refused)
                _reply(writer, _NOT_ALLOWED)
                return
            except (OSError, TimeoutError, ValueError) as error:
                # Python raises the last one for names that cannot exist.
                self._note(wanted, _unreachable(*wanted, error))
                _reply(writer, _UNREACHABLE)
                return
            with contextlib.closing(far_writer):
                _reply(writer, _GRANTED)
                await _joined(reader, writer, far_reader, far_writer)

    def _note(self, place: tuple[str, int], failure: FetchFailed) -> None:
        self._failures[place] = failure
        if len(self._failures) > _REMEMBERED:
            del self._failures[next(iter(self._failures))]

    async def _connected(self, host: str, port: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        loop = asyncio.get_running_loop()
        found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        addresses = await self._guard.resolved(host, list(dict.fromkeys(str(info[4][0]) for info in found)))
        failure: Exception = OSError("no address")
        for address in addresses:
            try:
                self._guard.check_connection(address)
                async with asyncio.timeout(self._connect_seconds):
                    return await asyncio.open_connection(address, port)
            except (OSError, TimeoutError) as error:
                failure = error
        raise failure


def _unreachable(host: str, port: int, error: Exception) -> FetchFailed:
    match error:
        case socket.gaierror() | UnicodeError():
            reason = f"the host {host} is not known"
        case TimeoutError():
            reason = f"no connection to {host}:{port} in time"
        case _:
            reason = f"no connection to {host}:{port}: {getattr(error, 'strerror', None) or error}"
    return FetchFailed(ProblemKind.UNREACHABLE, reason, transient=True, strained=True)


async def _wanted(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int] | None:
    """The host and port that the client asks for; ``None`` if it asks for something else."""
    version, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    if version != _VERSION:
        return None
    writer.write(_NO_PASSWORD)
    version, command, _, kind = await reader.readexactly(4)
    if version != _VERSION or command != _CONNECT:
        return None
    if kind == _NAME:
        host = (await reader.readexactly((await reader.readexactly(1))[0])).decode("ascii", "replace")
    elif kind in (_IPV4, _IPV6):
        host = str(ip_address(await reader.readexactly(4 if kind == _IPV4 else 16)))
    else:
        return None
    return host, int.from_bytes(await reader.readexactly(2))


def _reply(writer: asyncio.StreamWriter, code: int) -> None:
    writer.write(bytes((_VERSION, code, 0, _IPV4, 0, 0, 0, 0, 0, 0)))


async def _joined(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    far_reader: asyncio.StreamReader,
    far_writer: asyncio.StreamWriter,
) -> None:
    """Carry bytes both ways until both sides have ended."""
    async with asyncio.TaskGroup() as both:
        both.create_task(_carry(reader, far_writer))
        both.create_task(_carry(far_reader, writer))


async def _carry(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while chunk := await reader.read(_CHUNK):
            writer.write(chunk)
            await writer.drain()
    with contextlib.suppress(OSError):
        # Half-closed is closed for a browser: the other direction ends as well.
        writer.write_eof()
