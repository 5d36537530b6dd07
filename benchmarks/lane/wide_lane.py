"""The lane of wide pages: flat tables, as most open data is published, with an object without address in every row."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from measuring.results import Goal, Lane, Run, Series, alternate, ratio
from measuring.tools import Peer, Rdfcrawl, Tool, emptied
from sites.server import served

from lane.crawl_lanes import check_agreement

ROWS = 40
PER_INDEX = 100
WARM_UP_PAGES = 20
STREETS = ("Hafenstraße", "Am Markt", "Lange Gasse", "Domplatz", "Ufer & Kai", "Neue Straße")

MODEL = """\
# Tables of counted bicycles: a page for each place, a row for each day.
@prefix :      <predicate://> .
@prefix type:  <type://> .
@prefix page:  <page://> .
@prefix item:  <item://> .
@prefix place: <property://place/> .
@prefix row:   <property://row/> .

<model:> :section <{start}> .
<{start}> :page page:index ; :delay 0 .

page:index :type type:links ; :path "//ul/li/a" ; :next "//a[@rel='next']" ; :target page:place .
page:place :type type:object ; :item item:place ; :sub page:rows .
page:rows :type type:objects ; :item item:row .

item:place :path "//main" ; :property place:name .
item:row :path ".//table/tbody/tr" ; :property row:day, row:street, row:direction, row:count .

place:name    :path ".//h1" .
row:day       :path "./td[1]" .
row:street    :path "./td[2]" .
row:direction :path "./td[3]" .
row:count     :path "./td[4]" .
"""


@dataclass(frozen=True, slots=True)
class Tables:
    """The generated site: lists of places, and a page with a table for each."""

    objects: int
    seed: int = 20151117

    @property
    def lists(self) -> int:
        """The number of list pages."""
        return -(-self.objects // PER_INDEX)

    @property
    def pages(self) -> int:
        """The number of pages of a whole crawl."""
        return self.lists + self.objects

    def list_page(self, number: int) -> str:
        """One page of the list of places."""
        places = range(number * PER_INDEX, min((number + 1) * PER_INDEX, self.objects))
        links = "\n".join(f'<li><a href="/place/{place}">Zählstelle {place}</a>' for place in places)
        more = f'<a rel="next" href="/list/{number + 1}">weiter</a>' if number + 1 < self.lists else ""
        return _page(f"Zählstellen {number}", f"<ul>\n{links}\n</ul>\n<p>{more}")

    def place_page(self, place: int) -> str:
        """The page of a place with its table."""
        chance = random.Random(f"{self.seed} {place}")
        rows = "\n".join(
            f"<tr><td>{row % 28 + 1:02}.{row // 28 + 1:02}.2015</td><td>{chance.choice(STREETS).replace('&', '&amp;')} "
            f"{chance.randrange(1, 99)}</td><td>{chance.choice(('Nord', 'Süd', 'Ost', 'West'))}</td>"
            f"<td>{chance.randrange(9_999)}</td></tr>"
            for row in range(ROWS)
        )
        head = "<thead><tr><th>Tag</th><th>Straße</th><th>Richtung</th><th>Anzahl</th></tr></thead>"
        return _page(f"Zählstelle {place}", f"<table class=data>{head}\n<tbody>\n{rows}\n</tbody></table>")


def _page(title: str, body: str) -> str:
    return f"""<!DOCTYPE html>
<html lang=de><head><meta charset=utf-8><title>{title} - Offene Daten</title></head>
<body><header><a href="/list/0">Alle Zählstellen</a></header>
<main><h1>{title}</h1>
{body}
</main><footer><p>Datenlizenz Deutschland Zero</footer></body></html>
"""


def write_tables(tables: Tables, folder: Path) -> None:
    """Write all pages as files that a plain web server serves."""
    for kind, count, page in (("list", tables.lists, tables.list_page), ("place", tables.objects, tables.place_page)):
        (folder / kind).mkdir(parents=True, exist_ok=True)
        for number in range(count):
            (folder / kind / str(number)).write_text(page(number), encoding="utf-8")


RDFCRAWL_WIDE = Rdfcrawl(model=MODEL)
SCRAPY_WIDE = Peer("Scrapy", "scrapy", program="wide.py")


def wide_lane(objects: int, rounds: int, work: Path) -> Lane:
    """Tables with many rows of plain text."""
    tables = Tables(objects)
    tools: Sequence[Tool] = (RDFCRAWL_WIDE, SCRAPY_WIDE)
    _crawl(tools, Tables(WARM_UP_PAGES), 1, work)
    runs = _crawl(tools, tables, rounds, work)
    agreement = check_agreement(tools, work)
    series = [Series(tool.name, tool.version, tool.lines, tables.pages, tuple(runs[tool.name])) for tool in tools]
    own, scrapy = series
    faster = ratio("Scrapy's time / rdfcrawl's", scrapy, own)
    return Lane(
        name="wide",
        title="Wide pages",
        site=f"{objects:,} tables of {ROWS} rows with 4 cells, {tables.lists:,} list pages",
        rounds=rounds,
        series=tuple(series),
        ratios=(faster, ratio("Scrapy's CPU / rdfcrawl's", scrapy, own, "cpu")),
        goals=(Goal("times as fast as Scrapy with JSON lines", faster.value, 2.5, at_least=True),),
        notes=(agreement,),
    )


def _crawl(tools: Sequence[Tool], tables: Tables, rounds: int, work: Path) -> dict[str, list[Run]]:
    pages = emptied(work / "pages")
    write_tables(tables, pages)
    by_name = {tool.name: tool for tool in tools}
    runs: dict[str, list[Run]] = {name: [] for name in by_name}
    with served(pages) as (address, log):
        for number, name in alternate(list(by_name), rounds):
            before = log.read_bytes().count(b"\n")
            taken = by_name[name].crawl(f"{address}/list/0", emptied(work / name))
            requests = log.read_bytes().count(b"\n") - before
            runs[name].append(Run(taken.seconds, taken.cpu, taken.megabytes, requests))
            print(f"  round {number + 1}: {name} {taken.seconds:.2f} s, CPU {taken.cpu:.2f} s", flush=True)
    return runs
