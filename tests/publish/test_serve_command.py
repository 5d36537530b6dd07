"""``rdfcrawl serve`` as a process."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
from pathlib import Path

from rdfcrawl.store.folder import open_store
from tests.publish.conftest import Server

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


def test_a_port_in_use_is_one_sentence(tmp_path: Path) -> None:
    """The message names the port and the way out."""
    open_store(tmp_path / "store")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        command = [*COMMAND, "--port", str(port), "--store", str(tmp_path / "store")]
        ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert f"port {port} of 127.0.0.1 is in use; --port names another one" in ended.stderr
