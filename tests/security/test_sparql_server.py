"""A SPARQL server that holds a model or a store: what it answers has a bound before it is held."""

from __future__ import annotations

import asyncio

import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import check_model
from tests.security.raw_site import raw_site


async def test_an_answer_without_end_is_refused() -> None:
    """As a model, which is read by every command."""

    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/turtle\r\nConnection: close\r\n\r\n")
        while True:
            writer.write(b"# aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n" * 32768)
            await writer.drain()

    class Everywhere(dict[str, object]):
        def get(self, key: object, default: object = None) -> object:
            return endless

    async with raw_site(Everywhere()) as site:  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="more than 64 MiB"):
            await asyncio.to_thread(check_model, f"{site.address}/")
