"""Pages that are at hand go in; they answer in place of the network."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rdfcrawl.engine.fetch.fetchers import Replay
from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind

GivenPage = tuple[str, bytes | str]
"""The address of a page, and its HTML: as it was sent, or as text."""

_AS_SENT: Final = "text/html"
_AS_TEXT: Final = "text/html; charset=utf-8"


class GivenPages:
    """Answers with pages that somebody has fetched already; there are no others."""

    def __init__(self, pages: Iterable[GivenPage]) -> None:
        self.body_bytes = RunLimits().body_bytes
        self._pages = {address.partition("#")[0]: content for address, content in pages}

    async def answer(self, address: str, method: str = "GET", body: bytes | None = None) -> Exchange | None:
        """The page at the address, if it was given."""
        content = self._pages.get(address.partition("#")[0])
        if content is None:
            return None
        is_text = isinstance(content, str)
        sent = content.encode() if isinstance(content, str) else content
        headers = (("Content-Type", _AS_TEXT if is_text else _AS_SENT),)
        return Exchange(address, method, {}, 200, "", headers, sent)


def given_replay(pages: Iterable[GivenPage]) -> Replay:
    """The pages as what is replayed."""
    return Replay("pages", GivenPages(pages), ProblemKind.UNREACHABLE)
