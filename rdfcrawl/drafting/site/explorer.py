"""The way into a site: which of its pages are fetched, and what kinds of pages they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Final
from urllib.parse import parse_qsl, urlsplit

from rdfcrawl.dataclass import dataclass
from rdfcrawl.drafting.reading.look import FoundList, Look, common_path
from rdfcrawl.drafting.reading.tracking import is_tracking, tracking_parameters
from rdfcrawl.drafting.site.judging import (
    LIST_SHARE,
    TABLE_SHARE,
    alike,
    best_list,
    common_addresses,
    is_list,
    spread,
)
from rdfcrawl.drafting.site.plan import LINKS, OBJECT, OBJECTS, PageKind, SitePlan
from rdfcrawl.drafting.site.visitor import Seen, Visitor
from rdfcrawl.errors import NothingToDraft

SAMPLES: Final = 6
_LEAST_SAMPLES: Final = 2
_LEAST_SHARE: Final = 0.15
_ROWS_SHARE: Final = 0.35
_SAME_KIND: Final = 0.85
_DEEPEST: Final = 3
_SUB_SAMPLES: Final = 4
_SCROLL_MILLISECONDS: Final = 2000
_DATA: Final = {"json": "JSON", "table": "CSV"}
"""What the names of the outermost elements of data say about them."""
_WALL_TEXTS: Final = 100
"""A page with a field for a password and more texts than this only offers a login."""


@dataclass(slots=True)
class Explorer:
    """Looks at one page after the other until there is enough to draft from; ``doubts`` is what it was unsure of."""

    visitor: Visitor
    tell: Callable[[str], None]
    doubts: list[str] = field(default_factory=list)
    _kinds: list[Look] = field(default_factory=list)

    async def explore(self, addresses: Sequence[str], most: int) -> SitePlan:
        """What the given pages lead to; raises ``NothingToDraft`` with one sentence if that is nothing."""
        given = [await self._see_useful(address) for address in dict.fromkeys(addresses)]
        starts = [seen.asked for seen in given]
        if len(given) > 1 and not self._are_lists(given):
            self.tell(f"taking the {len(given)} pages as pages of one object each")
            first = await self._details(given, depth=1)
        else:
            first = await self._list(given)
        return SitePlan(starts, first, most, list(self.doubts))

    async def _see_useful(self, address: str) -> Seen:
        """A page that was given; one that is of no use is refused before others are read."""
        seen = await self.visitor.see(address)
        look = seen.look
        if look.has_password and look.texts < _WALL_TEXTS and not (look.lists and look.lists[0].share >= LIST_SHARE):
            reason = "this page asks for a login; a draft needs pages that everyone can read"
        elif look.is_flooded:
            reason = f"this page has {look.links:,} links, too many to look for a list in them"
        elif look.is_data:
            what = _DATA.get(look.root, "XML")
            reason = f"this is {what}; drafts are made of HTML pages, but a model can read it (docs/metamodel.md)"
        elif look.is_bare:
            reason = "this page shows next to no text"
            reason += ", in the browser neither" if self.visitor.has_browser else "; perhaps a browser shows more of it"
        else:
            return seen
        raise NothingToDraft(f"{seen.address}: {reason}")

    def _are_lists(self, given: Sequence[Seen]) -> bool:
        """Whether the pages have lists of their own; what stands on all of them is navigation."""
        common = common_addresses(given)
        return sum(is_list(seen.look, common) for seen in given) * 2 > len(given)

    async def _list(self, given: Sequence[Seen], depth: int = 0) -> PageKind:
        """The kind of a list page, and what its entries lead to."""
        page = given[0]
        best = best_list(page.look, frozenset(), _LEAST_SHARE)
        if page.look.rows >= _ROWS_SHARE and (best is None or best.share * 2 < page.look.rows):
            return await self._objects(given)
        if best is None:
            raise NothingToDraft(
                f"{page.address}: there is no list of records on this page; name the address of a list, "
                "or of two or more pages that describe one thing each"
            )
        self.tell(f"{page.address}: a list of {len(best.addresses)} links at {best.paths[0]}")
        kind = PageKind(LINKS, [page.number], path=best.paths[0], render=page.rendered)
        pages = list(given)
        await self._go_on(kind, page)
        if len(pages) == 1 and page.look.next_address:
            pages += await self._next_page(kind, page, best)
        if len(pages) > 1:
            kind.path = common_path(best.paths, [found for seen in pages[1:] for found in seen.look.lists]) or kind.path
        elif kind.next is None:
            self.doubts.append(f"{page.address} is the only list page that was seen: it has no button to a next one")
        found = [await self.visitor.addresses(kind.path or "", seen) for seen in pages]
        kind.documents = [seen.number for seen in pages]
        known = len(self.doubts)
        details = await self._visit(spread(found, SAMPLES))
        if not details:
            why = f", such as {self.doubts[known]}" if self.doubts[known:] else ""
            raise NothingToDraft(f"{page.address}: none of the pages that its list leads to shows anything{why}")
        if depth == 0 and _are_categories(details):
            self.tell(f"the links lead to lists again, such as {details[0].address}")
            kind.target = await self._list(details[:2], depth + 1)
        else:
            kind.target = await self._details(details, depth=1)
            kind.target.params = tracking_parameters(address for each in found for address in each)
        return kind

    async def _next_page(self, kind: PageKind, page: Seen, best: FoundList) -> list[Seen]:
        following = await self.visitor.try_to_see(page.look.next_address or "", self.doubts)
        if following is None:
            return []
        if common_path(best.paths, following.look.lists) or await self.visitor.addresses(best.paths[0], following):
            self.tell(f"{following.address}: the next page of the list")
            return [following]
        kind.next = None
        self.doubts.append(f"{page.look.next_path} looks like a next button, but leads to another sort of page")
        return []

    async def _go_on(self, kind: PageKind, page: Seen) -> None:
        """Find out how a list goes on: a next button, a button that loads more, or scrolling."""
        kind.next, kind.more = page.look.next_path, page.look.more
        if kind.next is None and kind.more is None and page.rendered:
            scrolled = await self.visitor.see_scrolled(page, kind.path or "//a", _SCROLL_MILLISECONDS)
            if scrolled > len(await self.visitor.addresses(kind.path or "//a", page)):
                self.tell(f"{page.address}: more entries are loaded at the end of the page")
                kind.scroll = _SCROLL_MILLISECONDS

    async def _objects(self, given: Sequence[Seen]) -> PageKind:
        page = given[0]
        self.tell(f"{page.address}: rows without pages of their own")
        kind = PageKind(OBJECTS, [seen.number for seen in given], render=page.rendered)
        kind.next, kind.more = page.look.next_path, page.look.more
        if page.look.next_address and len(given) == 1:
            following = await self.visitor.try_to_see(page.look.next_address, self.doubts)
            if following is not None and following.look.rows >= _ROWS_SHARE:
                kind.documents.append(following.number)
            elif following is not None:
                kind.next = None
        return kind

    async def _details(self, pages: Sequence[Seen], depth: int) -> PageKind:
        """The kind of pages with one object each, and of the lists of links inside them."""
        similar = alike(pages)
        if len(similar) < _LEAST_SAMPLES:
            raise NothingToDraft(
                f"{pages[0].address}: fewer than {_LEAST_SAMPLES} pages could be read and "
                "resemble each other, which is too few to draft from"
            )
        for seen in pages:
            if seen not in similar:
                self.doubts.append(f"{seen.address} is built otherwise than the other pages and was left out")
        self.tell(f"{len(similar)} sample pages, such as {similar[0].address}")
        kind = PageKind(OBJECT, [seen.number for seen in similar], render=similar[0].rendered)
        self._kinds.append(similar[0].look)
        if depth < _DEEPEST:
            kind.subs = [sub for path in _inner_lists(similar, depth) if (sub := await self._sub(path, similar, depth))]
        return kind

    async def _sub(self, path: str, pages: Sequence[Seen], depth: int) -> PageKind | None:
        """The kind of the pages that a list inside an object leads to, unless it is a kind that is known."""
        found = [await self.visitor.addresses(path, seen) for seen in pages]
        chosen = list(dict.fromkeys([*spread(found, _SUB_SAMPLES), *spread(found[:1], _SUB_SAMPLES)]))
        details = await self._visit(chosen)
        path += _without_dead(chosen, [seen.asked for seen in details], found)
        similar = alike(details)
        if len(similar) < _LEAST_SAMPLES or any(similar[0].look.likeness(known) >= _SAME_KIND for known in self._kinds):
            return None
        self.tell(f"{pages[0].address}: a list of links inside the object, at {path}")
        kind = PageKind(LINKS, path=path, target=await self._details(details, depth + 1))
        if kind.target is not None:
            kind.target.params = tracking_parameters(address for each in found for address in each)
        return kind

    async def _visit(self, addresses: Sequence[str]) -> list[Seen]:
        seen = [await self.visitor.try_to_see(address, self.doubts) for address in addresses]
        return list({one.address: one for one in seen if one is not None and not one.look.is_bare}.values())


def _are_categories(pages: Sequence[Seen]) -> bool:
    """Whether most of the pages consist of a list of links of their own."""
    common = common_addresses(pages)
    lists = [seen for seen in pages if is_list(seen.look, common) and seen.look.rows < TABLE_SHARE]
    return len(pages) > 1 and len(lists) * 3 >= len(pages) * 2


def _inner_lists(pages: Sequence[Seen], depth: int) -> list[str]:
    """Paths of lists that belong to the object: they lead to pages below its own, or are what a deeper page is for."""
    common = common_addresses(pages)
    paths: dict[str, None] = {}
    for seen in pages:
        below = urlsplit(seen.address).path.rstrip("/") + "/"
        for found in seen.look.lists:
            own = sum(urlsplit(address).path.startswith(below) for address in found.addresses)
            is_below = len(below) > 1 and own * 2 > len(found.addresses)
            is_main = depth > 1 and found is best_list(seen.look, common, _LEAST_SHARE)
            if (is_below or is_main) and not common.issuperset(found.addresses):
                paths[found.paths[0]] = None
                break
    return list(paths)[:2]


def _without_dead(tried: Sequence[str], read: Sequence[str], found: Sequence[Sequence[str]]) -> str:
    """The condition that leaves out links that lead nowhere on all pages alike, such as to an unknown season."""
    # A parser is imported with it, which only workers need.
    from rdfcrawl.drafting.reading.xpaths import literal

    for address in tried:
        if address in read:
            continue
        for name, value in parse_qsl(urlsplit(address).query):
            pair = f"{name}={value}"
            pages = sum(any(pair in each for each in addresses) for addresses in found)
            if not is_tracking(name) and pages > 1 and not any(pair in each for each in read):
                return f"[not(contains(@href, {literal(pair)}))]"
    return ""
