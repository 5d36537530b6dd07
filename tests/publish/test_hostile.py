"""What a hostile site can put into its pages is shown harmlessly."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser

import pytest

from rdfcrawl.store.folder import open_store
from tests.publish.conftest import Server, add_things, asked, serving, thing

SCRIPT = "<script>alert(1)</script><img src=x onerror=alert(1)>"
RIGHT_TO_LEFT = "\\u202Egpj.exe\\u202C and \\u2067more"
LONG = "long " * 200_000


def name(of: str) -> str:
    return f"http://data.example.org/things/{of}"


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server of things with hostile labels and addresses."""
    folder = tmp_path_factory.mktemp("hostile")
    store = open_store(folder / "store")
    add_things(
        store,
        1,
        thing("script", SCRIPT, "javascript:alert(1)")
        + thing("direction", RIGHT_TO_LEFT, "data:text/html,b")
        + thing("long", LONG)
        + thing("quote", '\\" onmouseover=\\"alert(1)', "http://example.org/?a='b"),
        folder,
    )
    with serving(store) as server:
        yield server


class Tags(HTMLParser):
    """The elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep every element."""
        self.found.append((tag, dict(attrs)))


PAGES = [
    "/",
    "/class?item=item://thing",
    f"/page?iri={asked(name('script'))}",
    f"/page?iri={asked(name('script'))}&tab=history",
    f"/page?iri={asked(name('quote'))}",
    "/search?q=script",
    "/search?q=%3Cscript%3Ealert(1)%3C/script%3E",
    "/run/1",
    "/diff",
    "/sparql",
    "/sparql?query=SELECT%20*%20%7B%3Fs%20%3Fp%20%3Fo%7D",
    "/sparql?query=%3C/textarea%3E%3Cscript%3Ealert(1)%3C/script%3E",
    "/class?item=item://thing&q=%22%3E%3Cscript%3Ealert(1)%3C/script%3E",
    "/%3Cscript%3Ealert(1)%3C/script%3E",
]


@pytest.mark.parametrize("page", PAGES)
def test_no_page_has_script_of_a_site(hostile: Server, page: str) -> None:
    """Only our own script files are there; no handlers, no images of others, no ``javascript:`` addresses."""
    answer = hostile.get(page, Accept="text/html")
    assert answer.headers["content-type"].startswith("text/html")
    for tag, attributes in Tags(answer.text).found:
        assert tag != "img"
        assert tag != "script" or (attributes.get("src") or "").startswith("/static/")
        assert not any(attribute.startswith("on") or attribute == "style" for attribute in attributes)
        assert (attributes.get("href") or "/").startswith(("/", "http://", "https://", "#", "?"))


@pytest.mark.parametrize("page", PAGES)
def test_every_page_has_a_strict_policy(hostile: Server, page: str) -> None:
    """Inline script is forbidden, types are not guessed, nobody may frame the page."""
    answer = hostile.get(page, Accept="text/html")
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["script-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_a_javascript_address_is_only_text(hostile: Server) -> None:
    """It is shown, but leads nowhere."""
    page = hostile.get(f"/page?iri={asked(name('script'))}", Accept="text/html").text
    assert "javascript:alert(1)" in page
    assert 'href="javascript' not in page


def test_directions_of_text_are_isolated(hostile: Server) -> None:
    """A label that turns the direction of writing stands in an element that ends it."""
    page = hostile.get(f"/page?iri={asked(name('direction'))}", Accept="text/html").text
    assert "<h1><bdi>\u202egpj.exe" in page


def test_a_long_value_is_shortened_and_can_be_had_whole(hostile: Server) -> None:
    """The page stays small; a link leads to the whole value as plain text."""
    page = hostile.get(f"/page?iri={asked(name('long'))}", Accept="text/html").text
    assert len(page) < 20_000
    whole = next(attributes["href"] for _, attributes in Tags(page).found if attributes.get("class") == "whole")
    answer = hostile.get(whole or "")
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.text == LONG
    assert len(hostile.get("/class?item=item://thing", Accept="text/html").text) < 20_000
    assert hostile.get("/search?q=long", Accept="text/html").status == 200


def test_values_are_sent_as_they_are_to_programs(hostile: Server) -> None:
    """Escaping is for pages: data holds the label as the site has it."""
    assert SCRIPT.replace('"', '\\"') in hostile.get(f"/data.nt?iri={asked(name('script'))}").text


@pytest.mark.parametrize(
    "path", ["/", "/?format=ttl", "/ldes", "/sparql", f"/data.ttl?iri={name('script')}", "/timemap"]
)
def test_a_host_that_is_none_is_the_fault_of_the_client(hostile: Server, path: str) -> None:
    """Addresses in answers begin with it, and nothing of the kind could be written."""
    answer = hostile.send("GET", path, headers={"Host": "a%zz"})
    assert (answer.status, answer.text) == (400, "the Host header is not the name of a host\n")
    assert hostile.send("GET", "/none", headers={"Host": "a%zz", "Accept": "text/html"}).status in (400, 404)
