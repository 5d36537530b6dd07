"""A survey and an ordinary run as texts and as databases."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import psycopg
import pytest

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.export.postgres import write_postgres
from rdfcrawl.store.export.relations import DatabaseField, Relation, Relations, ScalarType
from rdfcrawl.store.folder import open_folder
from tests.commands import Command
from tests.crawling import unloaded_store
from tests.survey.conftest import Surveyed

ROOT = Path(__file__).parents[2]


def export(folder: Path, *arguments: str) -> Command:
    command = Command("export", "--store", str(folder), *arguments)
    assert command.wait() == 0, command.said
    return command


@pytest.fixture(scope="module")
def recipes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The store of an ordinary run."""
    folder = open_folder(tmp_path_factory.mktemp("recipes") / "store")
    options = RunOptions(replay=str(ROOT / "examples" / "sites"))
    asyncio.run(run_model(load_model(ROOT / "models" / "chefkoch.ttl"), unloaded_store(folder), options))
    return folder


def test_the_texts_come_from_the_archive(surveyed: Surveyed) -> None:
    """One line for every HTML page, in the order of the addresses; the site itself is gone."""
    lines = [json.loads(line) for line in export(surveyed.folder, "--format", "texts").printed.splitlines()]
    paths = {line["address"].replace(surveyed.address(""), ""): line for line in lines}
    assert sorted(paths)[:6] == ["/", "/a", "/b", "/deep", "/deeper", "/untitled"]
    assert len(lines) == 8
    assert paths["/b"] == {
        "address": surveyed.address("/b"),
        "title": "B",
        "language": "de",
        "depth": 1,
        "text": "A",
    }
    assert paths["/untitled"]["text"] == "nothing\nA"
    assert paths["/untitled"]["title"] is None


def test_a_survey_is_four_tables(surveyed: Surveyed, tmp_path: Path) -> None:
    """With keys that fit each other; a second export takes the place of the first."""
    target = tmp_path / "site.sqlite"
    for _ in range(2):
        export(surveyed.folder, "--format", "sqlite", "-o", str(target))
    with closing(sqlite3.connect(target)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        assert {"pages", "links", "images", "hosts"} <= tables
        assert database.execute("PRAGMA foreign_key_check").fetchall() == []
        kinds = dict(database.execute("SELECT kind, count(*) FROM pages GROUP BY kind"))
        assert (kinds["html"], kinds["redirect"], sum(kinds.values())) == (8, 7, 23)
        query = "SELECT text FROM links JOIN pages ON target = address WHERE status = 404 ORDER BY source"
        assert database.execute(query).fetchall() == [("to /broken",), ("to /broken",)]
        assert database.execute("SELECT count(*) FROM images").fetchone() == (2,)


def test_an_ordinary_run_has_a_table_for_each_class(recipes: Path, tmp_path: Path) -> None:
    """Numbers are numbers; the classes are those of the model."""
    target = tmp_path / "recipes.sqlite"
    export(recipes, "--format", "sqlite", "-o", str(target))
    with closing(sqlite3.connect(target)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")}
        assert "edges" in tables
        assert "pages" not in tables
        (count,) = database.execute("SELECT count(*) FROM recipe").fetchone()
        assert count > 1
        assert database.execute("SELECT count(DISTINCT iri) FROM recipe WHERE parent <> ''").fetchone() == (count,)


def test_postgresql_gets_the_same_tables(surveyed: Surveyed, postgres: str) -> None:
    """In a schema of its own, which the next export replaces; other schemas are left alone."""
    for _ in range(2):
        export(surveyed.folder, "--to", postgres, "--schema", "site")
    with psycopg.connect(postgres) as connection:
        rows: Any = connection.execute("SELECT kind, count(*) FROM site.pages GROUP BY kind").fetchall()
        assert dict(rows)["html"] == 8
        joined = "SELECT count(*) FROM site.links JOIN site.pages ON address = source JOIN site.hosts USING (host)"
        assert connection.execute(joined).fetchone() == (
            len([line for line in surveyed.run.links if "site/link>" in line]),
        )
        connection.execute("CREATE SCHEMA other")
    command = Command("export", "--store", str(surveyed.folder), "--to", postgres, "--schema", "other")
    assert command.wait() == 2
    assert "the schema other is not from an export" in command.said


def test_what_fails_in_the_middle_leaves_what_was_there(postgres: str) -> None:
    """All or nothing; texts of any length and with any character are taken."""
    long = "x" * 5_000
    relation = Relation(
        "things", (DatabaseField("iri", required=True), DatabaseField("size", ScalarType.INTEGER)), ("iri",), ("iri",)
    )
    whole = Relations((relation,), lambda: iter([(relation, ("a\0b", 1)), (relation, (long, None))]))
    assert write_postgres(whole, postgres, "kept") == {"things": 2}
    broken = Relations((relation,), lambda: iter([(relation, ("a", 1)), (relation, ("a", 2))]))
    with pytest.raises(StoreError, match="nothing was written"):
        write_postgres(broken, postgres, "kept")
    with psycopg.connect(postgres) as connection:
        assert connection.execute("SELECT iri, size FROM kept.things ORDER BY size").fetchall() == [
            ("a\ufffdb", 1),
            (long, None),
        ]


def test_a_password_in_the_address_is_refused() -> None:
    """And not repeated."""
    with pytest.raises(UsageError, match="PGPASSWORD") as refused:
        write_postgres(Relations((), lambda: iter(())), "postgresql://me:geheim@db.test/x", "site")
    assert "geheim" not in str(refused.value)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--format", "sqlite"), "name it with -o"),
        (("--format", "sqlite", "-o", "x.db", "--run", "all"), "one state"),
        (("--to", "mysql://x"), "PostgreSQL"),
        (("--to", "postgresql:///x", "-o", "x.db"), "only one of them"),
        (("--format", "texts", "--run", "all"), "one run"),
    ],
)
def test_mistakes_get_one_message(arguments: tuple[str, ...], said: str, surveyed: Surveyed) -> None:
    """And nothing is written."""
    command = Command("export", "--store", str(surveyed.folder), *arguments)
    assert command.wait() == 2
    assert said in command.said
    assert "Traceback" not in command.said
