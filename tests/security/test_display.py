"""Texts of pages, models and headers are shown as texts: never as markup, never as commands to a terminal."""

from __future__ import annotations

import os
import pty
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.table import Table
from rich.text import Text

from rdfcrawl.cli import main
from rdfcrawl.cli.console import TextConsole
from rdfcrawl.errors import printable, quoted
from rdfcrawl.store.folder import Store, open_store
from tests.commands import Command
from tests.forking import FORKING, take_surroundings
from tests.publish.conftest import Server, add_things, asked, serving, thing
from tests.sampling import sampled
from tests.thing_site import page, thing_site

ESCAPE = "\x1b]0;pwned\x07\x1b[2J"
WRITTEN = r"\u001B]0;pwned\u0007\u001B[2J [/red] :warning: <script>alert(1)</script> {{ 7*7 }} \u202Efdp.exe\u0085"

SHOWING = [
    ["query", "SELECT * { ?s ?p ?o }"],
    ["query", "--format", "ttl", "CONSTRUCT { ?s ?p ?o } { ?s ?p ?o }"],
    ["query", "--format", "csv", "SELECT * { ?s ?p ?o }"],
    ["export"],
    ["export", "--format", "ttl"],
    ["diff", "--format", "json"],
    ["diff"],
    ["history", "http://data.example.org/things/a"],
    ["diff", "--format", "patch"],
    ["runs"],
    ["history", "http://data.example.org/things/a", "--format", "json"],
]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Two runs of a thing whose label is all of that."""
    folder = tmp_path_factory.mktemp("display")
    made = open_store(folder / "store")
    add_things(made, 1, thing("a", WRITTEN, "javascript:alert(1)"), folder)
    add_things(made, 2, thing("a", f"2 {WRITTEN}", "data:text/html,x"), folder)
    return made


@pytest.fixture(scope="module")
def server(store: Store) -> Iterator[Server]:
    """A server of it."""
    with serving(store) as found:
        yield found


def is_harmless(text: str) -> bool:
    """Whether a text has no control character but for tabs and line ends, and nothing that turns it around."""
    return not any(char < " " and char not in "\t\n" for char in text) and not set(text) & set("\x7f\x85\x9b\u202e")


@given(st.text())
def test_every_text_can_be_shown(text: str) -> None:
    """And what is harmless is shown as it is."""
    assert is_harmless(printable(text))
    assert printable(printable(text)) == printable(text)
    assert is_harmless(quoted(text))
    if text.isprintable():
        assert printable(text) == text
    printable(text).encode()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[31mb", "a␛[31mb"),
        ("a\rb", "a␍b"),
        ("\x9b31m", "\\u009b31m"),
        ("\u202eevil", "\\u202eevil"),
        ("\ud800", "\\ud800"),
        ("line\n\ttab", "line\n\ttab"),
        ("Zürich 👩\u200d🚀 नमस्ते", "Zürich 👩\u200d🚀 नमस्ते"),
    ],
)
def test_what_cannot_be_seen_is_made_visible(text: str, shown: str) -> None:
    """Nothing is left out, so that readers see what a page has."""
    assert printable(text) == shown


@pytest.mark.parametrize("text", [ESCAPE, "[/red] [bold]x[/bold] [link=file:///etc]", ":warning: :smile:"])
def test_a_console_takes_texts_as_they_are(text: str) -> None:
    """Wherever they stand: alone, in a table, in its head, within a style."""
    console = TextConsole(width=200)
    console.file = StringIO()
    table = Table(title=text)
    table.add_column(text)
    table.add_row(text)
    table.add_row(Text(text, style="bold"))
    console.print(text)
    console.print(table)
    console.print(Text(text), text)
    written = console.file.getvalue()
    assert written.count(printable(text).replace("␇", "")) >= 3
    assert is_harmless(written)


def test_colours_of_the_console_itself_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only what it was given is taken as text."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    console = TextConsole(width=80)
    console.file = StringIO()
    console.print(Text("\x1b[5m", style="red"))
    assert console.file.getvalue() == "\x1b[31m␛[5m\x1b[0m\n"


@pytest.mark.parametrize("arguments", sampled(SHOWING, SHOWING[::2]), ids=" ".join)
def test_on_a_terminal_no_command_passes_on_a_control_character(store: Store, arguments: list[str]) -> None:
    """Whatever the format; only the codes of colours are the command's own."""
    shown = on_a_terminal([*arguments, "--store", str(store.folder)])
    assert "pwned" in shown or arguments == ["runs"]
    assert "\x1b]" not in shown
    assert "\x1b[2J" not in shown
    assert "\u202e" not in shown


def on_a_terminal(arguments: list[str]) -> str:
    """What a command writes to a terminal."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    process = FORKING.Process(target=_command_at, args=(os.ttyname(theirs), arguments, environment), daemon=True)
    process.start()
    with ThreadPoolExecutor(1) as reading:
        shown = reading.submit(_everything, ours)
        process.join()
        os.close(theirs)
        assert process.exitcode in (0, 1)
        return shown.result().decode(errors="replace")


def _command_at(terminal: str, arguments: list[str], environment: dict[str, str]) -> None:
    take_surroundings(environment, terminal, terminal, terminal)
    sys.argv = ["rdfcrawl", *arguments]
    main()


def _everything(terminal: int) -> bytes:
    parts = []
    # A terminal that nobody writes to any more is an error on Linux.
    with suppress(OSError), open(terminal, "rb", buffering=0) as file:
        while part := file.read(65536):
            parts.append(part)
    return b"".join(parts)


def test_what_programs_read_is_not_changed(store: Store) -> None:
    """In a pipe a value is the value; a table is for people also there."""
    asking = ["query", "SELECT ?o { ?s <property://thing/label> ?o }", "--store", str(store.folder)]
    exact = Command(*asking, "--format", "csv")
    assert exact.wait() == 0
    assert ESCAPE in exact.printed
    table = Command(*asking)
    assert table.wait() == 0
    assert "␛]0;pwned" in table.printed
    assert is_harmless(table.printed)


async def test_problems_of_a_run_and_of_a_trial(tmp_path: Path) -> None:
    """The text of the page is in them, and is shown."""
    async with thing_site(1) as site:
        nasty = "<main><h1>\x1b]0;pwned [/x] :warning:</h1></main>"
        site.answers["/thing/0"] = [page(nasty) for _ in range(9)]
        model = tmp_path / "model.ttl"
        model.write_text(
            site.turtle().replace(
                'p:name     :path ".//h1"', 'p:name :path ".//h1" ; :type <http://www.w3.org/2001/XMLSchema#decimal>'
            )
        )
        run = Command("run", str(model), "--engine", "http", "--store", str(tmp_path / "store"))
        assert await run.ended() == 1
        tried = Command("try", str(model), f"{site.address}/thing/0", "--page", "page://thing", "--engine", "http")
        assert await tried.ended() == 1
    for text in (run.said, tried.said + tried.printed):
        assert "[/x] :warning:" in text
        assert is_harmless(text)


@pytest.mark.parametrize(
    "path", ["/", "/class?item=item://thing", "/page?iri={}", "/search?q=pwned", "/diff?from=1&to=2"]
)
def test_pages_escape_what_they_show(server: Server, path: str) -> None:
    """No script of a value runs, no value is a template, and no link leads to a script."""
    text = server.get(path.format(asked("http://data.example.org/things/a")), Accept="text/html").text
    assert "<script>alert(1)" not in text
    assert 'href="javascript:' not in text
    assert 'href="data:' not in text
    assert "49" not in text.replace("{{ 7*7 }}", "")


@pytest.mark.parametrize(
    "path",
    ["/search?q=%3Cscript%3Ealert(1)%3C/script%3E", "/%22%3E%3Cscript%3Ealert(1)%3C/script%3E", "/data.x%3Cscript%3E"],
)
def test_what_a_request_says_is_not_markup_either(server: Server, path: str) -> None:
    """And the policy of every answer allows no script in it."""
    answer = server.get(path, Accept="text/html")
    assert "<script>alert(1)" not in answer.text
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    assert "unsafe-inline" not in answer.headers["content-security-policy"]
