"""Objects that a model names in a namespace of its own: a server with that ``--base`` is their home."""

from __future__ import annotations

import asyncio
import re
from html import unescape
from pathlib import Path
from urllib.parse import quote, urljoin

import pytest

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.recording import record_changes
from tests.publish.conftest import ROOT, add_things, asked, serving

SETTING = "https://data.werkbank.example/setting/DUST%2FEXTRACTION"


def test_a_templated_iri_leads_to_documents_about_its_object(tmp_path: Path) -> None:
    """By redirect, in the format that is asked for; the IRI is spelt like its address, escapes included."""
    store = open_store(tmp_path / "store")
    options = RunOptions(replay=str(ROOT / "examples/sites"), record=False)
    report = asyncio.run(run_model(load_model(ROOT / "examples/models/docs-permalinks.ttl"), store, options))
    record_changes(store.runs, report.record.id)
    store.refresh()
    with serving(store, base="https://data.werkbank.example/") as server:
        seen = server.get("/setting/DUST%2FEXTRACTION", Accept="text/turtle")
        assert (seen.status, seen.headers["location"]) == (303, "/setting/DUST%2FEXTRACTION.ttl")
        document = server.get(seen.headers["location"])
        assert document.status == 200
        assert f"<{SETTING}>" in document.text
        assert '"on"' in document.text
        # It was read from the manual; its own address is not where it comes from.
        assert f"<http://purl.org/dc/terms/source> <{SETTING}>" not in document.text
        assert f"source> <{SETTING}>" not in document.text
        page = server.get("/setting/DUST%2FEXTRACTION.html")
        assert page.status == 200
        # Markup is shown as text.
        assert "<i>extracted</i>" not in page.text
        assert "extracted" in page.text
        assert server.get("/setting/NONE").status == 404


@pytest.mark.parametrize(
    "rest",
    [
        "/other.example/x",
        "größe",
        "中文.x",
        "g%C3%B6",
        "g%FC",
        "a/../b",
        "./c",
        "d/..",
        "%2e%2E/e",
        "f'g",
        'h(i)&j;k="l"',
    ],
)
def test_every_iri_of_the_namespace_leads_to_its_object(tmp_path: Path, rest: str) -> None:
    """Also one whose path would be another host, one that browsers shorten, and one with letters of other scripts."""
    iri = f"http://data.example.org/{rest}".replace('"', "%22")
    store = open_store(tmp_path / "store")
    lines = f'<http://data.example.org/things> <item://thing> <{iri}> .\n<{iri}> <property://thing/label> "one" .\n'
    add_things(store, 1, lines, tmp_path)
    with serving(store, base="http://data.example.org/") as server:
        table = server.get("/class?item=item://thing", accept="text/html").text
        link = re.search(r'<th scope="row"[^>]*><a href="([^"]*)"', table)
        assert link
        # As a browser does it.
        address = urljoin(f"{server.address}/class", quote(unescape(link[1]), safe=":/?#[]@!$&'()*+,;=%~"))
        assert address.startswith(f"{server.address}/")
        page = server.get(address.removeprefix(server.address), accept="text/html")
        assert page.status == 200
        assert "<h1><bdi>one</bdi></h1>" in page.text
        thing = server.get(f"/resource?iri={asked(iri)}", accept="text/turtle")
        document = server.get(urljoin("/resource", thing.headers["location"]))
        assert document.status == 200
        assert f"<{iri}>" in document.text
