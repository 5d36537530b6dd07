"""What was found comes with the text of its page, as the run has seen it."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

from aiohttp import web

from rdfcrawl.alert.messages.message import Message
from rdfcrawl.alert.noting import note_events, prepare_outbox
from rdfcrawl.alert.outbox import open_outbox
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.store.files.whole import fingerprint
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.runs.record import RunFile, RunRecord
from rdfcrawl.versioning.recording import record_changes
from tests.serving import serving

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix alert: <alert://> .
<model:> :section <{site}/> ; :alert [ :on alert:found ; :to <mailto:me@conferences.example> ] .
<{site}/> :page page:site .
page:site :type type:site .
"""
CALL = "<title>CFP</title><script>no</script><h1>Call for papers</h1><table><tr><td>Deadline<td>5 October</table>"


async def call(request: web.Request) -> web.Response:
    body = CALL if request.path == "/call" else '<a href="/call">call</a>' if request.path == "/" else ""
    return web.Response(text=body, status=200 if body else 404, content_type="text/html")


def make_find(store: Store, record: RunRecord, address: str) -> None:
    """Say in the graph of a run that a page is a find."""
    graph, fact = store.runs.graph(record.id), f"<{address}> <predicate://site/find>"
    true = '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    lines = [
        *gzip.decompress(graph.read_bytes()).splitlines(keepends=True),
        f"{fact} {true} <{record.iri}> .\n".encode(),
    ]
    graph.write_bytes(gzip.compress(b"".join(sorted(lines)), mtime=0))
    checksums = {**record.checksums, RunFile.GRAPH: fingerprint(graph)}
    store.runs.write_record(replace(record, checksums=checksums))


async def found(folder: Path, *, record: bool) -> Message:
    """The message about the one find of a site."""
    store = open_store(folder)
    prepare_outbox(store)
    async with serving(call) as site:
        model = model_of_text(MODEL.format(site=site), "model.ttl")
        report = await run_model(model, store, RunOptions(engine=Engine.HTTP, record=record))
    make_find(store, report.record, f"{site}/call")
    record_changes(store.runs, report.record.id)
    await note_events(store, print)
    with open_outbox(folder) as outbox:
        (message,) = outbox.waiting()
    assert message.content.events[0].label == "CFP"
    return message


async def test_the_visible_text_of_the_page_is_attached(tmp_path: Path) -> None:
    """From the archive; what nobody sees is not in it."""
    message = await found(tmp_path / "store", record=True)
    (text,) = message.content.texts.values()
    assert text.splitlines() == ["Call for papers", "Deadline 5 October"]


async def test_without_an_archive_the_find_is_told_all_the_same(tmp_path: Path) -> None:
    """Only the text is missing."""
    message = await found(tmp_path / "store", record=False)
    assert message.content.texts == {}
