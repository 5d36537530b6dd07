"""The name that a publisher gives the data set stands wherever something has a title."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rdfcrawl.store.folder import Store
from tests.publish.conftest import FIRST, GONE, RECIPE, SECOND, Server, asked, serving

TITLE = "Recipes & <Cakes>"
ESCAPED = "Recipes &amp; &lt;Cakes&gt;"


@pytest.fixture(scope="module")
def titled(published: Store) -> Iterator[Server]:
    """A server of the recipes with a name of its own."""
    with serving(published, title=f" {TITLE}\n") as found:
        yield found


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/class?item=item://recipe",
        f"/page?iri={asked(RECIPE)}",
        f"/page?iri={asked(RECIPE)}&tab=history",
        f"/page?iri={asked(GONE)}",
        f"/run/{SECOND}",
        f"/run/{FIRST}/resource?iri={asked(RECIPE)}",
        "/diff",
        "/search?q=donauwelle",
        "/sparql",
        "/sparql?query=SELECT%20%2A%20%7B%3Fs%20%3Fp%20%3Fo%7D%20LIMIT%201",
        "/people",
        "/nothing",
    ],
)
def test_every_page_has_the_name(titled: Server, path: str) -> None:
    """In the title of the window, above the page, and for readers of feeds."""
    text = titled.get(path, accept="text/html").text
    (window,) = re.findall(r"<title>([^<]*)</title>", text.partition("<body>")[0])
    assert window.endswith(ESCAPED)
    assert f'<a class="brand" href="/">{ESCAPED}</a>' in text
    assert f'title="{ESCAPED}: changes"' in text
    assert "rdfcrawl" not in window


def test_the_start_page_is_headed_by_the_name(titled: Server, server: Server) -> None:
    """Without one, by where the data comes from."""
    assert f"<h1>{ESCAPED}</h1>" in titled.get("/", accept="text/html").text
    assert "<h1>Data from www.chefkoch.de</h1>" in server.get("/", accept="text/html").text


@pytest.mark.parametrize("options", ["", "?class=item://recipe", f"?iri={asked(RECIPE)}"])
def test_every_feed_has_the_name(titled: Server, options: str) -> None:
    """As the beginning of its title, and as its author."""
    text = titled.get(f"/feed.atom{options}").text
    assert text.partition("<title>")[2].startswith(ESCAPED)
    assert f"<author><name>{ESCAPED}</name></author>" in text


def test_the_description_and_its_dumps_have_the_name(titled: Server) -> None:
    """Catalogues of data show these titles."""
    text = titled.get("/", accept="text/turtle").text
    assert f'"{TITLE}"' in text
    assert f'"{TITLE}: run {SECOND}"' in text
