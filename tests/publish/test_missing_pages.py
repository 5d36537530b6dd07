"""What is not there: the right status for everybody, and for people a search and what they may have meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote

import pytest

from rdfcrawl.publish.catalogue.near import LONGEST, name_in
from rdfcrawl.store.folder import Store
from tests.publish.conftest import RECIPE, Server, asked, serving


def _near(server: Server, path: str) -> list[str]:
    answer = server.get(path, accept="text/html")
    assert answer.status == 404
    assert 'action="/search"' in answer.text.partition("<main")[2]
    listed = answer.text.partition("Perhaps one of these was meant")[2].partition("</ul>")[0]
    return re.findall(r"<bdi>([^<]*)</bdi>", listed)


@pytest.mark.parametrize(
    "path",
    [
        f"/page?iri={asked(RECIPE[:-6])}",
        f"/page?iri={asked(RECIPE + '/')}",
        f"/page?iri={asked(RECIPE.replace('http:', 'https:'))}",
        f"/resource?iri={asked('http://elsewhere.example/Donauwele-Konditorenart')}",
        "/donauwelle-konditoren-art",
        f"/{quote('Donauwellen (Konditorenart).html')}",
    ],
    ids=["cut", "slash", "scheme", "typing error", "name in the path", "other words"],
)
def test_who_was_nearly_right_is_helped(server: Server, path: str) -> None:
    """By the IRI, by the last part of it, by the label."""
    assert any("Donauwelle" in name and "Konditorenart" in name for name in _near(server, path))


def test_the_words_of_an_address_are_in_the_field_of_the_search(server: Server) -> None:
    """One click is enough to look for them everywhere."""
    text = server.get("/rezepte/Schnelle-Donauwelle.html", accept="text/html").text
    assert 'name="q" value="Schnelle Donauwelle"' in text


@pytest.mark.parametrize(
    "path", ["/", "/%00%ff", "/" + "x" * 3000, "/%22%20OR%20%2A", "/'; DROP TABLE object", "/page?iri=urn:%C3%BC"]
)
def test_nothing_near_is_no_error(server: Server, path: str) -> None:
    """Whatever stands in an address, it is text."""
    answer = server.get(quote(path, safe="/%?=:"), accept="text/html")
    assert answer.status == (200 if path == "/" else 404)
    assert "Perhaps one of these" not in answer.text


@pytest.mark.parametrize("accept", ["text/turtle", "application/ld+json", "*/*", "application/n-quads"])
def test_programs_get_the_status_and_one_line(server: Server, accept: str) -> None:
    """404, not a page that looks like an answer."""
    for path in (f"/resource?iri={asked(RECIPE[:-6])}", f"/data?iri={asked(RECIPE[:-6])}", "/nothing"):
        answer = server.get(path, accept=accept)
        assert (answer.status, answer.headers["content-type"]) == (404, "text/plain; charset=utf-8")
        assert len(answer.text.splitlines()) == 1


@pytest.fixture(scope="module")
def homely(published: Store) -> Iterator[Server]:
    """A server that is the home of its objects."""
    with serving(published, base="http://www.chefkoch.de/") as server:
        yield server


def test_a_path_is_an_iri_where_the_server_is_its_home(homely: Server) -> None:
    """A cut path leads to its object."""
    assert any("Konditorenart" in name for name in _near(homely, "/rezepte/372611122991708/Donauwelle-Kond"))


def test_names_are_bounded() -> None:
    """However long an address is."""
    assert name_in("http://a.example/The%20Name_of-it.html") == "The Name of it"
    assert len(name_in("http://a.example/" + "word-" * 1000)) <= LONGEST
    assert name_in("") == name_in("http://a.example/%") == ""
