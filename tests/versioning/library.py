"""A small model with two sections, triples of the books and authors that it describes, and graphs made of triples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

NOVELS = "http://library.example/novels"
POEMS = "http://library.example/poems"

MODEL = """
@prefix : <predicate://> .
@prefix type: <type://> .
@prefix page: <page://> .
@prefix item: <item://> .
@prefix book: <property://book/> .
@prefix author: <property://author/> .
@prefix review: <property://review/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<model:> :section <http://library.example/novels> , <http://library.example/poems> .
<http://library.example/novels> :page page:list .
<http://library.example/poems> :page page:list .

page:list :type type:links ; :path "//ul/li/a" ; :target page:book ; :next "//a[@rel='next']" .
page:book :type type:object ; :item item:book ; :sub page:reviews ; :link <link://author> .
<link://author> :path "//a[@class='author']" ; :target page:author .
page:author :type type:object ; :item item:author .
page:reviews :type type:objects ; :item item:review .

item:book :path "//main" ; :property book:title , book:price .
book:title :path ".//h1" .
book:price :path ".//b" ; :type xsd:decimal .

item:author :path "//main" ; :property author:name .
author:name :path ".//h1" .

item:review :path ".//li" ; :property review:by , review:stars , review:text .
review:by :path "./b" .
review:stars :path "./i" .
review:text :path "./p" .
"""


def in_blocks(lines: Iterable[str], lines_per_block: int = 10) -> Iterator[bytes]:
    """A graph as the diff reads it: sorted lines, in blocks."""
    ordered = sorted({line.encode() + b"\n" for line in lines})
    for start in range(0, len(ordered), lines_per_block):
        yield b"".join(ordered[start : start + lines_per_block])


def book(name: str, *, section: str = NOVELS, price: str = "9.90", author: str | None = "kafka") -> list[str]:
    """The triples of a book in a section, with its author."""
    subject = f"<http://library.example/book/{name}>"
    lines = [
        f"<{section}> <item://book> {subject} .",
        f'{subject} <property://book/title> "{name.title()}" .',
        f'{subject} <property://book/price> "{price}"^^<http://www.w3.org/2001/XMLSchema#decimal> .',
    ]
    if author:
        writer = f"<http://library.example/author/{author}>"
        lines += [f"{subject} <item://author> {writer} .", f'{writer} <property://author/name> "{author.title()}" .']
    return lines


def review(name: str, digit: str, by: str, stars: str, text: str) -> list[str]:
    """The triples of a review of a book; the digit stands for the hash that a crawl would make of the values."""
    subject = f"<http://library.example/book/{name}#{digit * 40}>"
    return [
        f"<http://library.example/book/{name}> <item://review> {subject} .",
        f'{subject} <property://review/by> "{by}" .',
        f'{subject} <property://review/stars> "{stars}" .',
        f'{subject} <property://review/text> "{text}" .',
    ]
