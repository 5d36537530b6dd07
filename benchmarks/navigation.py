"""What recognising navigation costs for a page: reading it, and judging its links by each of the two rules.

    .venv/bin/python benchmarks/navigation.py [--pages 2000] [PAGE.html …]

Makes a site with a main menu, menus of its sections, footers, lists and articles, and prints milliseconds of the
processor for each page, all measured in one run, and how many links the rules call navigation. Pages that are given are
read as they are and judged together, as if they were a site.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.navigation.analysis import NavigationCounts, judged
from rdfcrawl.navigation.archive.anchors import anchors_of
from rdfcrawl.navigation.judging import LinkClass, NavigationRule
from rdfcrawl.navigation.site import LinkedSite

HOST = "http://menus.example"
SECTIONS = ("products", "services", "news", "company", "support", "jobs", "press", "contact")
TOPICS = 6
RELATED = 8
FILLER = " ".join(["the members of the group work on questions of search and language"] * 20)


def site_pages(count: int) -> Iterator[tuple[str, str]]:
    """The addresses of a site's pages and their HTML."""
    chance = random.Random(1)

    def article(number: int) -> str:
        return f"/{SECTIONS[number % len(SECTIONS)]}/{number % TOPICS}/{number}.html"

    yield "/", page("/", None, items([(article(number), f"News {number}") for number in range(5)]))
    for section in SECTIONS:
        yield f"/{section}/", page(f"/{section}/", section, "<p>About it</p>")
        for topic in range(TOPICS):
            mine = [one for one in range(count) if article(one).startswith(f"/{section}/{topic}/")]
            listed = items([(article(one), f"Article {one}") for one in mine[:50]])
            yield f"/{section}/{topic}/", page(f"/{section}/{topic}/", section, listed)
    for number in range(count):
        others = [chance.randrange(count) for _ in range(RELATED)]
        links = ", ".join(f'<a href="{article(one)}">see {one}</a>' for one in others)
        yield article(number), page(article(number), article(number).split("/")[1], f"<p>{FILLER} {links}</p>")


def items(links: list[tuple[str, str]]) -> str:
    """A list of links."""
    return "<ul>" + "".join(f'<li class="item"><a href="{href}">{text}</a></li>' for href, text in links) + "</ul>"


def page(path: str, section: str | None, body: str) -> str:
    """A page with its menus; the current page is no link in them."""
    menu = "".join(
        f"<li class=current>{one.title()}</li>"
        if path == f"/{one}/"
        else f'<li><a href="/{one}/">{one.title()}</a></li>'
        for one in SECTIONS
    )
    local = items([(f"/{section}/{topic}/", f"{section} {topic}") for topic in range(TOPICS)]) if section else ""
    foot = "".join(f'<a href="https://{name}.example/">{name}</a> ' for name in ("video", "photo", "chat"))
    return (
        f"<!doctype html><html lang=en><title>{path}</title><body><header><a href=/><img src=/logo.png alt=Home></a>"
        f"<nav><ul>{menu}</ul></nav></header><aside>{local}</aside><main><h1>{path}</h1>{body}</main>"
        f"<footer><p>{foot}</p></footer></html>"
    )


@contextmanager
def timed(spent: dict[str, float], name: str) -> Iterator[None]:
    """Add the seconds of the processor that something takes."""
    begun = time.process_time()
    yield
    spent[name] = spent.get(name, 0.0) + time.process_time() - begun


def main() -> None:
    """Measure, and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--pages", type=int, default=2000)
    options.add_argument("files", nargs="*", type=Path)
    asked = options.parse_args()
    sources = [(f"/{one.name}", one.read_bytes()) for one in asked.files]
    sources = sources or [(path, html.encode()) for path, html in site_pages(asked.pages)]
    spent: dict[str, float] = {}
    site, exact_site = LinkedSite(), LinkedSite()
    for path, body in sources:
        with timed(spent, "parsing"):
            document = parse(body, HOST + path, "text/html; charset=utf-8")
        with timed(spent, "links and groups"):
            found = anchors_of(document)
        site.add(HOST + path, found)
        with timed(spent, "the same with displays"):
            found = anchors_of(document, with_display=True)
        exact_site.add(HOST + path, found)
    counts = {rule: NavigationCounts() for rule in NavigationRule}
    for rule, chosen in zip(NavigationRule, (site, exact_site), strict=True):
        with timed(spent, f"{rule} rule"):
            for _ in judged(chosen, rule, counts[rule]):
                pass
    # The exact rule is compared with the tolerant one, which is measured above.
    spent["exact rule"] -= spent["tolerant rule"]
    for name, seconds in spent.items():
        print(f"{name:24} {1000 * seconds / len(sources):8.2f} ms a page")
    tolerant = spent["links and groups"] + spent["tolerant rule"]
    exact = spent["the same with displays"] + spent["exact rule"]
    print(f"{'exact / tolerant':24} {exact / tolerant:8.2f}")
    for rule, count in counts.items():
        share = 1 - count.links[LinkClass.CONTENT] / max(1, count.links.total())
        print(
            f"{rule:24} {share:8.1%} of {count.links.total():,} links are navigation, {count.bounded} groups given up"
        )


if __name__ == "__main__":
    main()
