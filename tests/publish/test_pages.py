"""Pages for people, as the server sends them."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl.publish.data.schema import readable_name
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import RunState, SectionRecord
from tests.publish.conftest import FIRST, RECIPE, SECOND, AddRun, Server, add_things, asked, serving, thing

TABLE = "/class?item=item://recipe"


def page(server: Server, path: str) -> str:
    answer = server.get(path, Accept="text/html")
    assert answer.status == 200, answer.text
    return answer.text


def names(text: str) -> list[str]:
    """What the rows of a table are called."""
    return re.findall(r'<th scope="row"[^>]*><a href="[^"]*"><bdi>([^<]*)</bdi>', text)


def test_the_start_page_tells_what_is_there(server: Server) -> None:
    """Classes with their numbers, and runs with their changes."""
    text = page(server, "/")
    assert "recipe" in text
    assert f'href="/run/{SECOND}"' in text
    assert "28 added" in text
    assert "3 removed" in text
    assert text.count("<rect") >= 4


def test_a_table_is_ordered_by_any_column(server: Server) -> None:
    """Numbers by their value, both ways round; objects without a value come last."""
    labels = names(page(server, TABLE))
    assert labels == sorted(labels, key=str.casefold)
    rating = "&sort=property://recipe/rating"
    up, down = names(page(server, TABLE + rating)), names(page(server, TABLE + rating + "&order=desc"))
    assert up[0] == "Donauwellen-Schnitten mit Marzipan"
    assert down[0] in ("Donauwelle im Glas", "Kaiserschmarrn mit Zwetschgenröster")
    portions = names(page(server, TABLE + "&sort=property://recipe/portions"))
    assert portions[0] == "Donauwelle Konditorenart"
    assert portions[-1] == "Omas Donauwelle &amp; ein Rest Teig"
    assert up[-1] == down[-1]


def test_a_table_is_filtered(server: Server) -> None:
    """By a text in any column or in one, and by the object that the rows belong to."""
    assert set(names(page(server, TABLE + "&q=donau"))) > {"Donauwelle Konditorenart"}
    assert names(page(server, TABLE + "&q=pfiffig&column=property://recipe/label")) == []
    assert len(names(page(server, TABLE + "&q=pfiffig&column=property://recipe/difficulty"))) == 4
    inside = page(server, f"/class?item=item://ingredient&within={asked(RECIPE)}")
    assert len(names(inside)) == 12


def test_a_table_of_nested_objects_tells_what_they_are_in(server: Server) -> None:
    """Each ingredient with its recipe; inside one recipe that would say nothing."""
    table = "/class?item=item://ingredient"
    found = page(server, table + "&q=puddingpulver")
    assert '<th scope="col" role="columnheader">in</th>' in found
    assert "Donauwelle Konditorenart" in found
    assert '<th scope="col" role="columnheader">in</th>' not in page(server, f"{table}&within={asked(RECIPE)}")


def test_a_table_has_pages(server: Server) -> None:
    """Fifty rows each; a page beyond the end is the last one."""
    first = names(page(server, "/class?item=item://ingredient"))
    last = names(page(server, "/class?item=item://ingredient&page=99"))
    assert (len(first), len(last)) == (50, 182 - 150)


def test_an_object_shows_its_values_and_what_is_inside(server: Server) -> None:
    """Values, ingredients, the list that leads here, the run and the model."""
    text = page(server, f"/page?iri={asked(RECIPE)}")
    for expected in ("Donauwelle Konditorenart", "4.5", "Puddingpulver", "750 ml", "Donauwelle/Rezepte.html"):
        assert expected in text
    assert f'href="/run/{SECOND}"' in text
    assert "<bdi>chefkoch.ttl</bdi>" in text


def test_the_history_of_an_object_shows_old_and_new_values(server: Server) -> None:
    """The rating before and after, the ingredient that is gone, and both versions."""
    text = page(server, f"/page?iri={asked(RECIPE)}&tab=history")
    assert re.search(r"<del>.*4.*</del>.*<ins>.*4\.5.*</ins>", text, re.DOTALL)
    assert "Zutat" in text
    assert text.count(f"/run/{FIRST}/resource") >= 1
    assert "first seen" in text


def test_two_runs_are_compared(server: Server) -> None:
    """Without parameters the last two; named, any two, in either order."""
    assert "4 changes" in page(server, "/diff")
    assert "4 changes" in page(server, f"/diff?from={SECOND}&to={FIRST}")
    assert server.get("/diff?from=5").status == 404


def test_a_run_shows_its_report(server: Server) -> None:
    """Its numbers, its sections and its changes."""
    text = page(server, f"/run/{SECOND}")
    assert "Nothing" not in text
    for expected in ("725", "rating", "Zutat", "Kaiserschmarrn/Rezepte.html", "dump.nq.gz"):
        assert expected in text
    assert server.get("/run/5").status == 404
    assert server.get(f"/model/{SECOND}").text.startswith("# Recipes")


def test_search_finds_words_of_labels(server: Server) -> None:
    """All words must be there, in any order; what begins with the text comes first."""
    found = re.findall(r"<li><a href=\"/page[^>]*><bdi>([^<]*)", page(server, "/search?q=konditorenart+donau"))
    assert found == ["Donauwelle Konditorenart"]
    assert "No object has" in page(server, "/search?q=quinoa")


def test_the_answer_to_a_query_is_a_page_for_browsers(server: Server) -> None:
    """Without script, the form loads a page with the table, or with what is wrong."""
    text = page(
        server, "/sparql?query=SELECT%20%3Flabel%20%7B%3Fs%20recipe:label%20%3Flabel%7D%20ORDER%20BY%20%3Flabel"
    )
    assert "26 rows" in text
    assert "Donauwelle im Glas" in text
    wrong = server.get("/sparql?query=SELECT", Accept="text/html")
    assert wrong.status == 400
    assert 'class="error"' in wrong.text


def test_names_are_read_from_iris() -> None:
    """The last part of an IRI, in words."""
    assert readable_name("property://recipe/workingTime") == "working time"
    assert readable_name("https://schema.org/name") == "name"
    assert readable_name("http://example.org/terms#Birth_Date") == "birth date"
    assert readable_name("property://recipe/backÖfen2Größe") == "back öfen2 größe"
    assert readable_name("property://book/ценаРуб") == "цена руб"
    assert readable_name("property://book/السعر") == "السعر"


def test_a_run_that_is_not_complete_is_shown_as_such(tmp_path: Path, add_run: AddRun) -> None:
    """A run under way is in the list of runs, but not in the data."""
    store = open_store(tmp_path / "store")
    record = add_run(store, 1, thing("a", "A"))
    store.runs.write_record(replace(record, id=2, state=RunState.RUNNING, ended=None))
    with serving(store) as server:
        assert "running" in page(server, "/")
        assert "running" in page(server, "/run/2")
        assert server.get("/run/2/dump.nq.gz").status == 404
        assert len(names(page(server, "/class?item=item://thing"))) == 1


def test_the_record_of_an_unfinished_run_is_not_there_yet(
    tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Programs are told so, and the server has nothing to complain about."""
    complaints: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", complaints.append)
    store = open_store(tmp_path / "store")
    record = add_run(store, 1, thing("a", "A"))
    store.runs.write_record(replace(record, id=2, state=RunState.RUNNING, ended=None))
    with serving(store) as server:
        for _ in range(5):
            answer = server.get("/run/2", Accept="text/turtle")
            assert (answer.status, answer.text) == (404, "run 2 has no record: it has not ended, or it was pruned\n")
    assert complaints == []


def test_the_models_of_the_examples_give_queries_that_work(server: Server) -> None:
    """Every example query of the editor is answered."""
    text = page(server, "/sparql")
    examples = re.findall(r'class="example" href="([^"]*)"', text)
    assert len(examples) >= 4
    for address in examples:
        assert "rows</p>" in page(server, address.replace("&amp;", "&"))


def test_an_object_without_a_label_is_called_what_it_is_now(tmp_path: Path) -> None:
    """Its values of earlier runs are no part of its name, except on the pages of these runs and when it is gone."""
    store = open_store(tmp_path / "store")
    iri, section = "http://data.example.org/things/1", "http://data.example.org/things"
    for run in range(1, 5):
        lines = f'<{section}> <item://thing> <{iri}> .\n<{iri}> <property://thing/home> "home {run}" .\n'
        add_things(store, run, lines, tmp_path)
    with serving(store) as server:
        for path, name in (
            (f"/page?iri={iri}", "home 4"),
            *((f"/run/{n}/resource?iri={iri}", f"home {n}") for n in (1, 3)),
        ):
            assert f"<h1><bdi>thing {name}</bdi></h1>" in server.get(path, accept="text/html").text


def test_what_has_no_page_is_no_link_to_one(tmp_path: Path, add_run: AddRun) -> None:
    """An object without any value, and a section without objects, lead to their site and not to an error."""
    store = open_store(tmp_path / "store")
    section, bare = "http://data.example.org/things", "http://data.example.org/things/bare"
    record = add_run(store, 1, f"{thing('a', 'A')}<{section}> <item://thing> <{bare}> .\n")
    empty = SectionRecord("http://data.example.org/empty")
    store.runs.write_record(replace(record, sections=(*record.sections, empty)))
    with serving(store) as server:
        for path in ("/", "/class?item=item://thing", "/run/1", f"/page?iri={asked(section)}"):
            links = re.findall(r'href="(/page[^"]*)"', page(server, path))
            assert all(server.get(link.replace("&amp;", "&")).status == 200 for link in links), path
        assert f'<a href="{bare}" class="external"' in page(server, "/class?item=item://thing")
