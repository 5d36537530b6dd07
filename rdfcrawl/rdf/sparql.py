"""Queries and updates at a SPARQL 1.1 server go in, its answers come out; SPARQLWrapper knows how they are asked."""

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
    """One address of a server. Its requests go through a ``ServerAccess``, which says who asks and how patiently.

    SPARQLWrapper alone would take credentials along to wherever the server redirects, answer a digest challenge only by
    changing all requests of the process, give up at once and read answers of any size.
    """

    def __init__(self, address: str, access: ServerAccess) -> None:
        super().__init__(address, agent=f"rdfcrawl/{VERSION}")
        self._access = access

    def ask(self, query: str, accept: str, default: Iterable[str] = (), named: Iterable[str] = ()) -> Reply:
        """Ask a query of any form, of these graphs if any are named; the answer comes in the accepted media type."""
        self._prepare(query, SELECT, URLENCODED, accept)
        self.setOnlyConneg(True)
        for graph in default:
            self.addParameter("default-graph-uri", graph)
        for graph in named:
            self.addParameter("named-graph-uri", graph)
        return self._answered()

    def update(self, text: str) -> None:
        """Carry out an update that may be carried out twice."""
        # As it is: servers take fewer bytes of a form.
        self._prepare(text, INSERT, POSTDIRECTLY, "*/*")
        self._answered()

    def _prepare(self, text: str, kind: str, way: str, accept: str) -> None:
        self.resetQuery()
        self.addCustomHttpHeader("Accept", accept)
        self.setMethod(POST)
        self.setRequestMethod(way)
        # ``setQuery`` would search the text for its kind, which takes minutes for some texts and errs in others.
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
