"""Pages from a source that answers in place of the network."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Final

from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.fetch.answers import UNREAD_LENGTH, redirect_target, refuse_errors
from rdfcrawl.engine.fetch.large_bodies import LARGE_BYTES
from rdfcrawl.engine.fetch.session import Exchange, Fetched, FetchFailed, Glance, Recorder, Request, Source, Submission
from rdfcrawl.engine.problem import ProblemKind

_MAX_REDIRECTS: Final = 10
_KEEPING_METHOD: Final = (307, 308)


class ReplayFetcher:
    """Fetches from a folder or an archive; no network is involved."""

    def __init__(
        self, source: Source, *, missing: ProblemKind = ProblemKind.GONE, recorder: Recorder | None = None
    ) -> None:
        """``missing`` is the kind of problem that a page missing in the source is."""
        self._source = source
        self._missing = missing
        self._recorder = recorder

    async def open(self, request: Request) -> AsyncIterator[Fetched]:
        """The one document at the address, after the redirects that were recorded."""
        sent = request.submission
        address = sent.address if sent else request.address
        if request.glance is not None:
            yield await self._glanced(address, request.glance)
            return
        for _ in range(_MAX_REDIRECTS + 1):
            exchange = await self._answer(address, sent)
            if len(exchange.body) > LARGE_BYTES and request.room is not None:
                await request.room()
            location = redirect_target(exchange)
            if location is None:
                headers = {name.lower(): value for name, value in exchange.headers}
                _refuse_errors(exchange.status, headers)
                yield Fetched(address.partition("#")[0], exchange.status, headers, exchange.body)
                return
            if exchange.status not in _KEEPING_METHOD:
                sent = None
            try:
                address = resolve(location, address)
            except BadAddress as error:
                raise FetchFailed(ProblemKind.UNREACHABLE, f"the redirect leads nowhere: {error}") from error
        raise FetchFailed(ProblemKind.UNREACHABLE, f"more than {_MAX_REDIRECTS} redirects, last to {address}")

    async def _answer(self, address: str, sent: Submission | None = None) -> Exchange:
        exchange = await self._source.answer(address, sent.method if sent else "GET", sent.body if sent else None)
        if exchange is None:
            raise FetchFailed(self._missing, "the replay has no answer for this address")
        if self._recorder:
            self._recorder.record(exchange)
        return exchange

    async def _glanced(self, address: str, glance: Glance) -> Fetched:
        """The recorded answer itself; its body only if it was wanted, then or now."""
        exchange = await self._answer(address)
        headers = {name.lower(): value for name, value in exchange.headers}
        _refuse_errors(exchange.status, headers)
        length = headers.get(UNREAD_LENGTH)
        is_whole = (
            length is None
            and glance.with_body
            and redirect_target(exchange) is None
            and glance.wanted(headers.get("content-type"))
            and len(exchange.body) <= glance.most_bytes
        )
        if not is_whole:
            headers["content-length"] = str(len(exchange.body)) if length is None else length
        body = exchange.body if is_whole else b""
        return Fetched(address.partition("#")[0], exchange.status, headers, body, is_whole=is_whole)

    async def close(self) -> None:
        """Do nothing: nothing is held open."""


def _refuse_errors(status: int, headers: Mapping[str, str]) -> None:
    """As over HTTP, but nothing is worth a second try: the answer stays the same."""
    try:
        refuse_errors(status, headers)
    except FetchFailed as failure:
        raise FetchFailed(failure.kind, failure.reason, status=failure.status) from None
