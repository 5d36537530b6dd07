"""A survey that is killed again and again ends with the facts and links of one that was not."""

from __future__ import annotations

import asyncio
import gzip
import random
import signal
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunFile
from tests.commands import Command
from tests.survey_site import HOSTS, SurveySite, survey_site

PAGES_PER_KILL = 105


def fill(site: SurveySite, pages: int) -> None:
    """Pages on three hosts that link to each other; some are the same, some are files, redirects or gone."""
    chance = random.Random(1)

    def link(number: int) -> str:
        return site.address(f"/{number}", host=number % len(HOSTS) + 1)

    for number in range(pages):
        host = number % len(HOSTS) + 1
        others = [2 * number + 1, 2 * number + 2, *(chance.randrange(pages + 20) for _ in range(4))]
        links = [link(other) for other in others if other < pages + 20]
        match number % 50:
            case 7:
                site.put(f"/{number}", b"%PDF", host, content_type="application/pdf")
            case 11:
                site.put(f"/{number}", status=301, headers={"Location": links[0]}, host=host)
            case 13 | 14:
                # One of two neighbours is a duplicate; what only it leads to is not read.
                same = "".join(f"<a href='{link(other)}'>x</a>" for other in range(number // 50, number // 50 + 5))
                site.put(f"/{number}", f"same {number // 100}{same}", host)
            case _:
                site.page(f"/{number}", links, host=host)
    site.put("/robots.txt", "User-agent: *\nDisallow: /19", content_type="text/plain")


def start(site: SurveySite, store: Path, *more: str) -> Command:
    options = ("--scope", "web", "--allow-private", "--engine", "http", "--store", str(store))
    return Command("survey", site.address("/0"), *options, *more)


def found(store: Path) -> dict[RunFile, bytes]:
    """The files of the latest run, without the run's own number."""
    runs = open_store(store).runs
    record = runs.resolve("latest")
    files = (RunFile.GRAPH, RunFile.LINKS)
    number = str(record.id).encode()
    return {file: gzip.decompress(runs.path(record.id, file).read_bytes()).replace(number, b"RUN") for file in files}


async def killed_after(site: SurveySite, requests: int, command: Command) -> bool:
    """Kill the process at its n-th request; returns whether it was still there."""
    reached = asyncio.Event()
    left = requests

    def count() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            reached.set()

    site.on_request = count
    ended = asyncio.create_task(command.ended())
    waiting = asyncio.create_task(reached.wait())
    await asyncio.wait({waiting, ended}, return_when=asyncio.FIRST_COMPLETED)
    site.on_request = None
    waiting.cancel()
    command.kill()
    return await ended == -signal.SIGKILL


@pytest.mark.slow
@pytest.mark.parametrize("limit", [None, pytest.param(0.95, marks=pytest.mark.exhaustive)], ids=["whole", "limited"])
async def test_killed_again_and_again_the_survey_is_that_of_an_undisturbed_run(
    tmp_path: Path, limit: float | None, is_exhaustive: bool
) -> None:
    """Byte for byte: facts, depths, duplicates and links; also which pages a limit has left out."""
    kills = 20 if is_exhaustive else 2
    pages = kills * PAGES_PER_KILL
    more = () if limit is None else ("--max", f"pages={int(pages * limit)}")
    chance = random.Random()
    async with survey_site() as site:
        fill(site, pages)
        undisturbed = start(site, tmp_path / "undisturbed", *more)
        assert await undisturbed.ended() == 1, undisturbed.said
        asked = sum(site.asked.values())
        # Pages that robots.txt disallows count, and are not asked for.
        assert asked >= int(pages * (limit or 1.0) * 0.95)
        for kill in range(kills):
            command = start(site, tmp_path / "killed", *more)
            number = chance.randrange(1, asked // kills)
            assert await killed_after(site, number, command), f"kill {kill} at {number}: {command.said}"
        last = start(site, tmp_path / "killed", *more)
        assert await last.ended() == 1, last.said
        assert "resumes where it was stopped" in last.said
    expected = found(tmp_path / "undisturbed")
    assert found(tmp_path / "killed") == expected
    graph = expected[RunFile.GRAPH]
    assert (b"<predicate://site/kind> <predicate://site/unread>" in graph) == bool(more)
    for kind in (b"html", b"binary", b"redirect", b"duplicate", b"disallowed", b"error"):
        assert b"<predicate://site/kind> <predicate://site/%b>" % kind in graph
