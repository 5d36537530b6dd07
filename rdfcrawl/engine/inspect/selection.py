"""A page goes in; what selectors find on it comes out, one selector after another, while a person thinks about a model.

The page is fetched once. Selectors are evaluated in a worker, like everything that touches a page.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.crawl.boundary import internal_reason
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.path_diagnosis import where_path_stops
from rdfcrawl.engine.document.tree import Document, Element, Match, PathError, address_of, compile_path, element_path
from rdfcrawl.engine.fetch.fetchers import Fetchers
from rdfcrawl.engine.fetch.guard import AddressGuard, NetworkAccess
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed, Request
from rdfcrawl.engine.limits import LOOKING_ON
from rdfcrawl.engine.run.archives import open_replay
from rdfcrawl.engine.workers.messages import Question
from rdfcrawl.engine.workers.pool import WorkerPool
from rdfcrawl.engine.workers.reading import parsed_document
from rdfcrawl.engine.workers.tasks import Workplace
from rdfcrawl.engine.workers.visible import VisiblePage
from rdfcrawl.engine.workers.worker import WorkerFailure
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.kinds.links_page import links_at
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.folder import Store

SELECT: Final = f"{__name__}:select"
_LONGEST_TEXT: Final = 1000
_ANY: Final = links_at("//a")
_NO_MODEL: Final = Model((), {_ANY.iri: _ANY}, "")


@dataclass(frozen=True, slots=True)
class SelectedNode:
    """What a selector has found: where it is, unless it is a text, what people read there, and where it leads."""

    place: str | None
    text: str
    address: str | None


@dataclass(frozen=True, slots=True)
class Selection:
    """How much a selector finds, and the first of it.

    ``roots`` is the number of elements that it was evaluated in, ``roots_with`` in how many of them it finds something.
    ``stopped`` says how far it leads if it finds nothing.
    """

    count: int
    roots: int
    roots_with: int
    first: tuple[SelectedNode, ...]
    stopped: str | None = None


class SelectorMistake(UsageError):
    """A selector that cannot be evaluated; the message quotes it."""


class OpenPage:
    """A page that was fetched, to try selectors on."""

    def __init__(self, fetched: Fetched, engine: Engine, pool: WorkerPool) -> None:
        self._fetched = fetched
        self._pool = pool
        self.engine = engine

    @property
    def address(self) -> str:
        """The address of the page, after redirects."""
        return self._fetched.address

    async def select(self, selector: str, within: str | None = None, most: int = 10) -> Selection:
        """What a selector finds in the page, or inside each element that ``within`` finds; at most ``most`` are shown.

        Raises ``SelectorMistake``.
        """
        options: Mapping[str, str | None] = {"selector": selector, "within": within, "most": str(most)}
        try:
            return await self._pool.perform(SELECT, [self._fetched], options, _selection)
        except PathError as error:
            raise SelectorMistake(str(error)) from None
        except (DocumentError, FetchFailed) as failure:
            raise SelectorMistake(str(failure)) from failure
        except WorkerFailure as failure:
            raise SelectorMistake(internal_reason(failure)) from failure

    async def text(self) -> VisiblePage:
        """What people read on the page."""
        return await self._pool.visible_text(_ANY.iri, self._fetched)


class Pages:
    """Opens pages, one after another."""

    def __init__(self, fetchers: Fetchers, pool: WorkerPool) -> None:
        self._fetchers = fetchers
        self._pool = pool

    async def open(self, address: str, engine: Engine) -> OpenPage:
        """Fetch a page; raises ``UsageError`` if that fails."""
        chosen = Engine.HTTP if engine is Engine.AUTO else engine
        request = Request(address, _ANY, home=origin_of(address))
        try:
            fetched = await anext(aiter(self._fetchers[chosen].open(request)))
        except (FetchFailed, DocumentError) as failure:
            raise UsageError(f"{address}: {failure}") from failure
        return OpenPage(fetched, chosen, self._pool)


@asynccontextmanager
async def page_opener(
    address: str, *, replay: str | None = None, store: Store | None = None, notice: Callable[[str], None]
) -> AsyncIterator[Pages]:
    """What opens pages of a site, from the network or from a replay; the address says which networks are meant."""
    source = open_replay(replay, store) if replay else None
    access = NetworkAccess(AddressGuard((address,)), {})
    async with (
        aclosing(WorkerPool.started(LOOKING_ON, _NO_MODEL, processes=1)) as pool,
        Fetchers(access=access, replay=source, notice=notice) as fetchers,
    ):
        yield Pages(fetchers, pool)


def select(workplace: Workplace, question: Question) -> bytes:
    """The task of a worker: what a selector finds in a document."""
    (fetched,) = question.documents
    document = parsed_document(fetched, workplace.limits, with_scripts=True)
    options = question.options
    selector, within, most = options["selector"] or "", options["within"], int(options["most"] or 0)
    roots = [document.root] if within is None else _elements(document, within)
    path = compile_path(selector)
    found = [document.select(path, root, outer=document.root, root=root) for root in roots]
    matches = [match for some in found for match in some]
    stopped = None
    if not matches:
        root = roots[0] if roots else document.root
        missing = selector if roots else within or ""
        stopped = where_path_stops(document, missing, root, outer=document.root, root=root)
    first = [_shown(document, match) for match in matches[:most]]
    said = {"count": len(matches), "roots": len(roots), "with": sum(map(bool, found)), "first": first}
    return json.dumps(said | {"stopped": stopped}).encode()


def _elements(document: Document, path: str) -> list[Element]:
    found = document.select(compile_path(path), document.root, outer=document.root, root=document.root)
    return [match for match in found if not isinstance(match, str)]


def _shown(document: Document, match: Match) -> tuple[str | None, str, str | None]:
    text = document.text_of(match)[:_LONGEST_TEXT].encode(errors="replace").decode()
    if isinstance(match, str):
        return None, text, None
    # Any text of JSON could be an address; most are none.
    leads = not document.is_data(match) or text.startswith(("http://", "https://", "/"))
    return element_path(match), text, address_of(match, document.base) if leads else None


def _selection(result: bytes) -> Selection:
    node = strict.row(strict.text_or_none, strict.text, strict.text_or_none)
    counts = dict.fromkeys(("count", "roots", "with"), strict.count)
    checks = {**counts, "first": strict.listed(node), "stopped": strict.text_or_none}
    values = strict.whole_record(strict.plain(result), **checks)
    first = tuple(SelectedNode(*one) for one in values["first"])
    return Selection(values["count"], values["roots"], values["with"], first, values["stopped"])
