"""The page for queries: examples with answers, files, addresses to share, pictures."""

from __future__ import annotations

import html
import re
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

from rdfcrawl.publish.data.snapshot import Snapshots
from rdfcrawl.publish.sparql.examples import examples
from rdfcrawl.store.folder import Store, open_store
from tests.publish.conftest import AddRun, Server, serving, thing

BY_DIFFICULTY = (
    "SELECT ?difficulty (COUNT(?r) AS ?count) { ?r recipe:difficulty ?difficulty } GROUP BY ?difficulty ORDER BY ?count"
)


def page(server: Server, path: str, **query: str) -> str:
    address = f"{path}?{urlencode(query)}" if query else path
    answer = server.get(address, Accept="text/html")
    assert answer.status == 200, answer.text
    return answer.text


def suggested(store: Store, changes: bool = False) -> dict[str, str]:
    snapshots = Snapshots(store)
    try:
        with snapshots.using() as snapshot:
            return {one.title: one.query for one in examples(snapshot, changes)}
    finally:
        snapshots.close()


def test_every_example_has_rows(published: Store, server: Server) -> None:
    """Lists, counts by a column of few values, counts inside, over time, changes, a history; and of the changes."""
    found = suggested(published)
    assert list(found) == [
        "All recipe objects",
        "All ingredient objects",
        "recipe objects by difficulty",
        "How many ingredient objects per recipe",
        "How many recipe objects in each run",
        "What changed between two runs",
        "History of Donauwelle Konditorenart",
    ]
    for endpoint, queries in (("/sparql", found), ("/sparql/changes", suggested(published, changes=True))):
        assert queries
        for title, query in queries.items():
            answer = server.get(f"{endpoint}?{urlencode({'query': query, 'format': 'csv'})}")
            assert answer.status == 200, answer.text
            assert answer.text.count("\r\n") > 1, title
            assert html.escape(title) in page(server, endpoint)


def test_a_small_store_has_only_examples_with_rows(tmp_path: Path, add_run: AddRun) -> None:
    """Nothing changed, no column of few values, or nothing at all: then there is no such example."""
    store = open_store(tmp_path / "store")
    assert suggested(store) == {}
    with serving(store) as server:
        assert "SELECT * { ?s ?p ?o } LIMIT 10" in page(server, "/sparql")
    add_run(store, 60, thing("a", 'Anna \\"}'))
    found = suggested(store)
    assert [title.partition(" ")[0] for title in found] == ["All", "History"]
    with serving(store) as server:
        for query in found.values():
            assert server.get(f"/sparql?{urlencode({'query': query, 'format': 'csv'})}").text.count("\r\n") > 1


def test_an_answer_is_had_as_a_file(server: Server) -> None:
    """Rows as CSV, JSON, TSV and XML, graphs as Turtle and others; by a form, however long the query is."""
    text = page(server, "/sparql", query=BY_DIFFICULTY)
    assert re.findall(r'<button name="format" value="(\w+)"', text) == ["csv", "json", "tsv", "xml"]
    graph = page(server, "/sparql", query="CONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o } LIMIT 3")
    assert re.findall(r'<button name="format" value="(\w+)"', graph) == ["ttl", "jsonld", "nt"]
    long = f"# {'x' * 100_000}\n{BY_DIFFICULTY}"
    body = urlencode({"query": long, "format": "csv", "download": "1"}).encode()
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    answer = server.send("POST", "/sparql", body, sent)
    assert answer.headers["content-disposition"] == 'attachment; filename="answer.csv"'
    assert answer.text.startswith("difficulty,count\r\n")
    assert "content-disposition" not in server.get(f"/sparql?{urlencode({'query': BY_DIFFICULTY})}").headers


def test_a_query_is_shared_by_its_address(server: Server) -> None:
    """One address opens the query, the other also runs it; a query that no address can hold says so."""
    text = page(server, "/sparql", query=BY_DIFFICULTY)
    opens, runs = (html.unescape(value) for value in re.findall(r'<input readonly value="([^"]*)"', text))
    for address in (opens, runs):
        assert address.startswith(f"{server.address}/sparql?")
        assert parse_qs(urlsplit(address).query)["query"] == [BY_DIFFICULTY]
    path = opens.removeprefix(server.address)
    opened = page(server, path)
    assert "rows</p>" not in opened
    assert html.escape(BY_DIFFICULTY) in opened
    assert '<details class="share" open>' in opened
    assert "rows</p>" in page(server, runs.removeprefix(server.address))
    assert server.get(path).headers["content-type"].startswith("application/sparql-results+json")
    body = urlencode({"query": f"# {'x' * 9000}\n{BY_DIFFICULTY}"}).encode()
    sent = {"Content-Type": "application/x-www-form-urlencoded", "Accept": "text/html"}
    assert "too long for an address" in server.send("POST", "/sparql", body, sent).text


def test_pictures_have_words_and_hostile_names_stay_text(server: Server) -> None:
    """A map, a line and bars; what values contain is never markup, and never a link that is not safe."""
    evil = "</svg><script>alert(1)</script>"
    rows = f'("{evil}" 48.1 11.5) ("b" 52.5 13.4)'
    text = page(server, "/sparql", query=f"SELECT ?name ?lat ?long {{ VALUES (?name ?lat ?long) {{ {rows} }} }}")
    assert 'aria-label="Map: 2 places from 48.1° N to 52.5° N and from 11.5° E to 13.4° E"' in text
    assert "<script>alert" not in text
    bad = 'SELECT ?s ?n { VALUES (?s ?n) { (<javascript:alert(1)> 1) ("b" 2) } }'
    assert 'href="javascript' not in page(server, "/sparql", query=bad)
    line = 'SELECT ?day ?n { VALUES (?day ?n) { ("2026-01-01"^^xsd:date 1) ("2026-01-09"^^xsd:date 5) } }'
    assert 'role="img" aria-label="n by day: 2 points from 2026-01-01 to 2026-01-09' in page(
        server, "/sparql", query=line
    )
