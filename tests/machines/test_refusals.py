"""What keeps a queue from being used is said in one sentence."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

from rdfcrawl.engine.frontier.opening import open_shared
from rdfcrawl.engine.frontier.postgres.tables import FORMAT
from rdfcrawl.engine.frontier.protocol import SharedTask
from rdfcrawl.errors import StoreError, UsageError
from tests.book_site import book_site
from tests.commands import Command
from tests.machines.fleet import leader, worker


async def refused(*arguments: str) -> str:
    command = Command(*arguments)
    assert await command.ended() == 2
    assert "Traceback" not in command.said
    assert len(command.said.splitlines()) <= 2
    return command.said


@pytest.mark.parametrize(
    "address",
    ["postgresql://me:hushhush@db.example/crawl", "postgresql://me@db.example/crawl?password=hushhush"],
)
async def test_a_password_in_an_address(tmp_path: Path, address: str) -> None:
    """It is refused before anybody is asked, and never repeated."""
    said = await refused("worker", "--queue", address)
    assert "contains a password" in said
    assert "PGPASSFILE" in said
    assert "hushhush" not in said


@pytest.mark.parametrize("address", ["crawl", "mysql://db.example/crawl", "postgresql://a:hushhush@[/?nonsense=1"])
async def test_an_address_that_is_none(address: str) -> None:
    """The message has one that is."""
    said = await refused("queue", "--queue", address)
    assert "postgresql:///?service=crawl" in said
    assert "hushhush" not in said


async def test_no_address_at_all(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both ways to give one are named."""
    monkeypatch.delenv("RDFCRAWL_QUEUE", raising=False)
    said = await refused("worker")
    assert "--queue" in said
    assert "RDFCRAWL_QUEUE" in said


async def test_leaving_the_reading_to_nobody(tmp_path: Path) -> None:
    """Without a queue there are no workers."""
    said = await refused("run", "model.ttl", "--no-crawl", "--store", str(tmp_path / "store"))
    assert "--queue" in said


async def test_a_server_that_is_not_there(tmp_path: Path) -> None:
    """Who leads a run is told at once."""
    said = await refused("queue", "--queue", f"postgresql:///?host={quote(str(tmp_path))}")
    assert "no connection to PostgreSQL" in said


async def test_an_unknown_user(postgres: str) -> None:
    """A worker does not wait for what will not come."""
    said = await refused("worker", "--queue", postgres.replace("tester@", "nobody@"))
    assert "nobody" in said


async def test_a_user_without_rights(postgres: str) -> None:
    """The administrator is told what to do."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
    said = await refused("queue", "--queue", postgres.replace("tester@", "guest@"))
    assert "lacks a right" in said
    assert "CREATE SCHEMA rdfcrawl AUTHORIZATION" in said


async def test_tables_of_another_version(queue_address: str) -> None:
    """They are neither read nor changed."""
    queue = await open_shared(queue_address, lambda text: None)
    await queue.aclose()
    with psycopg.connect(queue_address, autocommit=True) as connection:
        connection.execute("UPDATE format SET number = number + 1")
    with pytest.raises(StoreError, match=f"have format {FORMAT + 1}; this rdfcrawl reads and writes format {FORMAT}"):
        await open_shared(queue_address, lambda text: None)


async def test_tables_that_are_gone(queue_address: str) -> None:
    """Somebody may have removed them; they also seem to be gone if a pooler hands out sessions of others."""
    queue = await open_shared(queue_address, lambda text: None)
    with psycopg.connect(queue_address, autocommit=True) as connection:
        connection.execute("DROP TABLE run CASCADE")
    with pytest.raises(StoreError, match=r"has lost a table .*\(pool_mode = session\)"):
        await queue.begin("identity")
    await queue.aclose()


async def test_another_version_of_the_program(queue_address: str, tmp_path: Path) -> None:
    """A worker leaves the run to others; a leader does not resume it, and may begin anew."""
    model = tmp_path / "books.ttl"
    async with book_site(20) as site:
        model.write_text(site.model)
        queue = await open_shared(queue_address, lambda text: None)
        run = await queue.begin("identity")
        await queue.offer(run, SharedTask("{}"))
        with psycopg.connect(queue_address, autocommit=True) as connection:
            connection.execute("UPDATE run SET version = '0.0.0'")
        with pytest.raises(StoreError, match=r"begun by rdfcrawl 0\.0\.0"):
            await queue.offer(run, SharedTask("{}"))
        await queue.aclose()
        reader = worker(queue_address)
        command = leader(queue_address, model, tmp_path / "store", "--no-crawl")
        assert await command.ended() == 0, command.said
        reader.kill()
        await reader.ended()
    assert "takes part only in runs of its own version" in reader.said


async def test_a_folder_for_the_archive_that_is_not_mounted(queue_address: str, tmp_path: Path) -> None:
    """The worker does not read what could not be archived."""
    model = tmp_path / "books.ttl"
    async with book_site(20) as site:
        model.write_text(site.model)
        reader = worker(queue_address, "--archive", str(tmp_path / "nowhere"))
        command = leader(queue_address, model, tmp_path / "store")
        assert await command.ended() == 0, command.said
        reader.kill()
        await reader.ended()
    if "run" in reader.said:
        assert "takes no part in run" in reader.said


def test_what_is_shown_of_an_address() -> None:
    """Where, and as whom; an address with a password has no words."""
    from rdfcrawl.engine.frontier.postgres.address import QueueAddress

    assert str(QueueAddress.of("postgresql://me@db.example:5433/crawl")) == (
        "PostgreSQL (host db.example, port 5433, dbname crawl, user me)"
    )
    with pytest.raises(UsageError, match="contains a password"):
        QueueAddress.of("postgresql://me:secret@db.example/crawl")
