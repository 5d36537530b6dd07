"""A site with menus, articles that link to each other, a redirect and a frame, surveyed once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_folder
from tests.survey_site import LIMITS, SurveyRun, SurveySite, survey, survey_site, without_network

SECTIONS = ("shop", "news", "about")
GOODS = ("books", "maps", "games")


@dataclass(frozen=True, slots=True)
class SurveyedMenus:
    """The survey, the folder of its store, and where the site was."""

    site: SurveySite
    run: SurveyRun
    folder: Path

    @property
    def number(self) -> int:
        return self.run.report.record.id


def menu(names: Iterable[str], current: str) -> str:
    """A menu in which the current page is no link."""
    entries = (f"<b>{name}</b>" if f"/{name}" == current else f'<a href="/{name}">{name.title()}</a>' for name in names)
    return "<ul>" + "".join(f"<li>{entry}</li>" for entry in entries) + "</ul>"


def fill(site: SurveySite) -> None:
    """A main menu, a menu below the shop, six articles with links to two others, and a page of frames."""

    def put(path: str, body: str) -> None:
        local = menu(GOODS, path) if path[1:] in ("shop", *GOODS) else ""
        head = f'<html lang=en><title>Page {path}</title><body><p><a href="/"><img src=/logo.png></a></p>'
        foot = '<div><p><a href="/old-imprint">Imprint</a> <a href="http://elsewhere.test/">Elsewhere</a></p></div>'
        site.put(path, f"{head}<nav>{menu(SECTIONS, path)}</nav><aside>{local}</aside><main>{body}</main>{foot}</html>")

    put("/", '<a href="/article1">Latest</a>')
    for path in ("/about", "/imprint"):
        put(path, f"<p>{path}</p>")
    put("/shop", '<p><a href="/framed">In frames</a></p>')
    put("/maps", "<p>maps</p>")
    put("/games", "<p>games</p>")
    put("/news", "<ol>" + "".join(f'<li><a href="/article{one}">Article {one}</a></li>' for one in (1, 2, 3)) + "</ol>")
    put("/books", "<ol>" + "".join(f'<li><a href="/article{one}">Book {one}</a></li>' for one in (4, 5, 6)) + "</ol>")
    for one in range(1, 7):
        others = ((one + 1) % 6 + 1, (one + 2) % 6 + 1)
        links = " ".join(f'<a href="/article{other}">see {one}.{other}</a>' for other in others)
        put(f"/article{one}", f"<p>{one} {links}</p>")
    site.put("/old-imprint", status=301, headers={"Location": "/imprint"})
    site.put("/framed", "<html><title>Frames</title><frameset><frame src=/maps><frame src=/books></frameset></html>")


@pytest.fixture(scope="session")
def surveyed_menus(tmp_path_factory: pytest.TempPathFactory) -> SurveyedMenus:
    """Its survey, with an archive; the site itself is gone."""
    folder = open_folder(tmp_path_factory.mktemp("menus") / "store")

    async def made(patch: pytest.MonkeyPatch) -> SurveyedMenus:
        without_network(patch)
        async with survey_site() as running:
            fill(running)
            model = running.model(":scope scope:host")
            return SurveyedMenus(running, await survey(running, folder, model, limits=LIMITS, record=True), folder)

    with pytest.MonkeyPatch.context() as patch:
        return asyncio.run(made(patch))
