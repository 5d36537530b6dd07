"""A site with something of everything that a report names, surveyed once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio

from rdfcrawl.store.folder import open_folder
from tests.survey_site import LIMITS, UNRESOLVED, SurveyRun, SurveySite, survey, survey_site, without_network


@dataclass(frozen=True, slots=True)
class Surveyed:
    """The survey of a site, the folder of its store, and where the site was."""

    site: SurveySite
    run: SurveyRun
    folder: Path

    def address(self, path: str = "/", host: int = 1) -> str:
        return self.site.address(path, host)


def fill(site: SurveySite) -> None:
    """Pages with broken links, redirects, duplicates, files and images; ``/broken`` is missing."""
    links = ["/a", "/b", "/copy", "/file.pdf", "/file.doc", "/moved", "/secret", "/broken", "/down", "/1", "/round"]
    links += ["/untitled", site.address("/other", host=2), f"http://{UNRESOLVED}:{site.port}/"]
    site.page("/", links, title="Start")
    site.page("/a", ["/", "/broken", "/to-broken", "/deep"], title="A")
    site.put("/b", "<html lang=de><title>B</title><img src=/1.png><img src=/2.png><a href=/a>A</a></html>")
    site.pages[1, "/copy"] = site.pages[1, "/b"]
    site.put("/file.pdf", b"%PDF", content_type="application/pdf")
    site.put("/file.doc", b"x", content_type="application/msword")
    site.put("/moved", status=301, headers={"Location": "/a"})
    site.put("/to-broken", status=302, headers={"Location": "/broken"})
    for here, there in (("/1", "/2"), ("/2", "/3"), ("/3", "/a"), ("/round", "/round2"), ("/round2", "/round")):
        site.put(here, status=302, headers={"Location": there})
    site.put("/robots.txt", "User-agent: *\nDisallow: /secret", content_type="text/plain")
    site.put("/down", status=500)
    site.put("/untitled", "<p>nothing</p><a href=/a>A</a>")
    site.page("/deep", ["/deeper"], title="Deep")
    site.page("/deeper", ["/deepest"], title="Deeper")
    site.page("/other", ["/elsewhere"], host=2, title="Other")
    site.page("/elsewhere", host=2, title="Elsewhere")


@pytest_asyncio.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SurveySite]:
    """The site, running."""
    without_network(monkeypatch)
    async with survey_site() as running:
        fill(running)
        yield running


@pytest.fixture(scope="module")
def surveyed(tmp_path_factory: pytest.TempPathFactory) -> Surveyed:
    """Its survey down to the third level; the site itself is gone."""
    folder = open_folder(tmp_path_factory.mktemp("survey") / "store")

    async def made(patch: pytest.MonkeyPatch) -> Surveyed:
        without_network(patch)
        async with survey_site() as running:
            fill(running)
            model = running.model(":scope scope:web ; :depth 3")
            return Surveyed(running, await survey(running, folder, model, limits=LIMITS, record=True), folder)

    with pytest.MonkeyPatch.context() as patch:
        return asyncio.run(made(patch))
