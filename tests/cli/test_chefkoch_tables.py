"""The recipes as tables, as someone with DuckDB finds them after running a model and exporting it."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest
from typer.testing import CliRunner

from rdfcrawl.cli import app

RECIPE = "http://www.chefkoch.de/rezepte/372611122991708/Donauwelle-Konditorenart.html"
COLUMNS = {
    "iri": "VARCHAR",
    "parent": "VARCHAR",
    "label": "VARCHAR",
    "difficulty": "VARCHAR",
    "instructions": "VARCHAR",
    "portions": "INTEGER",
    "rating": "DECIMAL(38,1)",
    "workingTime": "VARCHAR",
    "workingTime_seconds": "DOUBLE",
}
TYPES_OF_XSD = {"int": "INTEGER", "decimal": "DECIMAL(38,1)", "string": "VARCHAR", "anyURI": "VARCHAR"}


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables of the chefkoch example, in both formats."""
    folder = tmp_path_factory.mktemp("tables")
    call("run", "models/chefkoch.ttl", "--replay", "examples/sites", "--no-record", "--store", str(folder / "store"))
    for form in ("csv", "parquet"):
        call("export", "--format", form, "-o", str(folder / form), "--store", str(folder / "store"))
    return folder


def call(*arguments: str) -> None:
    done = CliRunner().invoke(app, list(arguments), catch_exceptions=False)
    assert done.exit_code == 0, done.output


def described(relation: str) -> dict[str, str]:
    return {row[0]: row[1] for row in duckdb.sql(f"DESCRIBE SELECT * FROM {relation}").fetchall()}


def test_parquet_has_the_types_of_the_model(exported: Path) -> None:
    """Portions are whole numbers, ratings decimals, working times can be calculated with."""
    recipes = f"'{exported}/parquet/recipe.parquet'"
    assert described(recipes) == COLUMNS
    query = f"SELECT label, portions, rating, workingTime, workingTime_seconds FROM {recipes} WHERE iri = '{RECIPE}'"
    ((label, portions, rating, working_time, seconds),) = duckdb.sql(query).fetchall()
    assert (label, portions, str(rating)) == ("Donauwelle Konditorenart", 1, "4.5")
    assert (working_time, seconds) == ("PT60M", 3600.0)
    assert duckdb.sql(f"SELECT count(*), count(rating) FROM {recipes}").fetchall() == [(26, 22)]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_ingredients_join_their_recipe_by_its_key(exported: Path, form: str) -> None:
    """``parent`` of an ingredient is ``iri`` of its recipe, and nothing hangs in the air."""
    ingredients, recipes, edges = (f"'{exported}/{form}/{name}.{form}'" for name in ("ingredient", "recipe", "edges"))
    join = f"SELECT count(*) FROM {ingredients} i JOIN {recipes} r ON i.parent = r.iri"
    assert duckdb.sql(join).fetchall() == duckdb.sql(f"SELECT count(*) FROM {ingredients}").fetchall() == [(182,)]
    of_recipe = f"SELECT i.amount FROM {ingredients} i WHERE i.parent = '{RECIPE}' AND i.label LIKE 'Puddingpulver%'"
    assert duckdb.sql(of_recipe).fetchall() == [("2 Pck.",)]
    # One recipe stands in both lists, so that there is one edge more than there are recipes.
    assert duckdb.sql(f"SELECT count(*) FROM {edges} WHERE class = 'recipe'").fetchall() == [(27,)]


def test_csv_has_types_that_are_guessed_rightly_and_declared_beside_it(exported: Path) -> None:
    """DuckDB's guess calculates as expected; with the types of csv-metadata.json the columns are those of the model."""
    recipes = f"'{exported}/csv/recipe.csv'"
    assert {name: kind for name, kind in described(recipes).items() if kind != "VARCHAR"} == {
        "portions": "BIGINT",
        "rating": "DOUBLE",
    }
    tables = json.loads((exported / "csv" / "csv-metadata.json").read_bytes())["tables"]
    (schema,) = (table["tableSchema"] for table in tables if table["url"] == "recipe.csv")
    declared = {column["name"]: column["datatype"] for column in schema["columns"]}
    assert declared["workingTime"] == "duration"
    types = {name: TYPES_OF_XSD.get(datatype, "VARCHAR") for name, datatype in declared.items()}
    expected = {name: kind for name, kind in COLUMNS.items() if name != "workingTime_seconds"}
    assert described(f"read_csv({recipes}, types = {types})") == expected
