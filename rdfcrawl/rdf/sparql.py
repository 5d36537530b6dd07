"""Queries and updates at a SPARQL 1.1 server; SPARQLWrapper turns them into requests."""

from __future__ import annotations

import io
from collections.abc import Iterable
from email.message import Message
from http.client import HTTPResponse
from typing import cast
from urllib.response import addinfourl

from SPARQLWrapper import INSERT, POST, POSTDIRECTLY, SELECT, URLENCODED, SPARQLWrapper

from rdfcrawl.rdf.endpoint import Reply, ServerAccess
from rdfcrawl.version import VERSION


class SparqlEndpoint(SPARQLWrapper):
    """One address of a server. Its requests go through a ``ServerAccess``, which adds credentials and retries.

    SPARQLWrapper alone would send credentials wherever the server redirects, answer a digest challenge only by changing
    all requests of the process, never retry, and read answers of any size.
    """

    def __init__(self, address: str, access: ServerAccess) -> None:
        super().__init__(address, agent=f"rdfcrawl/{VERSION}")
        self._access = access

    def ask(self, query: str, accept: str, default: Iterable[str] = (), named: Iterable[str] = ()) -> Reply:
        """Send a query of any form, over the named graphs if there are any; the reply has the accepted media type."""
        self._prepare(query, SELECT, URLENCODED, accept)
        self.setOnlyConneg(True)
        for graph in default:
            self.addParameter("default-graph-uri", graph)
        for graph in named:
            self.addParameter("named-graph-uri", graph)
        return self._answered()

    def update(self, text: str) -> None:
        """Send an update that is safe to repeat."""
        # Not as a form: servers limit the size of forms more strictly.
        self._prepare(text, INSERT, POSTDIRECTLY, "*/*")
        self._answered()

    def _prepare(self, text: str, kind: str, way: str, accept: str) -> None:
        self.resetQuery()
        self.addCustomHttpHeader("Accept", accept)
        self.setMethod(POST)
        self.setRequestMethod(way)
        # ``setQuery`` would search the text for its kind, which takes minutes for some texts and is wrong for others.
        self.queryString, self.queryType = text, kind

    def _answered(self) -> Reply:
        answer = self.query()
        return Reply(answer.info().get("content-type", ""), answer.response.read())

    def _query(self) -> tuple[HTTPResponse, str]:
        request = self._createRequest()
        # SPARQLWrapper appends a question mark to the address of what is not sent as a form.
        address = request.full_url.removesuffix("?")
        body = cast(bytes, request.data)
        reply = self._access.send(request.get_method(), address, body, dict(request.header_items()))
        headers = Message()
        headers["Content-Type"] = reply.content_type
        return cast(HTTPResponse, addinfourl(io.BytesIO(reply.body), headers, address)), self.returnFormat
