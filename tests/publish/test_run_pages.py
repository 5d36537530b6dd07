"""Runs on the web: told apart, with their problems and changes, and without a word about the publisher's machine."""

from __future__ import annotations

import html
import os
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rdfcrawl import api
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.run.options import RunOptions
from rdfcrawl.engine.run.record_rdf import record_lines
from rdfcrawl.publish.catalogue import problems as problems_kept
from rdfcrawl.publish.catalogue.problems import chosen_problems, problem_groups
from rdfcrawl.publish.data.changes import run_changes
from rdfcrawl.publish.data.problems import ProblemChoice
from rdfcrawl.publish.data.run_times import RunTimes, ordinal
from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.runs import pages
from rdfcrawl.store.folder import Store, finish_run, open_store
from rdfcrawl.store.location import without_folders
from rdfcrawl.store.runs.record import RunSettings
from rdfcrawl.store.runs.suspicion import Selector, Suspicion
from rdfcrawl.versioning.suspicion.wording import in_words
from tests.publish.conftest import MODEL, SECOND, AddRun, Server, asked, serving, thing

A = "http://data.example.org/things/a"


def test_runs_of_one_minute_have_numbers(tmp_path: Path, add_run: AddRun) -> None:
    """Where two runs began in the same minute, every page says which one is meant; the others have no number."""
    store = open_store(tmp_path / "store")
    first = add_run(store, 60, thing("a", "A"))
    add_run(store, 70, thing("a", "B"))
    add_run(store, 180, thing("a", "C"))
    assert RunTimes.of([first]).name(first) == "1970-01-01 00:01"
    with serving(store) as server:
        home = server.get("/", accept="text/html").text
        assert "00:01, 1st that minute" in home
        assert "00:01, 2nd that minute" in home
        assert re.search(r"00:03</time>", home)
        assert "Run of 1970-01-01 00:01, 2nd that minute</h1>" in server.get("/run/70", accept="text/html").text
        assert "00:01, 2nd that minute" in server.get("/diff", accept="text/html").text
        history = server.get(f"/page?iri={asked(A)}&tab=history", accept="text/html").text
        assert "00:01, 1st that minute" in history


def test_places_in_an_order_are_written_as_people_say_them() -> None:
    """The endings of English, with their exceptions."""
    written = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111)]
    assert written == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th"]


@pytest.mark.parametrize(
    ("place", "name"),
    [
        ("/home/anna/secret/things.ttl", "things.ttl"),
        ("models/things.ttl", "things.ttl"),
        ("C:\\Users\\anna\\things.ttl:12", "things.ttl:12"),
        ("/home/anna/pages/", "pages"),
        ("https://models.example.org/sparql", "https://models.example.org/sparql"),
        ("-", "-"),
        ("", ""),
    ],
)
def test_places_are_published_without_folders(place: str, name: str) -> None:
    """Of a file only its name; an address is nobody's folder."""
    assert without_folders(place) == name


def test_no_page_or_document_names_a_folder_of_the_machine(tmp_path: Path, add_run: AddRun) -> None:
    """Neither of the model nor of the pages that were read again, nor of the model in what is suspected."""
    store = open_store(tmp_path / "store")
    here = "/home/anna/secret"
    model = replace(add_run(store, 60, thing("a", "A")).model, source=f"{here}/things.ttl")
    selector = Selector("item://thing", "path", "//li", f"{here}/things.ttl:7")
    started = datetime.fromtimestamp(600, UTC)
    record = replace(
        store.runs.read_record(60),
        id=600,
        started=started,
        ended=started + timedelta(minutes=1),
        model=model,
        settings=RunSettings(replay=f"{here}/pages"),
        suspicions=(Suspicion("item://thing", 5, 9, 600, selector=selector),),
    )
    lines = tmp_path / "lines"
    lines.write_text("".join(f"{line[:-2]} <run://600> .\n" for line in thing("a", "B").splitlines()), encoding="utf-8")
    told = record_lines(record, [], MODEL)
    assert here.encode() not in told
    # Earlier versions have written the whole path.
    old = told.replace(b'"things.ttl"', f'"{here}/things.ttl"'.encode())
    finish_run(store, record, lines, old, MODEL)
    store.refresh()
    assert here in in_words(record.suspicions[0], {})
    with serving(store) as server:
        for path in ("/", "/run/600", f"/page?iri={asked(A)}", "/feed.atom"):
            answer = server.get(path, accept="text/html")
            assert answer.status == 200
            assert "/home" not in answer.text, path
        assert "(things.ttl:7)" in server.get("/run/600", accept="text/html").text
        for form in ("ttl", "jsonld", "nt", "rdf"):
            found = server.get(f"/run/600?format={form}").text
            assert "things.ttl" in found
            assert "pages" in found
            assert here not in found


def test_changed_columns_come_first_in_a_history(tmp_path: Path, add_run: AddRun) -> None:
    """What has changed is what a reader looks for; the rest follows in the order of the model."""
    store = open_store(tmp_path / "store")
    add_run(store, 60, thing("a", "A", "http://one.example.org/") + thing("b", "B", "http://one.example.org/"))
    add_run(store, 120, thing("a", "A", "http://two.example.org/") + thing("b", "C", "http://one.example.org/"))
    with serving(store) as server:

        def columns(name: str) -> list[str]:
            iri = asked(f"http://data.example.org/things/{name}")
            return re.findall(
                r'<th scope="col">(\w+)</th>', server.get(f"/page?iri={iri}&tab=history", accept="text/html").text
            )

        assert columns("a") == ["run", "home", "label"]
        assert columns("b") == ["run", "label", "home"]


def problem(number: int, kind: ProblemKind, prop: str | None) -> Problem:
    return Problem(
        kind=kind,
        page="page://things",
        address=f"http://data.example.org/things?page={number:03}",
        reason=f"<b>reason</b> {number}",
        property=prop,
    )


@pytest.fixture
def troubled(tmp_path: Path, add_run: AddRun) -> Store:
    """A store with a run that had 120 problems of three groups, and changes of two classes."""
    store = open_store(tmp_path / "store")
    record = replace(add_run(store, 60, thing("a", "A")), id=600, started=datetime.fromtimestamp(600, UTC))
    found = [problem(number, ProblemKind.MISSING, "property://thing/home") for number in range(105)]
    found += [problem(number, ProblemKind.MISSING, None) for number in range(14)]
    found.append(problem(7, ProblemKind.GONE, None))
    lines = tmp_path / "lines"
    lines.write_text("".join(f"{line[:-2]} <run://600> .\n" for line in thing("a", "B").splitlines()), encoding="utf-8")
    finish_run(store, record, lines, record_lines(record, found, MODEL), MODEL)
    store.refresh()
    return store


def test_problems_are_grouped_above_the_changes_and_all_of_them_are_a_page(troubled: Store) -> None:
    """A group has some examples and an address with all of them, in pages; what a reason says is never markup."""
    with serving(troubled) as server:
        text = server.get("/run/600", accept="text/html").text
        assert text.index('id="problems"') < text.index("<h2>Changes")
        assert re.findall(r'<span class="badge problem">([^<]*)</span>', text) == ["105 ×", "14 ×", "1 ×"]
        assert "<b>reason" not in text
        all_of_them = [html.unescape(href) for href in re.findall(r'href="([^"]*)">All [\d]+ of them', text)]
        assert [len(seen(server, href)) for href in all_of_them] == [100, 14]
        second = seen(server, f"{all_of_them[0]}&page=2")
        assert second == [f"http://data.example.org/things?page={number}" for number in range(100, 105)]
        assert seen(server, f"{all_of_them[0]}&page=99") == second
        assert len(seen(server, "/run/600/problems")) == 100
        assert server.get("/run/600/problems?kind=nonsense").status == 404
        assert server.get("/run/600/problems?kind=missing&property=%3E%20bad").status == 404
        assert server.get("/run/5/problems").status == 404
        assert "This run has no problems" in server.get("/run/60/problems", accept="text/html").text


def seen(server: Server, path: str) -> list[str]:
    """The addresses of the problems on a page; its query has as many rows as the list has problems."""
    text = server.get(path, accept="text/html").text
    total = int(re.findall(r'class="lead">(\d+) problem', text)[0])
    query = html.unescape(re.findall(r'href="(/sparql\?[^"]*)"', text)[0])
    assert server.get(f"{query}&format=csv").text.count("\r\n") == total + 1
    return re.findall(r'class="small"><bdi>(http[^<]*)</bdi>', text)


def test_changes_are_grouped_by_class(server: Server) -> None:
    """On the page of a run and between two runs, with the number of each; the classes at the top come first."""
    for path in (f"/run/{SECOND}", "/diff"):
        text = server.get(path, accept="text/html").text
        found = re.findall(r'<h\d class="of-class name"><a href="[^"]*">([^<]*)</a> <span class="count">(\d+)', text)
        assert found == [("recipe", "3"), ("ingredient", "1")]
        assert text.index("Kaiserschmarrn à la Mittermeier") < text.index(">Zutat<")


def test_many_changes_are_grouped_page_by_page(
    tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the numbers are those of the page; no change is lost."""
    store = open_store(tmp_path / "store")
    add_run(store, 60, "".join(thing(f"t{number}", f"T{number}") for number in range(130)))
    monkeypatch.setattr(pages, "MOST_GROUPED", 100)
    with serving(store) as server:
        parts = [server.get(f"/run/60?page={page}", accept="text/html").text for page in (1, 2)]
        assert [part.count('class="badge added"') - 1 for part in parts] == [100, 30]
        assert '<span class="count">30</span>' in parts[1]


def test_many_problems_are_put_in_order_once(troubled: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is kept says what the record says; where it is damaged, or the record cannot be read, nothing is missing."""

    def told() -> list[object]:
        with Snapshots(troubled).using() as snapshot:
            record = snapshot.by_id[600]
            groups = problem_groups(snapshot, record)
            choice = ProblemChoice("missing", "page://things")
            parts = [chosen_problems(snapshot, record, None, start, 50) for start in (0, 50, 100, 150)]
            return [groups, *parts, chosen_problems(snapshot, record, choice, 10, 50)]

    few = told()
    assert [len(part) for part in few[1:]] == [50, 50, 20, 0, 4]
    folder = troubled.folder / "catalogue" / "problems"
    assert not folder.exists()
    monkeypatch.setattr(problems_kept, "MANY", 100)
    assert told() == few
    (kept,) = folder.iterdir()
    with monkeypatch.context() as patched:
        patched.setattr(problems_kept, "read_shelves", lambda *_: pytest.fail("they are in order already"))
        assert told() == few
    os.truncate(kept, 5000)
    (folder / "5-of-a-run-that-is-gone").write_bytes(b"")
    assert told() == few
    assert list(folder.iterdir()) == [kept]
    kept.unlink()
    troubled.runs.record_graph(600).unlink()
    assert told() == few


async def test_objects_that_a_survey_has_met_before_are_of_the_class_of_the_run(tmp_path: Path) -> None:
    """A survey and a model of the same address in one store: both lead to the same pages, each in its own words."""
    folder = tmp_path / "site" / "data.example.org"
    folder.mkdir(parents=True)
    for name in "abc":
        (folder / f"{name}.html").write_text(f"<title>{name}</title>", encoding="utf-8")
    survey = "<page://things> :type type:site ."
    objects = MODEL[MODEL.index("<page://things> :type") :]
    started: list[int] = []
    for linked, described in (("abc", survey), ("ab", objects), ("abc", objects)):
        items = "".join(f"<li><a href='/{name}'>{name}</a></li>" for name in linked)
        (folder / "things.html").write_text(f"<ul>{items}</ul>", encoding="utf-8")
        model = tmp_path / "model.ttl"
        model.write_text(MODEL.replace(objects, described), encoding="utf-8")
        options = RunOptions(replay=str(folder.parent), record=False)
        started.append((await api.run(model, store=tmp_path / "store", options=options)).report.record.id)
    with Snapshots(open_store(tmp_path / "store")).using() as snapshot:
        (change,) = run_changes(snapshot, started[-1])
        assert (change.kind, change.predicate) == ("added", "item://thing")
        assert change.target == "http://data.example.org/c"
