"""A shop that takes its time for every answer: ``python benchmarks/sites/slow_site.py PORT ARTICLES SECONDS LOG``.

Notes in the log when each request has come.
"""

from __future__ import annotations

import asyncio
import sys
import time
from pathlib import Path

from aiohttp import web

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from sites.shop import Shop, pages_of


def main() -> None:
    """Serve until the process is ended."""
    port, articles, seconds = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
    pages = dict(pages_of(Shop(articles)))
    with Path(sys.argv[4]).open("w", buffering=1) as log:

        async def answer(request: web.Request) -> web.Response:
            log.write(f"{time.monotonic()}\n")
            await asyncio.sleep(seconds)
            body = pages.get(request.path)
            return web.Response(text=body, content_type="text/html") if body else web.Response(status=404)

        app = web.Application()
        app.router.add_get("/{path:.*}", answer)
        web.run_app(app, host="127.0.0.1", port=port, print=lambda _: print("ready", flush=True))


if __name__ == "__main__":
    main()
