"""The start page counts the current state, also after a run that has read only a part of the site."""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.publish.catalogue import amounts as amounts_of
from rdfcrawl.publish.catalogue.amounts import Amounts, amounts
from rdfcrawl.publish.catalogue.keeping import prepare
from rdfcrawl.publish.catalogue.writing import MANY_INSIDE
from rdfcrawl.publish.web.app import create_app
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.versioning.recording import record_changes
from tests.book_site import book_site
from tests.publish.conftest import AddRun, asked, serving, thing


async def crawl_twice(folder: Path, store: Store) -> str:
    async with book_site(30) as site:
        model = folder / "model.ttl"
        model.write_text(site.model)
        for limits in (RunLimits(), replace(RunLimits(), pages=5)):
            report = await run_model(load_model(model), store, RunOptions(limits=limits))
            await asyncio.to_thread(record_changes, store.runs, report.record.id)
        return site.start


def test_a_run_of_five_pages_does_not_make_the_data_smaller(tmp_path: Path) -> None:
    """Statements, objects and the objects of a section are what queries count."""
    store = open_store(tmp_path / "store")
    section = asyncio.run(crawl_twice(tmp_path, store))
    store.refresh()
    with serving(store) as server:
        page = server.get("/", accept="text/html").text

        def count(pattern: str) -> str:
            query = f"SELECT (COUNT(DISTINCT *) AS ?n) {{ {pattern} }}"
            answer = server.get(f"/sparql?query={asked(query)}", accept="application/sparql-results+json").text
            number = json.loads(answer)["results"]["bindings"][0]["n"]["value"]
            return f"{int(number):,}"

        described = server.get("/?format=nt", accept="application/n-triples").text
        edges = "VALUES ?p { <item://book> <item://author> <item://review> }"
        triples = count("?s ?p ?o")
        objects = count(f"{{ SELECT ?o {{ {edges} ?s ?p ?o }} }}")
        inside = count(f"{{ SELECT ?o {{ {edges} <{section}> ?p ?o }} }}")
    lead = re.sub(r"\s+", " ", page[page.index('class="lead">') :])
    assert f"{triples} statements about {objects} objects, read from" in lead
    assert f"{inside} objects, last read by the run of" in lead
    assert inside == "30"
    stated = re.search(r'void#triples> "(\d+)"', described)
    assert stated is not None
    assert f"{int(stated[1]):,}" == triples


def test_nobody_waits_until_a_large_state_is_counted(
    tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until its tables are there, the start page says so; then it says what a query would count."""
    monkeypatch.setattr(amounts_of, "LARGE", 0)
    store = open_store(tmp_path / "store")
    many = MANY_INSIDE + 3
    add_run(store, 60, "".join(thing(str(number), "a thing") for number in range(many)))
    app = create_app(store)
    with app.state.site.snapshots.using() as snapshot:
        assert amounts(snapshot) == Amounts()
        prepare(snapshot)
        section = "http://data.example.org/things"
        assert amounts(snapshot) == Amounts(2 * many, many, {"item://thing": many}, {section: many})
    with monkeypatch.context() as patched:
        patched.setattr("rdfcrawl.publish.web.pages.amounts", lambda _: Amounts())
        with serving(store) as server:
            assert "is being counted" in server.get("/", accept="text/html").text
