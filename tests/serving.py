"""A real HTTP server on a free port of this machine, for whatever a test wants to be answered."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@asynccontextmanager
async def serving(
    answer: Answer, *, context: ssl.SSLContext | None = None, host: str = "127.0.0.1"
) -> AsyncIterator[str]:
    """Let one function answer every request; yields the address of the server, without a final slash."""
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, host, 0, ssl_context=context).start()
    try:
        yield f"{'https' if context else 'http'}://{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
