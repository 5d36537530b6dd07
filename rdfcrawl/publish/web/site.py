"""What all handlers share: the store, the addresses, the templates, and how answers are sent."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.data.objects import node_of
from rdfcrawl.publish.data.run_times import minute
from rdfcrawl.publish.data.snapshot import Snapshot, Snapshots
from rdfcrawl.publish.kept.raster import PictureSource
from rdfcrawl.publish.sparql.saved import SavedQueries
from rdfcrawl.publish.web.addresses import Addresses
from rdfcrawl.publish.web.negotiation import GRAPH_FORMATS, HTML, N_QUADS, UNNAMED_QUADS, Format, choose, named
from rdfcrawl.publish.web.readable import readable
from rdfcrawl.store.query.answer import QueryLimits

HERE = Path(__file__).parents[1]
EDITOR = HERE / "static" / "yasgui"
UNTITLED = "rdfcrawl"
STRICT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@dataclass(frozen=True)
class Site:
    """One published store."""

    snapshots: Snapshots
    addresses: Addresses = field(default_factory=Addresses)
    limits: QueryLimits = field(default_factory=QueryLimits)
    title: str = UNTITLED
    queries: SavedQueries = field(default_factory=lambda: SavedQueries(Path()))
    pictures: PictureSource | None = None

    @property
    def is_titled(self) -> bool:
        """Whether the publisher has given it a name."""
        return self.title != UNTITLED

    def root(self, request: Request) -> str:
        """The public root without a slash at its end: from ``--base``, otherwise as the client named it."""
        root = self.addresses.root or str(request.base_url).rstrip("/")
        if node_of(root) is None:
            raise HTTPException(400, "the Host header is not the name of a host")
        return root


def site_of(request: Request) -> Site:
    """The site that a request is for."""
    return cast(Site, request.app.state.site)


def render(
    request: Request,
    template: str,
    snapshot: Snapshot,
    context: Mapping[str, Any],
    *,
    status: int = 200,
    modified: datetime | None = None,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A page for people."""
    site = site_of(request)
    shared = {
        "site": site,
        "addresses": site.addresses,
        "schema": snapshot.schema,
        "path": request.url.path,
        "run_name": snapshot.times.name,
        "has_runs": bool(snapshot.complete),
        "alternates": (),
    }
    body = _templates.get_template(template).render({**shared, **context})
    return send(request, body.encode(), HTML, modified=modified, status=status, headers=headers)


def send(
    request: Request,
    body: bytes,
    form: Format,
    *,
    modified: datetime | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    """A document, or 304 if the client already has it."""
    etag = f'"{hashlib.sha1(body, usedforsecurity=False).hexdigest()}"'
    # Weak, because a compressed answer is not the same bytes.
    sent = {"Vary": "Accept", "ETag": f"W/{etag}", "Cache-Control": "no-cache", **(headers or {})}
    if modified:
        sent["Last-Modified"] = http_date(modified)
    if status == 200 and is_known(request, etag, modified):
        return Response(status_code=304, headers=sent)
    return Response(body, status, sent, media_type=form.content_type)


def link_header(links: Iterable[tuple[str, str]]) -> str:
    """A ``Link`` header of addresses and their parameters."""
    return ", ".join(f"<{quote(address, safe=_IN_ADDRESS)}>; {parameters}" for address, parameters in links)


def http_date(moment: datetime) -> str:
    """A moment as HTTP writes it."""
    return format_datetime(moment.astimezone(UTC).replace(microsecond=0), usegmt=True)


def parse_http_date(text: str) -> datetime | None:
    """The moment that a client names; ``None`` if it is not a valid date."""
    try:
        found = parsedate_to_datetime(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def wants_page(request: Request) -> bool:
    """Whether the client is a browser."""
    return choose(request.headers.get("accept"), _ANY) is HTML


def wants_data(request: Request) -> bool:
    """Whether a page that has a document in RDF is asked for as such."""
    accepted = choose(request.headers.get("accept"), (HTML, *GRAPH_FORMATS))
    return accepted is not HTML or "format" in request.query_params


def negotiated(request: Request, offered: Sequence[Format]) -> Format:
    """The format that a client asks for, in the address or else in its headers.

    Only who asks for N-Quads in the address gets the names of the graphs.
    """
    if wanted := request.query_params.get("format"):
        return format_named(wanted, offered)
    form = choose(request.headers.get("accept"), offered)
    if form is None:
        raise HTTPException(406, f"available formats: {', '.join(form.media for form in offered)}", {"Vary": "Accept"})
    return UNNAMED_QUADS if form is N_QUADS else form


def format_named(name: str, offered: Sequence[Format]) -> Format:
    """The offered format of that name."""
    form = named(name, offered)
    if form is None:
        raise not_found(f"there is no format {name[:40]!r}; available: {', '.join(form.suffix for form in offered)}")
    return form


def not_found(what: str) -> HTTPException:
    """404: there is no such thing."""
    return HTTPException(404, what)


def number(text: str | None, default: int = 1) -> int:
    """A number from a query string."""
    return int(text) if text and text.isascii() and text.isdigit() and len(text) < 16 else default


_ANY = (HTML, Format("txt", "text/plain"))
_IN_ADDRESS = ":/?#[]@!$&'()*+,;=%~"


def is_known(request: Request, etag: str, modified: datetime | None) -> bool:
    """Whether a client already has a document, as the conditions of its request say."""
    known = request.headers.get("if-none-match")
    if known is not None:
        return known.strip() == "*" or etag in (part.strip().removeprefix("W/") for part in known.split(","))
    since = request.headers.get("if-modified-since")
    if since is None or modified is None:
        return False
    moment = parse_http_date(since)
    return moment is not None and modified.replace(microsecond=0) <= moment


def _grouped(count: int) -> str:
    return f"{count:,}".replace(",", "\u202f")


def _asset(name: str) -> str:
    """The address of a static file; it changes when the file does, so that browsers may keep it forever."""
    digest = hashlib.sha1((HERE / "static" / name).read_bytes(), usedforsecurity=False).hexdigest()[:8]
    return f"/static/{name}?{digest}"


_templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_templates.filters["date"] = minute
_templates.filters["grouped"] = _grouped
_templates.filters["readable"] = readable
_templates.globals["asset"] = _asset
