"""``rdfcrawl serve``: publishes a store on the web."""

from __future__ import annotations

import errno
import socket
from ipaddress import ip_address
from typing import Annotated

import typer

from rdfcrawl.cli.console import err
from rdfcrawl.errors import UsageError
from rdfcrawl.publish.kept.raster import PictureSource
from rdfcrawl.publish.server.connections import make_server
from rdfcrawl.publish.web.app import DEFAULT_LIMITS, create_app
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.query.answer import MIB, QueryLimits


def serve(
    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="The port to listen on; 0 picks a free one.", min=0, max=65535)] = 8000,
    base: Annotated[
        str | None,
        typer.Option(help="The beginning of the IRIs that this server publishes, such as http://data.example.org/"),
    ] = None,
    title: Annotated[str, typer.Option(help="The name of the data set.")] = "rdfcrawl",
    timeout: Annotated[float, typer.Option(help="Time limit of a query, in seconds.", min=0.1)] = 30.0,
    rows: Annotated[int, typer.Option(help="Row limit of an answer.", min=1)] = DEFAULT_LIMITS.rows or 100_000,
    memory: Annotated[int, typer.Option(help="Memory limit of a query, in MiB.", min=64)] = 1024,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ORIGIN",
            help="Let scripts of this website read the data, such as https://app.example.org; * for all.",
        ),
    ] = None,
    pictures: Annotated[bool, typer.Option("--pictures", help="Show kept pictures of objects.")] = False,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Publish a store: pages for people, Linked Data and a SPARQL endpoint."""
    listener = _listen(host, port)
    with listener:
        limits = QueryLimits(timeout, rows, memory * MIB)
        own, found = listener.getsockname()[:2]
        opened = open_store(store, create=False).local()
        app = create_app(
            opened,
            base=base,
            limits=limits,
            title=title,
            origins=allow_origin or (),
            loopback=ip_address(own.partition("%")[0]).is_loopback,
            pictures=_kept_pictures(opened) if pictures else None,
            say=err.print,
        )
        shown = f"[{host}]" if ":" in host else host
        err.print(f"http://{shown}:{found}/  (Ctrl-C stops)")
        try:
            make_server(app).run(sockets=[listener])
        except KeyboardInterrupt:
            # The server has already shut down cleanly when it passes the interrupt on.
            return


def _kept_pictures(store: Store) -> PictureSource:
    # What fetches and archives pages takes half a second to import, and most servers show no pictures.
    from rdfcrawl.engine.inspect.kept_pictures import KeptPictures

    return KeptPictures(store)


def _listen(host: str, port: int) -> socket.socket:
    """Opens the socket before anything else is done, because most errors happen here."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise UsageError(f"port {port} of {host} is in use; choose another one with --port") from None
        raise UsageError(f"cannot listen on {host}, port {port}: {error.strerror or error}") from None
    return listener
