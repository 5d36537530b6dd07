"""The page on which people write queries: examples and saved ones above, the answer below, addresses to share it."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.sparql.examples import declared, examples
from rdfcrawl.publish.sparql.result import result_of
from rdfcrawl.publish.web.documents import usable_prefixes
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.site import EDITOR, STRICT_POLICY, render, site_of
from rdfcrawl.store.query.answer import QueryAnswer

LONGEST_ADDRESS: Final = 8000
"""Servers and browsers refuse addresses that are much longer."""


def page(
    request: Request, query: str | None = None, answer: QueryAnswer | None = None, error: HTTPException | None = None
) -> Response:
    """The editor, with a query, and with its answer or what is wrong with it."""
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        found = examples(snapshot, request.url.path.endswith("/changes"))
        first = found[0].query if found else "SELECT * { ?s ?p ?o } LIMIT 10"
        rich = (EDITOR / "yasgui.min.js").exists()
        written = query if query is not None else first
        if rich and answer is not None:
            # The rich editor does not know the prefixes that need not be declared, and would call them mistakes.
            written = declared(snapshot.schema.prefixes, answer.undeclared) + written
        context = {
            "examples": found,
            "saved": [one for one in site.queries.all() if not one.problem],
            "query": written,
            "asked": query,
            "shared": _shared(site.root(request) + request.url.path, query) if query else None,
            "error": error.detail if error else None,
            "endpoint": request.url.path,
            "prefixes": sorted(usable_prefixes(snapshot.schema.prefixes).items()),
            "rich": rich,
            "limits": site.limits,
            "result": result_of(Showing(snapshot, site.addresses), answer) if answer else None,
        }
        # The rich editor sets styles from script; nothing of it is ever loaded from elsewhere.
        policy = STRICT_POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
        headers = {"Content-Security-Policy": policy} if rich else {}
        status = error.status_code if error else 200
        return render(request, "sparql.html", snapshot, context, status=status, headers=headers)


def _shared(endpoint: str, query: str) -> tuple[str, str] | None:
    """The addresses that open a query, and that open and run it; none for a query that is too long for an address."""
    # Forms send the ends of lines as HTTP has them.
    runs = f"{endpoint}?{urlencode({'query': query.replace(chr(13), '')})}"
    return (f"{runs}&run=no", runs) if len(runs) <= LONGEST_ADDRESS else None
