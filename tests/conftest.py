"""How the tests are shared out among the processes that run them, and what these do without."""

from __future__ import annotations

import gc
import multiprocessing.util
import os
import tempfile
from collections.abc import Iterator
from itertools import count
from typing import Final

import pytest
from hypothesis import HealthCheck, settings
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling

from rdfcrawl.metamodel.checked.memory import VARIABLE
from tests.forking import (
    place_in_memory,
    share_forkserver,
    skip_synchronisation,
    use_cold_processes,
    use_warm_processes,
)
from tests.postgres_server import SHARED, postgres_server

_LONGEST_FIRST: Final = (
    "tests/engine/fetch/browser/",
    "tests/machines/test_faults.py",
    "tests/machines/test_manners.py",
    "tests/machines/",
    "tests/publish/test_accessibility.py",
    "tests/engine/workers/test_pool.py",
    "tests/security/test_hostile_site.py",
    "tests/engine/inspect/test_explain.py",
    "tests/test_cases.py",
    "tests/security/test_requests.py",
    "tests/security/test_secrets.py",
    "tests/security/test_browser_page.py",
    "tests/cli/test_documentation.py",
    "tests/draft/test_draft_command.py",
    "tests/engine/fetch/replay/test_replay.py",
    "tests/security/test_site.py",
    "tests/engine/manners/",
    "tests/engine/frontier/",
    "tests/publish/test_browser.py",
    "tests/metamodel/test_check_cases.py",
    "tests/engine/run/",
    "tests/faults/",
    "tests/alert/test_killed_sending.py",
    "tests/examples/",
    "tests/engine/site/test_surveys.py",
    "tests/engine/document/test_text.py",
    "tests/redesign/",
    "tests/publish/",
    "tests/security/",
)
"""Long tests begin early, so that nobody waits for them in the end."""

_ONE_BY_ONE: Final = (
    "tests/versioning/test_crawled_sites.py",
    "tests/examples/test_rendered_sites.py",
    "tests/engine/run/test_interruption.py",
    "tests/engine/fetch/replay/test_replay.py",
    "tests/faults/test_kill_points.py",
    "tests/machines/test_faults.py",
)
"""Files whose tests have nothing in common that would be made twice, or would wait for each other for long."""

_TOGETHER: Final = ("tests/engine/fetch/browser/",)
"""Folders whose files share something that takes long to make: browsers. A store or a server takes a second."""

_SCHEMAS: Final = count(1)


class _Sharing(LoadScopeScheduling):
    """A file stays with one process; tests that share browsers do as well."""

    def _split_scope(self, nodeid: str) -> str:
        for folder in _TOGETHER:
            if nodeid.startswith(folder):
                return folder
        return nodeid if nodeid.startswith(_ONE_BY_ONE) else nodeid.partition("::")[0]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="Run what `make test` leaves to `make test-all`.")


@pytest.fixture
def is_exhaustive(pytestconfig: pytest.Config) -> bool:
    """Whether a test of many points tries all of them, not only a sample."""
    return bool(pytestconfig.getoption("--all"))


def pytest_configure(config: pytest.Config) -> None:
    skip_synchronisation()
    # Made before the folder that all other files are in, because it is removed after it.
    multiprocessing.util.get_temp_dir()
    if VARIABLE not in os.environ:
        folder = tempfile.TemporaryDirectory(prefix="rdfcrawl-", dir=place_in_memory())
        config.add_cleanup(folder.cleanup)
        # As any place for temporary files: some tests are another user for a while.
        os.chmod(folder.name, 0o1777)
        os.environ["TMPDIR"] = tempfile.tempdir = folder.name
        # What a user's cache knows from before must not decide a test, nor a test what it knows from now on.
        os.environ[VARIABLE] = f"{folder.name}/cache"
        os.environ[SHARED] = f"{folder.name}/postgres"
        # The driver of a browser takes almost as long as the browser, a good part of it to compile always the same.
        os.environ["NODE_COMPILE_CACHE"] = f"{folder.name}/node"
        if config.getoption("dist", "no") != "no":
            share_forkserver()
    use_warm_processes()
    # No deadlines: a machine that is busy is no fault.
    settings.register_profile(
        "rdfcrawl",
        max_examples=300 if config.getoption("--all") else 20,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("rdfcrawl")


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """The address of a server of PostgreSQL, the same for all tests."""
    with postgres_server() as address:
        yield address


@pytest.fixture
def queue_address(postgres: str) -> str:
    """The address of a queue in PostgreSQL that belongs to the test alone."""
    return f"{postgres}&options=-csearch_path%3Dqueue_{next(_SCHEMAS)}"


@pytest.fixture
def cold_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let rdfcrawl start its processes as it does outside tests, for tests of how these start, are limited and end."""
    use_cold_processes(monkeypatch)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> _Sharing:
    config.option.loadscopereorder = False
    return _Sharing(config, log)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--all"):
        left_out = [item for item in items if item.get_closest_marker("exhaustive")]
        items[:] = [item for item in items if not item.get_closest_marker("exhaustive")]
        config.hook.pytest_deselected(items=left_out)
    items.sort(key=_place)


def pytest_collection() -> None:
    # Thousands of tests and all that they import stay until the end; nobody need look through them, now or later.
    gc.disable()


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.enable()


def _place(item: pytest.Item) -> int:
    places = (place for place, name in enumerate(_LONGEST_FIRST) if item.nodeid.startswith(name))
    return next(places, len(_LONGEST_FIRST))
