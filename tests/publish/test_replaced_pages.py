"""An object without address that another took the place of: one replacement on every page and in every feed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from rdfcrawl.cli import app
from rdfcrawl.store.folder import Store, open_store
from tests.publish.conftest import Server, add_things, asked, serving

SECTION = "http://data.example.org/things"
OLD, NEW, STAYS, LATER = (f"{SECTION}#{digit * 40}" for digit in "abcd")
ATOM = "{http://www.w3.org/2005/Atom}"


def row(name: str, label: str, home: str) -> str:
    return (
        f"<{SECTION}> <item://thing> <{name}> .\n"
        f'<{name}> <property://thing/label> "{label}" .\n'
        f'<{name}> <property://thing/home> "{home}" .\n'
    )


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Sugar has another amount in the second run, and one more in the third."""
    folder: Path = tmp_path_factory.mktemp("replaced")
    found = open_store(folder / "store")
    for run, name, amount in ((100, OLD, "100 g"), (200, NEW, "150 g"), (300, LATER, "200 g")):
        add_things(found, run, row(STAYS, "Flour", "500 g") + row(name, "Sugar", amount), folder)
    return found


@pytest.fixture(scope="module")
def server(store: Store) -> Iterator[Server]:
    with serving(store) as found:
        yield found


def badges(page: str) -> list[str]:
    return re.findall(r'<span class="badge [^"]*">([^<]*)</span>', page)


def test_the_page_of_a_run_shows_one_replacement(server: Server) -> None:
    """With both objects and the value that differs."""
    page = server.get("/run/200", accept="text/html").text
    assert badges(page) == ["complete", "1 replaced", "replaced"]
    changes = page[page.index("<h2>Changes") :]
    assert "<del><bdi" in changes
    assert re.search(r"100 g.*→.*150 g", changes, re.DOTALL)
    assert f"%23{'b' * 40}" in changes


def test_two_runs_compared_show_what_the_run_itself_shows(server: Server) -> None:
    """Also if they are not neighbours, so that nothing is recorded about the pair."""
    for old, new in ((100, 200), (100, 300)):
        page = server.get(f"/diff?from={old}&to={new}").text
        assert "1 change from" in page
        assert badges(page) == ["replaced"]


def test_the_start_page_and_the_feeds_count_it_once(server: Server) -> None:
    """As neither added nor removed."""
    assert badges(server.get("/", accept="text/html").text)[-3:] == ["1 replaced", "1 replaced", "2 added"]
    titles = [entry.findtext(f"{ATOM}title") for entry in feed(server, "/feed.atom")]
    assert titles == ["1 object replaced", "1 object replaced", "2 objects added"]
    entry = next(feed(server, f"/feed.atom?class={asked('item://thing')}"))
    assert entry.findtext(f"{ATOM}title") == "Sugar: replaced"
    assert entry.findtext(f"{ATOM}summary") == "thing Sugar: replaced by Sugar\nhome changed: 150 g → 200 g"


def test_the_history_of_what_it_was_in_has_one_event(server: Server) -> None:
    """Instead of one that came and one that went."""
    page = server.get(f"/page?iri={asked(SECTION)}&tab=history").text
    assert badges(page).count("replaced") == 2
    assert "removed" not in badges(page)


def test_the_event_stream_still_ends_the_one_and_begins_the_other(server: Server) -> None:
    """For a copy of the data, the old object has to go."""
    text = server.get("/ldes/200", accept="text/turtle").text
    assert text.count("Delete") == 1
    assert "150 g" in text


def test_the_command_line_counts_the_same(store: Store) -> None:
    """``diff`` and ``runs`` agree with the pages."""
    where = ["--store", str(store.folder)]
    assert CliRunner().invoke(app, ["diff", "100", "200", *where]).stdout.endswith("\n1 object replaced\n")
    found = json.loads(CliRunner().invoke(app, ["diff", "100", "300", "--format", "json", *where]).stdout)
    assert {kind: count for kind, count in found["counts"].items() if count} == {"replaced": 1}
    (_, second, _) = json.loads(CliRunner().invoke(app, ["runs", "--format", "json", *where]).stdout)
    assert second["counts"]["changes"]["objects"] == {"replaced": 1}


def feed(server: Server, address: str) -> Iterator[ET.Element]:
    return ET.fromstring(server.get(address).body).iter(f"{ATOM}entry")


def test_a_replacement_with_another_name_names_both(tmp_path: Path) -> None:
    """In the text, in JSON, in the title of a feed and on the page, by their labels."""
    store = open_store(tmp_path / "store")
    for run, name, label in ((100, OLD, "Sugar"), (200, NEW, "Cane sugar")):
        add_things(store, run, row(STAYS, "Flour", "500 g") + row(name, label, "100 g"), tmp_path)
    arguments = ["diff", "--store", str(store.folder)]
    assert f"replaced by Cane sugar  {NEW}" in CliRunner().invoke(app, arguments).stdout
    (change,) = json.loads(CliRunner().invoke(app, [*arguments, "--format", "json"]).stdout)["changes"]
    assert (change["label"], change["replacedBy"]["label"], change["subjectLabel"]) == ("Sugar", "Cane sugar", None)
    with serving(store) as server:
        entry = next(feed(server, f"/feed.atom?class={asked('item://thing')}"))
        assert entry.findtext(f"{ATOM}title") == "Sugar: replaced by Cane sugar"
        text = server.get("/diff", accept="text/html").text
        assert re.search(r"<bdi>Sugar</bdi>.*>by<.*<bdi>Cane sugar</bdi>", text, re.DOTALL)
