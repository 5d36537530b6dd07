"""``rdfcrawl names`` and the exports of names, on a store with a run of the small site about people."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from rdfcrawl.cli import app
from rdfcrawl.errors import UsageError
from rdfcrawl.store.folder import open_store
from tests.people_site import SITE, run_site, write_site


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with one run."""
    folder = tmp_path_factory.mktemp("names")
    store = open_store(folder / "store")
    run_site(store, write_site(folder / "site"))
    return str(folder / "store")


def call(*arguments: str) -> Result:
    """Run a command in this process."""
    return CliRunner().invoke(app, list(arguments))


def test_without_a_name_everybody_is_listed(place: str) -> None:
    """Those that most pages mention first."""
    printed = call("names", "--store", place).stdout.splitlines()
    assert [line.split("  ")[0] for line in printed[2:]] == ["Hannah Bast", "Dennis Armbruster", "Maria Schmidt"]


def test_with_a_name_the_pages_about_that_person_are_shown_best_first(place: str) -> None:
    """With scores and an excerpt; short and long forms together."""
    printed = call("names", "hannah bast", "--store", place).stdout
    assert printed.index("/b.html") < printed.index("/a.html")
    assert "bm25" in printed
    assert "works with Prof. Dr. Hannah Bast" in printed
    schmidt = call("names", "Schmidt", "--store", place).stdout
    assert "Maria Schmidt\n  also M. Schmidt" in schmidt


def test_the_answer_as_json(place: str) -> None:
    """For programs."""
    (person,) = json.loads(call("names", "bast", "--format", "json", "--store", place).stdout)
    assert person["label"] == "Hannah Bast"
    assert [page["address"] for page in person["about"]] == [f"{SITE}/b.html", f"{SITE}/a.html"]


def test_nobody_of_that_name_and_no_run_with_names(place: str, tmp_path: Path) -> None:
    """One sentence that says what to do."""
    assert "is called 'Nobody'" in str(call("names", "Nobody", "--store", place).exception)
    open_store(tmp_path / "empty")
    missing = call("names", "--store", str(tmp_path / "empty")).exception
    assert isinstance(missing, UsageError)
    assert ":recognise recognise:person" in str(missing)


def test_the_export_of_names_has_a_line_for_each(place: str) -> None:
    """Tag, tab, and the pages with tf.idf and bm25, best first."""
    lines = call("export", "--format", "names", "--store", place).stdout.splitlines()
    assert [line.split("\t")[0] for line in lines] == [
        "<Dennis_Armbruster>",
        "<Hannah_Bast>",
        "<M._Schmidt>",
        "<Maria_Schmidt>",
    ]
    assert lines[0].split("\t")[1].startswith(f"{SITE}/a.html (4,")
    assert lines[1].split("\t")[1].split(" ")[::2] == [f"{SITE}/b.html", f"{SITE}/a.html"]


def test_the_export_for_qlever_reads_the_archive(place: str, tmp_path: Path) -> None:
    """Words with tags, sentences with numbers, and triples; a folder is needed."""
    assert "-o" in str(call("export", "--format", "qlever-text", "--store", place).exception)
    target = tmp_path / "text"
    assert call("export", "--format", "qlever-text", "-o", str(target), "--store", place).exit_code == 0
    assert "Dennis Armbruster works with Prof. Dr. Hannah Bast." in (target / "docs.tsv").read_text()
    assert f"<Hannah_Bast> <appears-in> <{SITE}/a.html> .\n" in (target / "names.nt").read_text()
    words = (target / "words.tsv").read_text().splitlines()
    assert "<Maria_Schmidt>\t1" in {line.rsplit("\t", 2)[0] for line in words}


def test_lists_are_built_from_files(tmp_path: Path) -> None:
    """The short way through the command line."""
    (tmp_path / "names").write_text("Ada Lovelace\n")
    built = call("names", "lists", "build", "--from", str(tmp_path / "names"), "-o", str(tmp_path / "list.tsv"))
    assert built.exit_code == 0
    assert "lovelace\t\t1" in (tmp_path / "list.tsv").read_text()
