"""The site map and the picture without navigation on the web pages of ``serve``."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import lxml.html
import pytest

from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.navigation.conftest import SurveyedMenus
from tests.publish.conftest import Server, serving


@pytest.fixture(scope="module")
def folder(surveyed_menus: SurveyedMenus, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of its own, in which nobody has asked for navigation yet."""
    copied = tmp_path_factory.mktemp("map") / "store"
    shutil.copytree(surveyed_menus.folder, copied)
    open_store(copied).runs.navigation(surveyed_menus.number).unlink(missing_ok=True)
    return copied


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with serving(open_store(folder)) as running:
        yield running


def page(server: Server, path: str) -> lxml.html.HtmlElement:
    """A page, when it is ready: every request waits for a while."""
    while (answer := server.get(path, accept="text/html")).status == 503:
        pass
    assert answer.status == 200
    return lxml.html.document_fromstring(answer.text)


def test_the_pages_follow_what_is_known(server: Server, folder: Path, surveyed_menus: SurveyedMenus) -> None:
    """Without navigation they say how to get it; then there is a map, and a picture with and without menus."""
    survey, sitemap = (f"/run/{surveyed_menus.number}/{name}" for name in ("survey", "sitemap"))
    command = f"rdfcrawl navigation {surveyed_menus.number}"
    missing = server.get(sitemap, accept="text/html")
    assert missing.status == 404
    assert command in missing.text
    assert command in page(server, survey).text_content()

    Command("navigation", "--store", str(folder)).wait()
    tree = page(server, sitemap).xpath("//ul[@class='tree']")[0]
    assert len(tree.xpath(".//li")) == 15
    assert [one.text for one in tree.xpath("li/details/ul/li//details/preceding-sibling::a/bdi")][:2] == [
        "Shop",
        "Books",
    ]
    assert tree.xpath("string(.//bdi[@class='content'])") == "Page /article4"

    whole, content = page(server, survey), page(server, f"{survey}?links=content")
    edges = [len(one.xpath("//*[@class='edges']/*")) for one in (whole, content)]
    assert edges[0] > edges[1] > 0
    assert f"{survey}?links=content#links" in whole.xpath("//p[@class='choice']/a/@href")
    assert sitemap in content.xpath("//p[@class='choice']/a/@href")


def test_other_runs_and_odd_questions_are_not_found(server: Server, surveyed_menus: SurveyedMenus) -> None:
    """There is no map of a run that does not exist; what is no choice of links means all."""
    assert server.get("/run/5/sitemap", accept="text/html").status == 404
    assert page(server, f"/run/{surveyed_menus.number}/survey?links=none").xpath("//svg")
