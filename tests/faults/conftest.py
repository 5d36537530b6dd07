"""A store with three runs, to be damaged."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path

import pytest

from rdfcrawl.store.folder import Store, open_store
from tests.faults.damages import THINGS, answers, crawled
from tests.forking import synchronise
from tests.thing_site import thing_site


@pytest.fixture(autouse=True)
def _disk(monkeypatch: pytest.MonkeyPatch) -> None:
    synchronise(monkeypatch)


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a store with three runs: the last thing is gone in the second one, and back in the third."""
    folder = tmp_path_factory.mktemp("prepared") / "store"

    async def prepare() -> None:
        async with thing_site() as site:
            await crawled(site, folder, THINGS, THINGS - 1, THINGS)

    asyncio.run(prepare())
    return folder


@pytest.fixture
def store(prepared: Path, tmp_path: Path) -> Store:
    """A copy of it that a test may damage."""
    shutil.copytree(prepared, tmp_path / "store")
    return open_store(tmp_path / "store")


@pytest.fixture(scope="session")
def undamaged(prepared: Path) -> dict[str, str]:
    """What the commands print of the store as it was."""
    return answers(open_store(prepared))
