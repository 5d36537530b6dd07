"""Whoever reads, and however many: the run file is that of one process with SQLite, byte for byte."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.book_site import book_site
from tests.commands import Command
from tests.faults.test_kill_points import graphs
from tests.machines.fleet import crawled, crawled_together, fleet, leader
from tests.survey_site import survey_site

ROOT = Path(__file__).parents[2]
MODELS = ("bundestag", "campus-tum", "chefkoch", "imdb", "muenchen")


@pytest.mark.parametrize(
    ("model", "count"),
    [
        pytest.param(model, count, marks=[pytest.mark.exhaustive, pytest.mark.slow])
        for model in MODELS
        for count in (1, 2, 4)
    ],
)
async def test_example_models(queue_address: str, tmp_path: Path, model: str, count: int) -> None:
    """The models of the thesis on their replayed sites."""
    options = ("--replay", str(ROOT / "examples" / "sites"))
    path = ROOT / "models" / f"{model}.ttl"
    alone = await crawled(path, tmp_path / "alone", *options)
    assert await crawled_together(queue_address, count, path, tmp_path / "together", *options) == alone


@pytest.mark.parametrize(
    "count", [pytest.param(1, marks=pytest.mark.exhaustive), 2, pytest.param(4, marks=pytest.mark.exhaustive)]
)
async def test_a_bookshop_with_lists_that_go_on(queue_address: str, tmp_path: Path, count: int) -> None:
    """Every page is asked for once, the robots.txt as well, and values are explained from the workers' archives."""
    model, store = tmp_path / "books.ttl", tmp_path / "together"
    archive = store / "archive"
    async with book_site(30) as site:
        model.write_text(site.model)
        alone = await crawled(model, tmp_path / "alone")
        site.asked.clear()
        async with fleet(queue_address, count, "--archive", str(archive)):
            command = leader(queue_address, model, store, "--no-crawl")
            assert await command.ended() == 0, command.said
        assert set(site.asked.values()) == {1}
        assert len(list(archive.glob("*.warc.gz"))) <= count + 1
        assert graphs(store) == alone
        book = f"{site.address}/book/7"
        explained = Command("explain", "--store", str(store), book)
        assert await explained.ended() == 0, explained.said
        replayed = Command("run", str(model), "--store", str(store), "--replay", "run:latest")
        assert await replayed.ended() == 0, replayed.said
    assert graphs(store) == alone


@pytest.mark.parametrize(
    "count", [pytest.param(1, marks=pytest.mark.exhaustive), 2, pytest.param(4, marks=pytest.mark.exhaustive)]
)
async def test_a_survey_level_by_level(queue_address: str, tmp_path: Path, count: int) -> None:
    """Depths, duplicates and redirects are the same."""
    model = tmp_path / "site.ttl"
    async with survey_site() as site:
        site.page("/", [f"/{n}" for n in range(6)])
        for n in range(6):
            site.page(f"/{n}", [f"/{n}/{m}" for m in range(4)] + ["/", "/missing"])
            for m in range(4):
                site.page(f"/{n}/{m}", [f"/deep/{m}", f"/{m}"], title="the same" if m else None)
        model.write_text(site.model().turtle)
        alone = await crawled(model, tmp_path / "alone")
        assert await crawled_together(queue_address, count, model, tmp_path / "together") == alone


async def test_who_leads_reads_as_well(queue_address: str, tmp_path: Path) -> None:
    """Without any worker the run is complete all the same; a second run recognises what has not changed."""
    model, store = tmp_path / "books.ttl", tmp_path / "store"
    async with book_site(22) as site:
        model.write_text(site.model)
        alone = await crawled(model, tmp_path / "alone")
        for number in range(2):
            report = tmp_path / f"{number}.json"
            command = leader(queue_address, model, store, "--report", str(report))
            assert await command.ended() == 0, command.said
        assert graphs(store) == alone
        assert json.loads(report.read_text())["pages"]["unchanged"] == site.pages


async def test_no_more_pages_are_read_than_allowed(queue_address: str, tmp_path: Path) -> None:
    """By all workers together; the rest is unread, and the report says so."""
    model, store = tmp_path / "books.ttl", tmp_path / "store"
    async with book_site(30) as site:
        model.write_text(site.model)
        async with fleet(queue_address, 2):
            command = leader(queue_address, model, store, "--no-crawl", "--limit", "17")
            assert await command.ended() == 1
        assert sum(count for path, count in site.asked.items() if "robots" not in path) == 17
        assert "the 17 pages of this run are used up" in command.said
