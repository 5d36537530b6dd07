"""A bookshop made on the fly: paged lists, detail pages with nested reviews, authors that several books share."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from tests.serving import serving

BOOKS_PER_PAGE = 20

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix book: <property://book/> . @prefix review: <property://review/> . @prefix author: <property://author/> .
@prefix link: <link://> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<model:> :section <{start}> .
<{start}> :page page:books .
page:books :type type:links ; :path "//li/a" ; :next "//a[@class='next']" ; :target page:book .
page:book :type type:object ; :item item:book ; :sub page:reviews ; :link link:author ; :param "ref" .
page:reviews :type type:objects ; :item item:review .
page:author :type type:object ; :item item:author .
link:author :path ".//a[@class='author']" ; :target page:author .
item:book :path "//main" ; :property book:title , book:price .
item:review :path ".//p[@class='review']" ; :property review:text .
item:author :path "//main" ; :property author:name .
book:title :path ".//h1" .
book:price :path ".//span[@class='price']" ; :pattern "[\\\\d,]+" ; :type xsd:decimal ;
    :replace [ :old "," ; :new "." ] .
review:text :path "." .
author:name :path ".//h1" .
"""


@dataclass(slots=True)
class BookSite:
    """A running shop with ``books`` books; ``asked`` counts the requests, ``on_request`` is called for each."""

    books: int
    address: str = ""
    asked: Counter[str] = field(default_factory=Counter)
    on_request: Callable[[str], Awaitable[None]] | None = None

    @property
    def start(self) -> str:
        return f"{self.address}/books"

    @property
    def model(self) -> str:
        return MODEL.format(start=self.start)

    @property
    def pages(self) -> int:
        """How many pages a whole crawl reads."""
        lists = -(-self.books // BOOKS_PER_PAGE)
        return lists + self.books + len({_author(number) for number in range(self.books)})

    async def handle(self, request: web.Request) -> web.Response:
        if request.path == "/robots.txt":
            return web.Response(status=404)
        self.asked[request.path_qs.partition("?ref=")[0]] += 1
        if self.on_request:
            await self.on_request(request.path_qs)
        match request.path.split("/")[1:]:
            case ["books"]:
                text = self._list(int(request.query.get("page", "0")))
            case ["book", number]:
                text = _book(int(number))
            case ["author", number]:
                text = f"<main><h1>Author {number}</h1></main>"
            case _:
                return web.Response(status=404)
        return web.Response(text=f"<!DOCTYPE html><title>Books</title>{text}", content_type="text/html")

    def _list(self, page: int) -> str:
        first = page * BOOKS_PER_PAGE
        numbers = range(first, min(first + BOOKS_PER_PAGE, self.books))
        entries = "".join(f'<li><a href="/book/{number}?ref=list{page}">Book {number}</a>' for number in numbers)
        more = first + BOOKS_PER_PAGE < self.books
        return f"<ul>{entries}</ul>" + (f'<a class="next" href="/books?page={page + 1}">more</a>' if more else "")


def _author(number: int) -> int:
    return number % 11


def _book(number: int) -> str:
    reviews = "".join(f'<p class="review">Review {review} of book {number}' for review in range(number % 4))
    return (
        f'<main><h1>Book {number}</h1> <span class="price">€ {number % 90},{number % 10}0</span>'
        f'<a class="author" href="/author/{_author(number)}">author</a>{reviews}</main>'
    )


@asynccontextmanager
async def book_site(books: int, *, host: str = "127.0.0.1") -> AsyncIterator[BookSite]:
    """Serve a shop on a free port of this machine."""
    site = BookSite(books)
    async with serving(site.handle, host=host) as site.address:
        yield site
