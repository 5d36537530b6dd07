"""Runs on the web: told apart, with their problems and changes, and without a word about the publisher's machine."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rdfcrawl.engine.run.record_rdf import record_lines
from rdfcrawl.publish.data.run_times import RunTimes, ordinal
from rdfcrawl.store.folder import finish_run, open_store
from rdfcrawl.store.location import without_folders
from rdfcrawl.store.runs.record import RunSettings
from rdfcrawl.store.runs.suspicion import Selector, Suspicion
from rdfcrawl.versioning.suspicion.wording import in_words
from tests.publish.conftest import MODEL, AddRun, asked, serving, thing

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
