"""``rdfcrawl serve`` as a process."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from rdfcrawl.store.folder import open_store
from tests.commands import Command
from tests.publish.conftest import AddRun, Server, thing
from tests.sparql_server import sparql_server

COMMAND = [sys.executable, "-c", "import typer, rdfcrawl.cli.serve as s; typer.run(s.serve)"]


def test_it_tells_its_address_and_ends_in_order(tmp_path: Path) -> None:
    """The address is printed when the server answers there; Ctrl-C ends it without a traceback."""
    open_store(tmp_path / "store")
    command = [*COMMAND, "--port", "0", "--store", str(tmp_path / "store")]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[0].rstrip("/")
        assert Server(address).get("/", Accept="text/html").status == 200
        process.send_signal(signal.SIGINT)
        rest = process.stderr.read()
    assert process.returncode == 0
    assert rest == ""


def test_a_store_at_a_sparql_server_is_served_from_its_run_files(
    tmp_path: Path, add_run: AddRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The copies at the server are not needed: it may be away."""
    monkeypatch.setenv("RDFCRAWL_FOLDER", str(tmp_path / "folder"))
    with sparql_server() as away:
        add_run(open_store(away.query), 1, thing("a", "A thing"))
    command = [*COMMAND, "--port", "0", "--store", away.query]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        address = process.stderr.readline().split()[0].rstrip("/")
        assert "A thing" in Server(address).get("/class?item=item://thing", Accept="text/html").text
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == ""


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    """The message names the port and the way out."""
    open_store(tmp_path / "store")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = Command("serve", "--port", str(port), "--store", str(tmp_path / "store"))
        assert command.wait() != 0
    assert f"port {port} of 127.0.0.1 is in use; choose another one with --port" in " ".join(command.said.split())
