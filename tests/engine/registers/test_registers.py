"""Lists of names and institutions from a real SPARQL server, in pages and resumed, and lists from files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rdfcrawl.engine.registers.institutions import institutions_query, write_institutions
from rdfcrawl.engine.registers.name_lists import NameSources, build_name_list, persons_query
from rdfcrawl.errors import UsageError
from rdfcrawl.recognise.lists.files import read_name_list
from tests.sparql_server import SparqlServer, sparql_server

NAMES = ["Ada Lovelace", "Grace Hopper", "Hannah Bast", "Katherine Johnson", "Mary Jackson"]
PREFIXES = """@prefix wd: <http://www.wikidata.org/entity/> . @prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
"""


@pytest.fixture(scope="module")
def server() -> Iterator[SparqlServer]:
    """A server with five persons, and three institutions, one of them of a subclass."""
    persons = "".join(f'wd:P{n} wdt:P31 wd:Q5 ; rdfs:label "{name}"@en , "X"@de .\n' for n, name in enumerate(NAMES))
    institutions = """wd:Q2 wdt:P279 wd:Q5341295 .
    wd:A wdt:P31 wd:Q5341295 ; wdt:P856 <https://a.example/> ; rdfs:label "University A"@en .
    wd:B wdt:P31 wd:Q2 ; wdt:P856 <http://b.example/start> ; rdfs:label "School B"@en .
    wd:C wdt:P31 wd:Q2 ; wdt:P856 <ftp://c.example/> ; rdfs:label "School C"@en .
    """
    with sparql_server() as started:
        started.add(PREFIXES + persons + institutions)
        yield started


def test_a_list_is_asked_for_in_pages(server: SparqlServer, tmp_path: Path) -> None:
    """Every name is counted once, and nothing is left but the list."""
    said: list[str] = []
    query = persons_query(server.query, "en", 100, 2, ordered=True)
    summary = build_name_list(tmp_path / "names.tsv", NameSources(endpoint=query), said.append)
    assert "10 words from 5 names" in summary
    assert [line.split(" rows")[0] for line in said] == ["2", "4", "5"]
    assert read_name_list(tmp_path / "names.tsv").total == 5
    assert [path.name for path in tmp_path.iterdir()] == ["names.tsv"]


def test_an_interrupted_list_is_resumed(server: SparqlServer, tmp_path: Path) -> None:
    """Pages that are there are not asked for again; a line that was cut off is."""

    def stop(text: str) -> None:
        if text.startswith("4 rows"):
            raise KeyboardInterrupt

    target = tmp_path / "names.tsv"
    query = persons_query(server.query, "en", 100, 2, ordered=True)
    with pytest.raises(KeyboardInterrupt):
        build_name_list(target, NameSources(endpoint=query), stop)
    kept = tmp_path / "names.tsv.part"
    with kept.open("a", encoding="utf-8") as file:
        file.write('[["Mary Ja')
    said: list[str] = []
    build_name_list(target, NameSources(endpoint=query), said.append)
    assert said[0].startswith("4 rows were there already")
    assert said[1].startswith("5 rows")
    assert read_name_list(target).total == 5
    assert not kept.exists()


def test_the_limit_and_the_language_are_kept(server: SparqlServer, tmp_path: Path) -> None:
    """No more rows than wanted; a tag that is none never becomes part of a query."""
    query = persons_query(server.query, "en", 3, 2, ordered=True)
    assert "from 3 names" in build_name_list(tmp_path / "few.tsv", NameSources(endpoint=query), lambda _: None)
    with pytest.raises(UsageError, match="language tag"):
        persons_query(server.query, "en') }", 3, 2, ordered=True)


def test_lists_from_files_of_full_given_and_family_names(tmp_path: Path) -> None:
    """Single names count as both; comments do not count."""
    for name, text in (("full", "# people\nAda Lovelace\nCher\n"), ("given", "Grace\n"), ("family", "Hopper\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
    sources = NameSources([tmp_path / "full"], [tmp_path / "given"], [tmp_path / "family"])
    build_name_list(tmp_path / "names.tsv.gz", sources, lambda _: None)
    made = read_name_list(tmp_path / "names.tsv.gz")
    assert [bool(count) for count in made.counts("Cher")] == [True, True]
    assert [bool(count) for count in made.counts("Grace")] == [True, False]
    assert [bool(count) for count in made.counts("Hopper")] == [False, True]


def test_sets_for_the_state_machine(tmp_path: Path) -> None:
    """Three files in a folder."""
    (tmp_path / "full").write_text("Ada King Lovelace\n", encoding="utf-8")
    build_name_list(tmp_path / "sets", NameSources([tmp_path / "full"]), lambda _: None, as_sets=True)
    found = {path.name: path.read_text() for path in (tmp_path / "sets").iterdir()}
    assert found == {"first.txt": "ada\n", "middle.txt": "king\n", "last.txt": "lovelace\n"}


def test_nothing_is_written_from_nothing(tmp_path: Path) -> None:
    """The message says what to name."""
    with pytest.raises(UsageError, match="--endpoint URL"):
        build_name_list(tmp_path / "names.tsv", NameSources(), lambda _: None)
    (tmp_path / "empty").write_text("")
    with pytest.raises(UsageError, match="no names were found"):
        build_name_list(tmp_path / "names.tsv", NameSources([tmp_path / "empty"]), lambda _: None)
    assert not (tmp_path / "names.tsv").exists()


def test_institutions_become_sections(server: SparqlServer, tmp_path: Path) -> None:
    """Of the class and its subclasses, with their names as comments; what is no web address is left out."""
    target = tmp_path / "sections.ttl"
    query = institutions_query(server.query, "Q5341295", "en", 100, 2)
    said = write_institutions(target, query, 2, lambda _: None)
    assert "2 sections; 1 addresses are none" in said
    text = target.read_text(encoding="utf-8")
    assert "# University A\n<model:> :section <https://a.example/> .\n<https://a.example/> :page page:site .\n" in text
    assert ":section <http://b.example/start>" in text
    assert "type:site ; :depth 2" in text
    with pytest.raises(UsageError, match="not a class of Wikidata"):
        institutions_query(server.query, "Q5 } #", "en", 1, 1)
