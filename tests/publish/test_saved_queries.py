"""Queries that a publisher keeps in the store: pages with names, never a failure, and nothing beyond their folder."""

from __future__ import annotations

import logging
import os
from pathlib import Path

import pytest

from rdfcrawl.errors import UsageError
from rdfcrawl.publish.sparql.saved import SavedQueries
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.query.saved import LARGEST, read_saved, saved_queries, saved_query
from tests.commands import Command
from tests.publish.conftest import AddRun, Server, serving, thing

LABELS = """# Things by label
# How they are called,
#
# in the order of the alphabet.
SELECT ?label (STRLEN(?label) AS ?letters) { ?thing <property://thing/label> ?label } ORDER BY ?label
"""


@pytest.fixture
def store(tmp_path: Path, add_run: AddRun) -> Store:
    """A store with two things and a saved query."""
    opened = open_store(tmp_path / "store")
    add_run(opened, 60, thing("a", "Anna <b>") + thing("b", "Berta"))
    save(opened, "labels", LABELS)
    return opened


def save(store: Store, name: str, text: str | bytes) -> Path:
    folder = store.folder / "queries"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.rq"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def call(*arguments: str) -> tuple[int, str, str]:
    command = Command(*arguments)
    return command.wait(), command.printed, command.said


def page(server: Server, path: str, status: int = 200) -> str:
    answer = server.get(path, Accept="text/html")
    assert answer.status == status, answer.text
    return answer.text


def test_a_saved_query_has_a_page(store: Store) -> None:
    """Its title, description, answer with a picture, files and the query itself; the start page leads there."""
    with serving(store) as server:
        for path in ("/", "/sparql"):
            assert 'href="/query/labels"' in page(server, path)
        text = page(server, "/query/labels")
        for expected in (
            "<bdi>Things by label</bdi></h1>",
            "How they are called,\n\nin the order",
            "2 rows",
            "Bar chart",
        ):
            assert expected in text
        assert "Anna &lt;b&gt;" in text
        assert "<b>" not in text
        csv = server.get("/query/labels?format=csv&download=1", Accept="text/html")
        assert csv.text == "label,letters\r\nAnna <b>,8\r\nBerta,5\r\n"
        assert csv.headers["content-disposition"] == 'attachment; filename="labels.csv"'
        assert server.get("/query/labels").headers["content-type"] == "application/sparql-results+json"
        assert server.get("/query/labels?format=nonsense").status == 400


def test_an_edited_query_needs_no_restart(store: Store) -> None:
    """New, changed and removed files are seen by the next request."""
    with serving(store) as server:
        save(store, "new", "# Is there anything?\nASK { ?s ?p ?o }")
        assert "Yes" in page(server, "/query/new")
        save(store, "new", "# Everything\nCONSTRUCT { ?s ?p ?o } WHERE { ?s ?p ?o }")
        text = page(server, "/query/new")
        assert "Everything" in text
        assert "Turtle" in text
        (store.folder / "queries" / "new.rq").unlink()
        page(server, "/query/new", status=404)


BROKEN: dict[str, tuple[str | bytes, str]] = {
    "empty": ("", "the query is empty"),
    "elsewhere": ("SELECT * { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }", "SERVICE"),
    "cut": ("SELECT ?x WHERE {", "ends too early"),
    "words": ("# only words", "ends too early"),
    "update": ("INSERT DATA { <a:> <b:> <c:> }", "insert"),
    "binary": (b"\xff\xfe not text", "not UTF-8"),
    "large": (b"#" * (LARGEST + 1), "more than"),
    "script": ("SELECT ?x WHERE { <script>alert(1)</script>", "&lt;script&gt;"),
}
LONG_RUN = ("cut", "words", "update")


def test_a_broken_file_has_a_page_that_says_so_and_one_line_in_the_log(
    store: Store, caplog: pytest.LogCaptureFixture, is_exhaustive: bool
) -> None:
    """However often it is asked for; other queries and pages are not harmed."""
    tried = {name: broken for name, broken in BROKEN.items() if is_exhaustive or name not in LONG_RUN}
    for name, (content, _) in tried.items():
        save(store, name, content)
    with caplog.at_level(logging.WARNING), serving(store) as server:
        for name, (_, told) in tried.items():
            for _ in range(2):
                text = page(server, f"/query/{name}", status=400)
                assert told.lower() in text.lower(), name
                assert "<script>alert" not in text, name
            assert server.get(f"/query/{name}?format=csv").status == 400, name
        assert "2 rows" in page(server, "/query/labels")
        page(server, "/")
    for name in tried:
        lines = [record.getMessage() for record in caplog.records if f"{name}.rq" in record.getMessage()]
        assert len(lines) == 1, name
        assert "\n" not in lines[0], name


def test_no_name_leads_out_of_the_folder(store: Store) -> None:
    """Names are compared with those of the files, and never become paths."""
    (store.folder.parent / "secret.rq").write_text("ASK {}", encoding="utf-8")
    save(store, "a b", "ASK {}")
    paths = ("..%2F..%2Fsecret", "%2e%2e", "labels.rq", "../labels", "labels%00", "LABELS", "a%20b", "%ff", "x" * 5000)
    with serving(store) as server:
        for path in paths:
            assert server.get(f"/query/{path}", Accept="text/html").status in (400, 404), path


def test_strange_files_are_told_and_harm_nobody(store: Store, caplog: pytest.LogCaptureFixture) -> None:
    """A pipe, a folder, a link that leads nowhere, names that are no text: none of them is waited for or shown."""
    folder = store.folder / "queries"
    os.mkfifo(folder / "pipe.rq")
    (folder / "folder.rq").mkdir()
    (folder / "link.rq").symlink_to("/nowhere")
    (folder / os.fsdecode(b"\xff.rq")).write_text("ASK {}", encoding="utf-8")
    queries = SavedQueries(store.folder)
    with caplog.at_level(logging.WARNING):
        found = {query.name: query.problem for query in queries.all()}
        queries.all()
    assert {name for name, problem in found.items() if problem is None} == {"labels"}
    assert len(found) == 5
    assert len(caplog.records) == 4
    with serving(store) as server:
        assert "/query/pipe" not in page(server, "/")
        assert "no file" in page(server, "/query/pipe", status=400)


def test_titles_come_from_the_comments_at_the_beginning(tmp_path: Path) -> None:
    """The first line that says something; without any, the name in words. Comments inside a query say nothing."""

    def read(text: str) -> tuple[str, str]:
        path = tmp_path / "most-read_books.rq"
        path.write_text(text, encoding="utf-8")
        found = read_saved(path)
        return found.title, found.description

    assert read("ASK { } # not this") == ("Most read books", "")
    assert read("\n#\n##  A   title \n\nASK {}\n# not this") == ("A title", "")
    assert read("\ufeff# A title\r\n# and more\r\nASK {}") == ("A title", "and more")
    assert len(read("# " + "x" * 1000 + "\nASK {}")[0]) == 120


def test_a_store_without_queries_has_none(tmp_path: Path) -> None:
    """No folder is no trouble."""
    assert saved_queries(tmp_path) == []
    with pytest.raises(UsageError, match="there is no saved query 'x'"):
        saved_query(tmp_path, "x")


def test_saved_queries_are_asked_by_command(store: Store) -> None:
    """By their name; a question mark lists them; what is not there, or given twice, is said."""
    save(store, "bad", b"\xff")

    def asked(*arguments: str) -> tuple[int, str, str]:
        return call("query", *arguments, "--store", str(store.folder))

    assert asked("--saved", "labels", "--format", "csv")[:2] == (0, "label,letters\nAnna <b>,8\nBerta,5\n")
    code, listed, _ = asked("--saved", "?")
    assert code == 0
    assert listed == "bad  cannot be used: it cannot be read: it is not UTF-8 text\nlabels  Things by label\n"
    for arguments, told in (
        (("--saved", "x"), "there is bad, labels"),
        (("--saved", "bad"), "not UTF-8"),
        (("ASK {}", "--saved", "labels"), "given twice"),
    ):
        code, printed, said = asked(*arguments)
        assert (code != 0, printed) == (True, "")
        assert told in " ".join(said.split())
