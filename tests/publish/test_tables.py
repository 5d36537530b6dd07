"""Tables that can be explored: facets, ranges, search in all texts, and what is shown as a file or a query."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from html import unescape
from io import BytesIO
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit

import pyarrow.parquet
import pytest

from rdfcrawl.publish.catalogue.numbers import as_number, as_text
from rdfcrawl.publish.tables import downloads
from rdfcrawl.rdf import terms
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import SectionRecord
from tests.publish.conftest import MODEL, Server, add_things, serving, thing

_TABLE = "/class?item=item://recipe"
_DIFFICULTY, _PORTIONS = "property://recipe/difficulty", "property://recipe/portions"


def _page(server: Server, path: str) -> str:
    answer = server.get(path, accept="text/html")
    assert answer.status == 200, answer.text
    return answer.text


def _found(text: str) -> int:
    stated = re.search(r'<p class="lead">(\d+)', text)
    assert stated
    return int(stated[1])


def _json(server: Server, path: str) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(server.get(path).text)
    return found


def test_a_column_with_few_values_is_a_facet_with_counts(server: Server) -> None:
    """Each value leads to the objects that have it, as many as it says; choosing it again shows all."""
    text = _page(server, _TABLE)
    facet = re.search(r"<h2>difficulty</h2>\s*<ul>(.*?)</ul>", text, re.DOTALL)
    assert facet
    choices = re.findall(r'href="([^"]+)"[^>]*><bdi>([^<]+)</bdi></a> <span class="number">(\d+)', facet[1])
    assert sum(int(count) for _, _, count in choices) == _found(text) == 26
    assert len(choices) > 1
    for href, name, count in choices:
        chosen = _page(server, href.replace("&amp;", "&"))
        assert _found(chosen) == int(count)
        assert f'aria-current="true"><bdi>{name}' in chosen
        assert "Show all" in chosen


def test_numbers_have_a_histogram_and_can_be_between_two_bounds(server: Server) -> None:
    """The bars add up to the objects that have a value; a range counts both of its ends."""
    text = _page(server, _TABLE)
    bars = [int(count) for count in re.findall(r"<title>[^<]*: (\d+)</title>", text.partition("<h2>portions</h2>")[2])]
    every = [row["portions"] for row in _json(server, "/class.json?item=item://recipe") if "portions" in row]
    assert sum(bars[:20]) == len(every)
    wanted = len([number for number in every if isinstance(number, int) and 10 <= number <= 16])
    assert 0 < wanted < len(every)
    path = f"{_TABLE}&from={_PORTIONS}+10&to={_PORTIONS}+16"
    assert _found(_page(server, path)) == wanted
    typed = f"{_TABLE}&range-1={_PORTIONS}&from-1=10&to-1=16"
    assert _found(_page(server, typed)) == wanted
    assert _found(_page(server, f"{_TABLE}&range-1={_PORTIONS}&from-1=&to-1=")) == 26


def test_what_is_no_bound_and_no_column_is_left_out(server: Server) -> None:
    """Addresses are typed, cut and made up: none of that is an error, and none of it is part of a query."""
    for nonsense in (
        f"&from={_PORTIONS}+many",
        "&is=property://nothing+x",
        "&is=",
        "&range-1=property://x'&from-1=1",
        f"&sort={quote(chr(39))}--",
        "&page=999999999999999999999",
        f"&from={_PORTIONS}+{'9' * 400}",
    ):
        assert _found(_page(server, _TABLE + nonsense)) == 26
    assert "Nothing found" in _page(server, f"{_TABLE}&is={_DIFFICULTY}+{quote(chr(39))}")


def test_parquet_has_the_rows_of_the_table_with_types(server: Server) -> None:
    """The same objects in the same order as JSON, with numbers as numbers."""
    chosen = f"item=item://recipe&is={_DIFFICULTY}+simpel&sort={_PORTIONS}"
    answer = server.get(f"/class.parquet?{chosen}")
    assert (answer.status, answer.headers["content-type"]) == (200, "application/vnd.apache.parquet")
    table = pyarrow.parquet.read_table(BytesIO(answer.body))
    found = _json(server, f"/class.json?{chosen}")
    assert found
    assert table.column("iri").to_pylist() == [row["iri"] for row in found]
    assert table.column("portions").to_pylist() == [row.get("portions") for row in found]


def test_what_is_shown_can_be_taken_away(server: Server) -> None:
    """CSV and JSON have the rows of all pages in the order of the table; the query gives the same objects."""
    chosen = f"item=item://recipe&is={_DIFFICULTY}+simpel&sort={_PORTIONS}&order=desc"
    text = _page(server, f"/class?{chosen}")
    rows = list(csv.reader(server.get(f"/class.csv?{chosen}").text.splitlines()))
    assert rows[0][0] == "iri"
    found = _json(server, f"/class.json?{chosen}")
    assert [row["iri"] for row in found] == [row[0] for row in rows[1:] if row[0].startswith("http")]
    assert len(found) == _found(text)
    portions = [row["portions"] for row in found if "portions" in row]
    assert portions == sorted(portions, reverse=True)  # type: ignore[type-var]
    link = re.search(r'href="(/sparql\?query=[^"]+)">SPARQL', text)
    assert link
    query = parse_qs(urlsplit(link[1].replace("&amp;", "&")).query)["query"][0]
    answer = server.get(f"/sparql?query={quote(query)}", accept="application/sparql-results+json")
    assert answer.status == 200, unquote(query)
    objects = {row["object"]["value"] for row in json.loads(answer.text)["results"]["bindings"]}
    assert objects == {row["iri"] for row in found}


@pytest.mark.parametrize("text", ["schmand", "SCHMANDCREME", "kirsch backen"])
def test_the_search_looks_at_all_texts(server: Server, text: str) -> None:
    """Words of instructions and ingredients, by their beginning, in any case."""
    assert "Schnelle Donauwelle" in _page(server, f"/search?q={quote(text)}")


def test_a_search_for_signs_finds_nothing_and_breaks_nothing(server: Server) -> None:
    """The language of the index is not the reader's."""
    for text in ('"', '"" OR *', "NEAR(a b)", "-", "a AND", "text:mehl*", "\x00x"):
        assert server.get(f"/search?q={quote(text)}", accept="text/html").status == 200


@pytest.mark.parametrize(
    ("text", "datatype", "number", "back"),
    [
        ("12", terms.INT, 12.0, "12"),
        ("3.5", terms.DECIMAL, 3.5, "3.5"),
        ("2026-03-01", terms.DATE, 739676.0, "2026-03-01"),
        ("2026-03-01T12:00:00Z", terms.DATE_TIME, 739676.5, "2026-03-01"),
        ("1999", terms.G_YEAR, 729755.0, "1999"),
        ("2026-03-01T12:00:00+06:00", terms.DATE_TIME, 739676.25, "2026-03-01"),
        ("12", terms.XSD + "nonNegativeInteger", 12.0, "12"),
        ("99999999999", terms.G_YEAR, None, ""),
        ("NaN", terms.DOUBLE, None, ""),
        ("many", terms.INT, None, ""),
        ("20000-01-01", terms.DATE, None, ""),
        ("12", terms.STRING, None, ""),
    ],
)
def test_numbers_and_dates_have_a_place(text: str, datatype: str, number: float | None, back: str) -> None:
    """What has none is in no histogram."""
    assert as_number(text, datatype) == number
    assert number is None or as_text(number, datatype) == back


def test_an_object_of_many_values_is_complete_in_files(tmp_path: Path) -> None:
    """Pages show some of the values and say so; CSV, JSON and Parquet have every one."""
    store = open_store(tmp_path / "store")
    many = [f"http://example.org/home/{number:03}" for number in range(100)]
    described = thing("few", "Few", many[0]) + "".join(thing("many", "Many", home) for home in many)
    add_things(store, 1, "".join(sorted(set(described.splitlines(keepends=True)))), tmp_path)
    with serving(store) as server:
        _, *rows = csv.reader(server.get("/class.csv?item=item://thing").text.splitlines(keepends=True))
        assert [row[2].split("\n") for row in rows] == [many[:1], many]
        assert [row["home"] for row in _json(server, "/class.json?item=item://thing")] == [many[0], many]
        parquet = pyarrow.parquet.read_table(BytesIO(server.get("/class.parquet?item=item://thing").body))
        assert parquet.column("home").to_pylist() == [many[:1], many]
        assert _page(server, "/class?item=item://thing").count("<bdi>and more</bdi>") == 1
        page = _page(server, "/page?iri=http://data.example.org/things/many")
        whole = re.search(r'These are 60 of them; <a href="([^"]+)">the data</a> has all', page)
        assert whole
        assert all(home in server.get(whole[1]).text for home in many)
        assert "of them" not in _page(server, "/page?iri=http://data.example.org/things/few")


def test_a_table_that_is_too_large_for_a_file_is_not_cut(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a table would look like all of it."""
    monkeypatch.setattr(downloads, "MOST_ROWS", 25)
    for suffix in ("csv", "json", "parquet"):
        answer = server.get(f"/class.{suffix}?item=item://recipe")
        assert answer.status == 413
        assert "the table has 26 rows" in answer.text
    fewer = server.get("/class.csv?item=item://recipe&q=Donauwelle")
    assert fewer.status == 200


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("dateTime", [f"2024-03-{day:02}T{day % 24:02}:30:00Z" for day in range(1, 31)]),
        ("date", [f"2024-{month:02}-15" for month in range(1, 13)]),
        ("gYear", [f"{year}" for year in range(1999, 2025)]),
        ("integer", [f"{number}" for number in range(41)]),
        ("decimal", [f"{1_000_000 + number}.{number:02}" for number in range(60)]),
        ("decimal", [f"{number}.123456789" for number in range(130)]),
        ("double", ["-1.5e308", "0", "2.5", "1e20", "1.5e308"]),
    ],
)
def test_a_bar_leads_to_as_many_objects_as_it_says(tmp_path: Path, kind: str, texts: list[str]) -> None:
    """As a table and as its query: no value falls between two bars, or off the last one because that was rounded."""
    datatype = terms.XSD + kind
    given = {"date": ' ; :format "yyyy-MM-dd"', "dateTime": ' ; :format "yyyy-MM-dd HH:mm"'}.get(kind, "")
    model = MODEL.replace(":optional true", f":optional true ; :type <{datatype}>{given}")
    lines = [
        f"{thing(f'{number:03}', 'thing')}<http://data.example.org/things/{number:03}> <property://thing/home> "
        f'"{text}"^^<{datatype}> .\n'
        for number, text in enumerate(texts)
    ]
    store = open_store(tmp_path / "store")
    add_things(store, 1, "".join(lines), tmp_path, model)
    with serving(store) as server:
        page = _page(server, "/class?item=item://thing").partition("<h2>home</h2>")[2]
        bars = [(unescape(href), int(count)) for href, count in re.findall(r'href="([^"]+)".*?: (\d+)</title>', page)]
        assert sum(count for _, count in bars) == len(texts)
        for href, count in bars:
            if count:
                table = _page(server, href)
                assert _found(table) == count
                query = re.search(r'href="(/sparql\?query=[^"]+)"', table)
                assert query
                answer = server.get(unescape(query[1]), accept="text/csv").text
                assert len(answer.splitlines()) - 1 == count, answer


def test_a_table_as_json_is_json_whatever_its_numbers_are(tmp_path: Path) -> None:
    """Infinity and what is no number have no place there except as texts."""
    store = open_store(tmp_path / "store")
    lines = [
        f"{thing(text, text)}<http://data.example.org/things/{text}> <property://thing/home> "
        f'"{text}"^^<{terms.DOUBLE}> .\n'
        for text in ("2.5", "1e400", "-INF", "NaN")
    ]
    add_things(store, 1, "".join(lines), tmp_path)

    def refuse(name: str) -> None:
        raise AssertionError(name)

    with serving(store) as server:
        found = json.loads(server.get("/class.json?item=item://thing").text, parse_constant=refuse)
        assert {row["label"]: row["home"] for row in found} == {
            "2.5": 2.5,
            "1e400": "INF",
            "-INF": "-INF",
            "NaN": "NaN",
        }


def test_a_class_of_two_models_has_the_columns_of_both(tmp_path: Path) -> None:
    """Whichever has run last: a table, and its files, leave out nothing that the other one has read."""
    store = open_store(tmp_path / "store")
    models = {name: MODEL.replace("data.example.org", f"{name}.example.org") for name in ("a", "b")}
    models["b"] = models["b"].replace("thing/home", "thing/size")
    for run, (name, model) in enumerate(models.items(), 1):
        iri, value = f"http://{name}.example.org/things/1", "home" if name == "a" else "size"
        lines = f'<{iri}> <property://thing/{value}> "{value} of {name}" .\n' + thing("1", name)
        add_things(store, run, lines.replace("data.example", f"{name}.example"), tmp_path, model)
        record = store.runs.read_record(run)
        sections = (SectionRecord(f"http://{name}.example.org/things"),)
        store.runs.write_record(replace(record, sections=sections, model=replace(record.model, digest=name)))
    store.refresh()
    with serving(store) as server:
        found = {row.pop("iri"): row for row in _json(server, "/class.json?item=item://thing")}
        assert found == {
            "http://a.example.org/things/1": {"label": "a", "home": "home of a"},
            "http://b.example.org/things/1": {"label": "b", "size": "size of b"},
        }
        table = _page(server, "/class?item=item://thing")
        assert all(text in table for text in ("home of a", "size of b"))
