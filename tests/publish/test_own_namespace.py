"""Objects that a model names in a namespace of its own: a server with that ``--base`` is their home."""

from __future__ import annotations

import asyncio
from pathlib import Path

from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.recording import record_changes
from tests.publish.conftest import ROOT, serving

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
