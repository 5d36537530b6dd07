"""``/query/NAME``: a query that the publisher has saved, with its answer; for programs only the answer."""

from __future__ import annotations

import asyncio

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.sparql import protocol
from rdfcrawl.publish.sparql.result import result_of
from rdfcrawl.publish.web.presentation import Showing
from rdfcrawl.publish.web.site import not_found, render, site_of
from rdfcrawl.store.query.answer import QueryAnswer
from rdfcrawl.store.query.saved import SavedQuery

_BROKEN = (400, 413, 504)
"""What is the fault of a query; what else goes wrong is not."""


async def saved_query(request: Request) -> Response:
    """Answer the query of that name, within the limits and the turns of every query."""
    saved = await asyncio.to_thread(site_of(request).queries.get, request.path_params["name"])
    if saved is None:
        raise not_found("there is no saved query of that name")
    asked = protocol.asked_for(saved.text, request.query_params)
    for_people = protocol.is_for_people(request, asked)
    try:
        if saved.problem:
            raise HTTPException(400, f"the file {saved.problem}")
        if not for_people:
            return await protocol.answer_programs(request, asked, saved.name)
        answer = await protocol.answer_people(request, asked)
    except HTTPException as error:
        if error.status_code in _BROKEN and not saved.problem:
            site_of(request).queries.complain(saved, error.detail)
        if not for_people:
            raise
        return await asyncio.to_thread(_page, request, saved, error=error)
    with answer.content:
        return await asyncio.to_thread(_page, request, saved, answer=answer)


def _page(
    request: Request, saved: SavedQuery, answer: QueryAnswer | None = None, error: HTTPException | None = None
) -> Response:
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        context = {
            "saved": saved,
            "error": error.detail if error else None,
            "result": result_of(Showing(snapshot, site.addresses), answer) if answer else None,
        }
        status = error.status_code if error else 200
        return render(request, "query.html", snapshot, context, status=status)
