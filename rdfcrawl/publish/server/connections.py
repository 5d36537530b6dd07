"""Connections with time limits: a client that sends no request, or reads no answer, is disconnected.

uvicorn closes a connection that is idle after an answer, but waits for a first request, for the rest of a request and
for the reader of an answer for as long as they take.
"""

from __future__ import annotations

import asyncio
import resource
import socket
import struct

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from rdfcrawl.dataclass import dataclass

_CONNECTIONS = 1000
_FEWEST = 16
_AT_ONCE = struct.pack("ii", 1, 0)


@dataclass(frozen=True, slots=True)
class Patience:
    """Seconds that a client may take for a whole request, and for reading some of what it is sent."""

    request: float = 15.0
    reading: float = 60.0
    connections: int = _CONNECTIONS


def make_server(app: ASGIApp, patience: Patience | None = None) -> uvicorn.Server:
    """The server for an application; it is given its sockets when it is run."""
    chosen = patience or Patience(connections=_affordable())

    class Guarded(GuardedConnection):
        """A connection with this patience; uvicorn makes its connections itself."""

        patience = chosen

    # Upgrades would leave the guard behind, and a client's mistakes are no news for the one who runs the server.
    config = uvicorn.Config(
        app, http=Guarded, ws="none", log_level="error", access_log=False, server_header=False, lifespan="on"
    )
    return uvicorn.Server(config)


class GuardedConnection(H11Protocol):
    """A connection that is closed when its client takes too long, or when there are too many that wait."""

    patience = Patience()
    _waiting_since = 0.0
    _stalled_since: float | None = None
    _check: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; if there are too many connections, the one that has waited longest is closed."""
        super().connection_made(transport)
        self._waiting_since = self.loop.time()
        self._look_after()
        if len(self.connections) > self.patience.connections:
            waiting = [other for other in self.connections if isinstance(other, GuardedConnection) and other.waits]
            min(waiting, key=lambda other: other._waiting_since)._break_off()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop watching it."""
        if self._check is not None:
            self._check.cancel()
        super().connection_lost(exc)

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        self._waiting_since = self.loop.time()
        super().on_response_complete()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is sent to."""
        self._stalled_since = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """It has read some of it."""
        self._stalled_since = None
        super().resume_writing()

    @property
    def waits(self) -> bool:
        """Whether the client has still to send its request, or the rest of it."""
        return self.conn.their_state in (h11.IDLE, h11.SEND_BODY) and not self.transport.is_closing()

    def _look_after(self) -> None:
        now = self.loop.time()
        if self.transport.is_closing() and self._stalled_since is None:
            # The end of an answer is still to be read.
            self._stalled_since = now
        late = self.waits and now - self._waiting_since >= self.patience.request
        stalled = self._stalled_since is not None and now - self._stalled_since >= self.patience.reading
        if late or stalled:
            self._break_off()
        else:
            often = min(self.patience.request, self.patience.reading) / 4
            self._check = self.loop.call_later(often, self._look_after)

    def _break_off(self) -> None:
        # Without this, the system would keep what the client has not read, and go on offering it.
        self.transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _AT_ONCE)
        self.transport.abort()


def _affordable() -> int:
    """As many connections as leave half of the files that this process may open to everything else."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(_FEWEST, min(_CONNECTIONS, files // 2)) if files != resource.RLIM_INFINITY else _CONNECTIONS
