"""Commands at the same time on one folder, as processes of their own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote
from urllib.request import urlopen

import pytest

from tests.commands import Command

AT_ONCE = (
    ["run", "models/bundestag.ttl", "--replay", "examples/sites", "--no-record"],
    ["run", "models/chefkoch.ttl", "--replay", "examples/sites", "--no-record"],
    ["query", "SELECT (COUNT(*) AS ?n) { ?recipe recipe:label ?label }", "--format", "csv"],
    ["query", "--changes", "ASK { ?s :added ?o }"],
    ["diff", "--format", "json"],
    ["runs", "--format", "json"],
    ["export", "--format", "nt"],
)
TRIES = 5000


def call(*arguments: str, store: Path) -> Command:
    return Command(*arguments, "--store", str(store))


def ended(command: Command) -> str:
    """What a command has printed, when it has ended well."""
    assert command.wait() == 0, command.said
    return command.printed


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one run, so that there is something to ask."""
    ended(call(*AT_ONCE[1], store=tmp_path / "store"))
    return tmp_path / "store"


@pytest.fixture
def address(store: Path) -> Iterator[str]:
    """Where ``rdfcrawl serve`` publishes the store, which is named from where the command is called."""
    command = [sys.executable, "-m", "rdfcrawl", "serve", "--port", "0", "--store", store.name]
    with subprocess.Popen(command, cwd=store.parent, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        yield process.stderr.readline().split()[0].rstrip("/")
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""


def runs_shown(address: str) -> set[str]:
    query = quote("SELECT DISTINCT ?run { GRAPH ?run { ?s ?p ?o } FILTER STRSTARTS(STR(?run), 'run://') }")
    with urlopen(f"{address}/sparql?query={query}&format=json") as response:
        return {row["run"]["value"] for row in json.load(response)["results"]["bindings"]}


def test_commands_do_not_get_into_each_others_way(store: Path, address: str) -> None:
    """Two runs, queries, a diff and an export at once all succeed, and the server shows what the runs brought."""
    (before,) = runs_shown(address)
    commands = [call(*arguments, store=store) for arguments in AT_ONCE]
    _, _, counted, changed, compared, listed, exported = [ended(command) for command in commands]
    assert counted == "n\n26\n"
    assert changed == "yes\n"
    assert json.loads(compared)["new"].startswith("run://")
    assert before in {f"run://{record['id']}" for record in json.loads(listed)}
    assert exported.count("<property://recipe/label>") == 26
    known = {f"run://{record['id']}" for record in json.loads(ended(call("runs", "--format", "json", store=store)))}
    assert len(known) == 3
    assert any(runs_shown(address) == known for _ in range(TRIES))
    with urlopen(f"{address}/search?q=Kirschen") as response:
        assert "Kaiserschmarrn mit Kirschen" in response.read().decode()
