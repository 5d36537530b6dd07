"""Pages fetched for a draft: with good manners, in the browser where scripts bring the content, and each once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.look import Look
from rdfcrawl.drafting.site.tasks import LINKS_AT, LOOK, linked_addresses, looked
from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.visit import Means, fetch_documents
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.errors import BrowserMissing, UsageError
from rdfcrawl.metamodel.kinds.links_page import links_at

_ANY: Final = links_at("//a")
_FEW_TEXTS: Final = 8


@dataclass(frozen=True, slots=True)
class Seen:
    """A page that was looked at; ``number`` is its place among the documents, ``asked`` the address as it was given."""

    number: int
    asked: str
    address: str
    look: Look
    rendered: bool


class Visitor:
    """Fetches pages and has workers look at them; all ``documents`` are kept for the draft."""

    def __init__(self, means: Means, engine: Engine, tell: Callable[[str], None]) -> None:
        self._means = means
        self._engine = engine
        self._tell = tell
        self._seen: dict[str, Seen] = {}
        self._needs_browser = False
        self._browser_missing = False
        self.documents: list[Fetched] = []

    @property
    def has_browser(self) -> bool:
        """Whether pages of which plain HTTP shows little are read in the browser, too."""
        return self._engine is not Engine.HTTP and not self._browser_missing

    async def see(self, address: str) -> Seen:
        """Look at a page; raises ``UsageError`` if it cannot be had."""
        try:
            return await self._see(address)
        except (FetchFailed, DocumentError) as failure:
            raise UsageError(f"{address}: {failure}") from failure
        except WorkerFailure as failure:
            from rdfcrawl.engine.crawl.boundary import internal_reason

            raise UsageError(f"{address}: {internal_reason(failure)}") from failure

    async def try_to_see(self, address: str, doubts: list[str]) -> Seen | None:
        """Look at a page that others lead to; one that cannot be had is a doubt."""
        try:
            return await self.see(address)
        except UsageError as error:
            doubts.append(str(error))
            return None

    async def addresses(self, path: str, seen: Seen) -> list[str]:
        """Where the links lead that a path finds on a page."""
        documents = [self.documents[seen.number]]
        return await self._means.pool.perform(LINKS_AT, documents, {"path": path}, linked_addresses)

    async def see_scrolled(self, seen: Seen, path: str, milliseconds: int) -> int:
        """How many links a path finds after scrolling to the end of a page."""
        page = links_at(path, milliseconds)
        documents = await fetch_documents(
            self._means, Request(seen.address, page, home=origin_of(seen.address)), Engine.BROWSER
        )
        return len(await self._means.pool.perform(LINKS_AT, documents[-1:], {"path": path}, linked_addresses))

    async def _see(self, address: str) -> Seen:
        if address not in self._seen:
            self._tell(f"reading {address}")
            first = self._engine
            if first is Engine.AUTO:
                first = Engine.BROWSER if self._needs_browser else Engine.HTTP
            seen = await self._read(address, first)
            if self._engine is Engine.AUTO and first is Engine.HTTP and _is_poor(seen[1]):
                seen = await self._in_browser(address, seen)
            fetched, look = seen
            self.documents.append(fetched)
            self._seen[address] = Seen(len(self.documents) - 1, address, fetched.address, look, fetched.rendered)
        return self._seen[address]

    async def _in_browser(self, address: str, plain: tuple[Fetched, Look]) -> tuple[Fetched, Look]:
        """The page in the browser if that shows more of it."""
        if self._browser_missing:
            return plain
        try:
            rendered = await self._read(address, Engine.BROWSER)
        except (FetchFailed, DocumentError):
            return plain
        except BrowserMissing as error:
            self._browser_missing = True
            self._tell(f"{address}: plain HTTP shows little of it; a browser might help. {error}")
            return plain
        if rendered[1].texts <= plain[1].texts + _FEW_TEXTS and not _is_poor(plain[1]):
            return plain
        if rendered[1].texts <= plain[1].texts:
            return plain
        self._needs_browser = True
        return rendered

    async def _read(self, address: str, engine: Engine) -> tuple[Fetched, Look]:
        request = Request(address, _ANY, home=origin_of(address))
        fetched = (await fetch_documents(self._means, request, engine))[0]
        return fetched, await self._means.pool.perform(LOOK, [fetched], {}, looked)


def _is_poor(look: Look) -> bool:
    """Whether a page shows so little that scripts may bring the rest."""
    has_nothing = look.texts < _FEW_TEXTS or (not look.lists and not look.rows and look.texts < 3 * _FEW_TEXTS)
    return has_nothing and not look.is_data
