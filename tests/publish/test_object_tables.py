"""The page of an object: what leads to it as tables, short addresses, and values that unfold."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from urllib.parse import parse_qs, quote, urlsplit

import pytest

from rdfcrawl.publish.web.addresses import short_address
from tests.publish.conftest import Server, asked, serving
from tests.publish.quote_site import LONG, QUOTES, SITE, crawled


@pytest.fixture(scope="module")
def quotes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of quotes and tags."""
    with serving(crawled(tmp_path_factory.mktemp("quotes"))) as server:
        yield server


def _page(server: Server, path: str) -> str:
    answer = server.get(path, accept="text/html")
    assert answer.status == 200, answer.text
    return answer.text


def test_what_leads_to_an_object_is_a_table(quotes: Server) -> None:
    """With the columns of the class, the first rows, the number of all, and a link to the table of exactly these."""
    text = _page(quotes, f"/page?iri={asked(SITE + '/tag/all')}")
    heading = re.search(r'<h2 class="name">quote with this tag <span class="count">(\d+)</span></h2>', text)
    assert heading
    assert int(heading[1]) == QUOTES
    table = text.partition(heading[0])[2].partition("</table>")[0]
    assert re.findall(r'<th scope="col"[^>]*>([^<]*)', table) == ["text", "picture", "words"]
    assert re.findall(r"<bdi>(Quote \d+)</bdi>", table) == [f"Quote {number:02}" for number in range(1, 11)]
    link = re.search(r'<a href="([^"]+)">All of them, in a table', text)
    assert link
    whole = _page(quotes, unescape(link[1]))
    assert f'<p class="lead">{QUOTES} of {QUOTES + 1} objects with the tag' in whole
    assert "Quote 14" in whole
    assert "A long quote" not in whole


def test_few_that_lead_to_an_object_need_no_other_table(quotes: Server) -> None:
    """Where all rows are shown, there is nothing more to see."""
    text = _page(quotes, f"/page?iri={asked(SITE + '/tag/3')}")
    assert re.search(r'quote with this tag <span class="count">1</span>', text)
    assert "All of them, in a table" not in text


def test_a_section_that_leads_to_an_object_is_no_row(quotes: Server) -> None:
    """It belongs to no class, and stays beside the values."""
    text = _page(quotes, f"/page?iri={asked(SITE + '/quote/3')}")
    beside = text.partition("<h2>What leads here</h2>")[2].partition("</ul>")[0]
    assert "quotes.example/quotes" in beside


def test_the_table_of_what_leads_to_an_object_can_be_taken_away(quotes: Server) -> None:
    """The file and the query are about the same objects; orders and filters keep the condition."""
    path = f"item=item://quote&with={quote(f'item://tag {SITE}/tag/3')}"
    (row,) = json.loads(quotes.get(f"/class.json?{path}").text)
    assert row["text"] == "Quote 03"
    text = _page(quotes, f"/class?{path}")
    orders = re.findall(r'<th scope="col"[^>]*><a href="([^"]+)"', text)
    assert orders
    assert all("with=item" in unescape(link) for link in orders)
    link = re.search(r'href="(/sparql\?query=[^"]+)">SPARQL', text)
    assert link
    query = parse_qs(urlsplit(unescape(link[1])).query)["query"][0]
    answer = quotes.get(f"/sparql?query={quote(query)}", accept="application/sparql-results+json")
    found = json.loads(answer.text)["results"]["bindings"]
    assert {row["object"]["value"] for row in found} == {f"{SITE}/quote/3"}


@pytest.mark.parametrize("nonsense", ["item://tag", "item://tag+no+iri", "x+y", "item://nothing+http://a/", ""])
def test_what_leads_nowhere_breaks_nothing(quotes: Server, nonsense: str) -> None:
    """Addresses are typed, cut and made up."""
    assert quotes.get(f"/class?item=item://quote&with={nonsense}", accept="text/html").status == 200


def test_a_long_value_unfolds_in_its_place(quotes: Server) -> None:
    """Without script, and the beginning can be read before."""
    text = _page(quotes, f"/page?iri={asked(SITE + '/quote/long')}")
    unfolding = re.search(r'<details class="long"><summary><bdi[^>]*>([^<]*…)</bdi></summary>(.*?)</details>', text)
    assert unfolding
    assert LONG.strip() in unfolding[2]
    assert "the whole value" not in text


def test_addresses_of_other_sites_are_host_and_file(quotes: Server) -> None:
    """The whole address is where the link leads and what the pointer shows."""
    text = _page(quotes, f"/page?iri={asked(SITE + '/quote/2')}")
    whole = f"{SITE}/files/pictures/2.png"
    assert re.search(f'<a href="{whole}" title="{whole}"[^>]*><bdi>quotes.example/…/2.png</bdi>', text)


@pytest.mark.parametrize(
    ("address", "short"),
    [
        ("http://a.example/", "a.example"),
        ("https://a.example:8080/b.png", "a.example:8080/b.png"),
        ("https://a.example/x/y/b.png?page=2#top", "a.example/…/b.png?page=2"),
        ("https://a.example/x/?session=0123456789abcdef0123", "a.example/x?…"),
        ("urn:isbn:3", "urn:isbn:3"),
        ("http://[broken/x", "http://[broken/x"),
        ("javascript:alert(1)//http://a.example/", "javascript:alert(1)//http://a.example/"),
    ],
)
def test_an_address_is_shortened(address: str, short: str) -> None:
    """Host, file and a short query; what is no address of the web stays as it is."""
    assert short_address(address) == short
