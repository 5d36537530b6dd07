"""The pages about people: an index, a page per person, and nothing where no names were recognised."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from rdfcrawl.store.folder import open_store
from tests.people_site import SITE, run_site, write_site
from tests.publish.conftest import Server, serving


@pytest.fixture(scope="module")
def people_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of one run of the small site."""
    folder = tmp_path_factory.mktemp("people")
    store = open_store(folder / "store")
    run_site(store, write_site(folder / "site"), record=False)
    store.refresh()
    with serving(store) as found:
        yield found


def test_the_index_lists_everybody_and_the_start_page_leads_to_it(people_server: Server) -> None:
    """Those that most pages mention first."""
    assert 'href="/people"' in people_server.get("/", accept="text/html").text
    page = people_server.get("/people").text
    names = re.findall(r'href="/person\?iri=[^"]+"><bdi>([^<]+)', page)
    assert names == ["Hannah Bast", "Dennis Armbruster", "Maria Schmidt"]


def test_the_index_can_be_filtered(people_server: Server) -> None:
    """By words of any form of the name."""
    page = people_server.get("/people?q=schmidt").text
    assert "Maria Schmidt" in page
    assert "Hannah Bast" not in page
    assert "Nobody is called that" in people_server.get("/people?q=%3Cb%3Enobody").text


def test_a_person_has_a_page_with_forms_pages_and_scores(people_server: Server) -> None:
    """Best first, with an excerpt."""
    index = people_server.get("/people").text
    link = re.search(r'href="(/person\?iri=[^"]+)"><bdi>Hannah Bast', index)
    assert link is not None
    page = people_server.get(link[1]).text
    assert page.index(f"{SITE}/b.html") < page.index(f"{SITE}/a.html")
    assert "titles <bdi>Dr., Prof.</bdi>" in page
    assert "works with Prof. Dr. Hannah Bast" in page


@pytest.mark.parametrize("iri", ["", "name://person/nobody", "javascript:alert(1)", "name://person/%20x"])
def test_nobody_has_no_page(people_server: Server, iri: str) -> None:
    """Whatever is asked for."""
    assert people_server.get(f"/person?iri={iri}").status == 404


def test_without_names_there_are_no_people(server: Server) -> None:
    """And the start page does not speak of them."""
    assert server.get("/people").status == 404
    assert 'href="/people"' not in server.get("/", accept="text/html").text
