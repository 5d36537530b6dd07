"""Pages of our own making: a shop of books, its lists, and the pages that nobody can draft from."""

from __future__ import annotations

from rdfcrawl.drafting.reading.slots import Sample, read_sample
from rdfcrawl.engine.document.tree import parse

BOOKS = (
    ("The Long Way", "Ada Rowan", "12.50", 312, "March 3, 2011", ("travel", "sea")),
    ("Cold Harbour", "Ben Stark", "9.00", 198, "June 17, 2009", ("crime",)),
    ("Glass Orchard", "Cleo Marsh", "21.75", 540, "October 30, 2014", ("garden", "family", "poems")),
    ("Night Ferry", "Dan Holm", "7.20", 120, "January 9, 2001", ("sea", "crime")),
    ("Paper Moon", "Eva Lind", "15.00", 256, "August 21, 2018", ("family",)),
    ("Salt Road", "Finn Aker", "11.10", 333, "May 5, 2005", ("travel", "history")),
    ("Tin Roof", "Gil Dorn", "8.40", 144, "April 12, 1999", ("poems",)),
    ("Winter Bees", "Hana Voss", "18.90", 401, "December 1, 2020", ("garden", "science")),
)
PER_PAGE = 4
_MENU = (
    '<div id="menu"><ul><li><a href="/">Start</a><li><a href="/about">About us</a>'
    '<li><a href="/help">Help</a></ul></div>'
)


def book_page(number: int) -> str:
    """The page of one book; only some have a subtitle."""
    title, author, price, pages, day, subjects = BOOKS[number]
    subtitle = f'<p class="subtitle">A story in {pages // 50} parts</p>' if number % 3 else ""
    shops = "".join(
        f'<tr><td class="shop">{shop} {title}</td><td class="stock">{number + 2 * place}</td></tr>'
        for place, shop in enumerate(("North", "South", "West", "Harbour"))
    )
    return f"""<!DOCTYPE html><html lang="en"><head><title>{title} - Books</title></head><body>{_MENU}
<div id="book"><h1>{title}</h1>{subtitle}
<table class="facts"><tr><th>Author</th><td>{author}</td></tr><tr><th>Price</th><td>${price}</td></tr>
<tr><th>Pages</th><td>{pages}</td></tr><tr><th>Published</th><td>{day}</td></tr></table>
<ul class="subjects">{"".join(f"<li>{subject}</li>" for subject in subjects)}</ul>
<span class="stars stars-{1 + number % 5}"></span><input id="copies" name="copies" value="{3 + number}">
<table class="shops"><tbody>{shops}</tbody></table></div>
<div id="foot"><p>All prices with tax.</p></div></body></html>"""


def list_page(page: int) -> str:
    """A part of the list of all books."""
    rows = "".join(
        f'<div class="hit"><h2><a class="hit-title" href="/books/{number}">{BOOKS[number][0]}</a></h2>'
        f"<p>by {BOOKS[number][1]}</p></div>"
        for number in range(page * PER_PAGE, min(len(BOOKS), (page + 1) * PER_PAGE))
    )
    following = '<a class="next" href="/list?page=1">Next</a>' if page == 0 else ""
    return f"""<!DOCTYPE html><html lang="en"><head><title>Books</title></head><body>{_MENU}
<div id="hits">{rows}</div><div class="pager">{following}</div></body></html>"""


def table_page() -> str:
    """A page whose rows have no pages of their own."""
    rows = "".join(f"<tr><td>{title}</td><td>{price}</td><td>{day}</td></tr>" for title, _, price, _, day, _ in BOOKS)
    return f"""<!DOCTYPE html><html lang="en"><head><title>Prices</title></head><body>{_MENU}<table id="prices">
<thead><tr><th>Title</th><th>Price</th><th>Since</th></tr></thead><tbody>{rows}</tbody></table></body></html>"""


def sample(markup: str, number: int = 0, address: str = "http://books.test/books/1") -> Sample:
    """A page as a draft reads it."""
    return read_sample(parse(markup.encode(), address, "text/html; charset=utf-8"), number)


def book_samples(count: int = 6) -> list[Sample]:
    """The pages of some books."""
    return [sample(book_page(number), number, f"http://books.test/books/{number}") for number in range(count)]
