"""The summary of a valid model shows what will be crawled."""

from __future__ import annotations

from pathlib import Path

from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.tree import Branch, model_tree

MODELS = Path(__file__).parents[2] / "models"


def lines(branch: Branch, depth: int = 0) -> list[str]:
    """The tree as indented text."""
    below = [line for inner in branch.branches for line in lines(inner, depth + 1)]
    return [f"{'  ' * depth}{branch.text}", *below]


def test_sections_pages_items_and_properties_are_nested() -> None:
    """Links, nesting, types and options stand where the crawl meets them."""
    date_time = "yyyy-MM-dd'T'HH:mm:ssZ"
    assert lines(model_tree(load_model(MODELS / "muenchen.ttl"))) == [
        "2 sections, 5 pages, 3 items, 5 properties",
        "  section <http://www.muenchen.de/veranstaltungen/events/comedy.html>",
        "    page:events: links at //div[@id='oEventList']//a[@itemprop='url'], scroll, up to 1000 ms each",
        "      → page:event: one object",
        "        item:event at //div[@id='main']",
        "          event:description: string, optional, at .//div[@itemprop='description']",
        "          event:label: string, at .//h1",
        "        nested page:appointments: objects",
        "          item:appointment at .//*[@itemtype='http://schema.org/Event'][.//span[@itemprop='startDate']]",
        f"            appointment:start: dateTime, at .//span[@itemprop='startDate'], @content, format {date_time}",
        "          nested page:locations: links at .//a[@itemprop='location']",
        "            → page:location: one object",
        "              item:location at //div[@id='page_content']",
        "                location:address: string, at .//div[@id='sidebar']//span[@itemprop='address']",
        "                location:label: string, at .//h1",
        "  section <http://www.muenchen.de/veranstaltungen/events/musical.html>",
        "    page:events: links at //div[@id='oEventList']//a[@itemprop='url'] (see above)",
    ]


def test_links_in_a_circle_end(tmp_path: Path) -> None:
    """A book that leads to related books is shown once and then named."""
    path = tmp_path / "model.ttl"
    path.write_text(
        """@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
        <model:> :section <https://books.example/1> .
        <https://books.example/1> :page page:book .
        page:book :type type:object ; :item item:book ; :link <link://related> .
        <link://related> :path ".//a" ; :target page:book ; :optional true .
        item:book :path "//main" ; :property <https://schema.org/name> .
        <https://schema.org/name> :path ".//h1" ; :label true .
        """
    )
    assert lines(model_tree(load_model(path)))[2:] == [
        "    page:book: one object",
        "      item:book at //main",
        "        <https://schema.org/name>: string, at .//h1, label",
        "      <link://related> at .//a, optional",
        "        → page:book: one object (see above)",
    ]


def test_alerts_and_windows_are_shown() -> None:
    """Who is told what, and when a section is read."""
    case = Path(__file__).parents[1] / "cases" / "check" / "alert-valid" / "model.ttl"
    shown = lines(model_tree(load_model(case)))
    assert shown[1] == "  section <https://books.example/new>, read at 22:00-06:00"
    recipients = "apprise:env:RDFCRAWL_SECRET_CHAT, https://books.example/hook"
    assert shown[-2:] == [
        "  alert on added, changed of item:book → mailto:me@books.example?subject=News",
        f"  alert on new rows of SELECT ?book WHERE {{ ?book book:title ?title }}, as a digest → {recipients}",
    ]
