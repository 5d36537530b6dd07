"""A shop, generated from a seed: paged lists, details with nested rows, tracking parameters, German numbers and dates,
values that may be missing, and HTML as people write it. Two versions differ by a change log that is known.

``python benchmarks/shop.py FOLDER --objects 10000 [--version 2] [--scripted 0.05]`` writes the pages as files.
"""

from __future__ import annotations

import argparse
import json
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path

PER_LIST = 50
CHANGED = 0.01
WORDS = ("Garten", "Lampe", "Tisch", "Regal", "Kanne", "Stuhl", "Uhr", "Decke", "Kissen", "Vase", "Teller", "Messer")
FIRST_DAY = date(2015, 1, 1)
FIRST_VERSION = 1_447_632_000
DAY_SECONDS = 86_400

MODEL = """\
# What every lane extracts: the articles of a shop with their offers.
@prefix :      <predicate://> .
@prefix type:  <type://> .
@prefix page:  <page://> .
@prefix item:  <item://> .
@prefix a:     <property://article/> .
@prefix offer: <property://offer/> .
@prefix xsd:   <http://www.w3.org/2001/XMLSchema#> .

<model:> :section <{start}> .
<{start}> :page page:list ; :delay 0 .

page:list :type type:links ; :path "//ul[@class='articles']/li/a" ; :next "//a[@rel='next']" ; :target page:article .
page:article :type type:object ; :item item:article ; :sub page:offers ; :param "ref", "sid" .
page:offers :type type:objects ; :item item:offer .

item:article :path "//div[@id='article']" ; :property a:name, a:price, a:added, a:stock, a:rating, a:text .
item:offer :path ".//table[@class='offers']//tr" ; :property offer:seller, offer:price .

a:name   :path ".//h1" .
a:price  :path ".//span[@class='price']" ; :pattern "[\\\\d.]+,\\\\d\\\\d" ; :type xsd:decimal ;
         :replace [ :old "\\\\." ; :new "" ; :order 1 ] , [ :old "," ; :new "." ; :order 2 ] .
a:added  :path ".//time" ; :type xsd:date ; :format "dd.MM.yyyy" .
a:stock  :path ".//span[@class='stock']" ; :attribute "data-count" ; :type xsd:int .
a:rating :path ".//span[starts-with(@class, 'stars ')]" ; :optional true ; :attribute "class" ;
         :pattern "(?<=stars-)\\\\d(_\\\\d)?" ; :replace [ :old "_" ; :new "." ] ; :type xsd:decimal .
a:text   :path ".//div[@class='text']" .
offer:seller :path "./td[1]" .
offer:price  :path "./td[2]" ; :pattern "[\\\\d.]+,\\\\d\\\\d" ; :type xsd:decimal ;
         :replace [ :old "\\\\." ; :new "" ; :order 1 ] , [ :old "," ; :new "." ; :order 2 ] .
"""


@dataclass(frozen=True, slots=True)
class Shop:
    """The generated shop; ``version`` 2 has one article in a hundred changed, ``scripted`` of them need a script."""

    objects: int
    version: int = 1
    scripted: float = 0.0
    seed: int = 20151116

    @property
    def lists(self) -> int:
        """The number of list pages."""
        return -(-self.objects // PER_LIST)

    @property
    def pages(self) -> int:
        """The number of pages of a whole crawl."""
        return self.lists + self.objects

    def list_page(self, number: int) -> str:
        """One page of the list; every link carries other tracking parameters."""
        chance = random.Random(f"{self.seed} list {number}")
        entries = "\n".join(
            f'<li><a href="/article/{article}?ref=list_{number}&amp;sid={chance.randrange(10**9)}">'
            f"{self.name(article)}</a> <span class=teaser>ab {chance.randrange(9, 99)} &euro;</span>"
            for article in range(number * PER_LIST, min((number + 1) * PER_LIST, self.objects))
        )
        more = f'<a rel="next" href="/list/{number + 1}">weiter</a>' if number + 1 < self.lists else ""
        return _page(f"Artikel {number}", f'<ul class="articles">\n{entries}\n</ul>\n<p class=nav>{more}')

    def article_page(self, article: int) -> str:
        """The detail page of an article."""
        content = self._content(article)
        if self.needs_script(article):
            script = f"document.getElementById('article').innerHTML = {json.dumps(content)};".replace("</", "<\\/")
            return _page(self.name(article), f'<div id="article"></div><script>{script}</script>')
        return _page(self.name(article), f'<div id="article">{content}</div>')

    def name(self, article: int) -> str:
        """The name of an article; it is the same in both versions."""
        chance = random.Random(f"{self.seed} name {article}")
        return f"{chance.choice(WORDS)} {chance.choice(WORDS)} {article}"

    def is_changed(self, article: int) -> bool:
        """Whether version 2 shows another price."""
        return random.Random(f"{self.seed} change {article}").random() < CHANGED

    def needs_script(self, article: int) -> bool:
        """Whether a script must run before the article is there."""
        return random.Random(f"{self.seed} script {article}").random() < self.scripted

    def _content(self, article: int) -> str:
        chance = random.Random(f"{self.seed} article {article}")
        price = chance.randrange(100, 300_000)
        if self.version == 2 and self.is_changed(article):
            price += 1
        stars = chance.choice(["", "", "3", "3_5", "4", "4_5", "5"])
        rating = f'<span class="stars stars-{stars}" title="Bewertung"></span>' if stars else ""
        rows = "\n".join(
            f"<tr><td>{seller}<td>{_euro(chance.randrange(100, 300_000))} &euro;"
            for seller in chance.sample(["Nordhandel", "S&uuml;dkauf", "Ostmarkt", "Westwaren"], chance.randrange(1, 5))
        )
        added = FIRST_DAY + timedelta(days=chance.randrange(4000))
        text = "<br>".join(
            f"{chance.choice(WORDS)} f&uuml;r {chance.choice(WORDS)}, <b>neu</b>" for _ in range(chance.randrange(2, 9))
        )
        return f"""
<h1>{self.name(article)}</h1>
<p>Preis: <span class="price">nur {_euro(price)} &euro;*</span> {rating}
<p>Neu seit <time>{added:%d.%m.%Y}</time>, <span class="stock" data-count="{chance.randrange(500)}">lieferbar</span>
<div class="text">{text}</div>
<table class="offers"><tr><td>{rows.removeprefix("<tr><td>")}
</table>"""


def _euro(cents: int) -> str:
    return f"{cents // 100:,}".replace(",", ".") + f",{cents % 100:02}"


def _page(title: str, body: str) -> str:
    """A page with what surrounds the content on a real site; paragraphs and list items are left open, as usual."""
    menu = "".join(f'<li class="m{number}"><a href="/rubrik/{number}">Rubrik {number}</a>' for number in range(25))
    return f"""<!DOCTYPE html>
<html lang=de><head><meta charset=utf-8><title>{title} - Beispielkaufhaus</title>
<meta name=viewport content="width=device-width"><style>body {{ font-family: sans-serif }}</style>
</head><body><nav><ul>{menu}</ul></nav>
<main>
{body}
</main>
<footer><p>* inkl. MwSt.<p>Impressum &middot; Datenschutz</footer></body></html>
"""


def change_log(shop: Shop) -> Iterator[int]:
    """The articles whose price differs between the versions."""
    return (article for article in range(shop.objects) if shop.is_changed(article))


def write(shop: Shop, folder: Path) -> None:
    """Write all pages as files that a plain web server serves."""
    for path, page in pages_of(shop):
        place = folder / path.lstrip("/")
        place.parent.mkdir(parents=True, exist_ok=True)
        _write_page(place, page, FIRST_VERSION)


def pages_of(shop: Shop) -> Iterator[tuple[str, str]]:
    """The path of every page, and the page."""
    for kind, count, page in (("list", shop.lists, shop.list_page), ("article", shop.objects, shop.article_page)):
        for number in range(count):
            yield f"/{kind}/{number}", page(number)


def write_changed(shop: Shop, folder: Path) -> int:
    """Write only the pages that differ between the versions, as ``shop.version`` has them; gives their number."""
    changed = list(change_log(shop))
    for article in changed:
        moment = FIRST_VERSION if shop.version == 1 else FIRST_VERSION + DAY_SECONDS
        _write_page(folder / "article" / str(article), shop.article_page(article), moment)
    return len(changed)


def _write_page(path: Path, page: str, moment: int) -> None:
    path.write_text(page, encoding="utf-8")
    # Servers make ETag and Last-Modified from this: it must differ between the versions, and only there.
    os.utime(path, (moment, moment))


def main() -> None:
    """Write a shop, as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--objects", type=int, default=1000)
    parser.add_argument("--version", type=int, choices=(1, 2), default=1)
    parser.add_argument("--scripted", type=float, default=0.0)
    options = parser.parse_args()
    write(Shop(options.objects, options.version, options.scripted), options.folder)


if __name__ == "__main__":
    main()
