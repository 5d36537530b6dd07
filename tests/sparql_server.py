"""A real SPARQL server for tests: Oxigraph, in memory or in a folder, on a port of the loopback."""

from __future__ import annotations

import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class SparqlServer:
    """Where the server listens."""

    address: str

    @property
    def query(self) -> str:
        """The endpoint for queries."""
        return f"{self.address}/query"

    @property
    def update(self) -> str:
        """The endpoint for updates."""
        return f"{self.address}/update"

    def add(self, turtle: str, graph: str | None = None) -> None:
        """Store Turtle in the named graph, or in the default one."""
        place = "default" if graph is None else urlencode({"graph": graph})
        request = urllib.request.Request(
            f"{self.address}/store?{place}",
            data=turtle.encode(),
            headers={"Content-Type": "text/turtle"},
            method="POST",
        )
        urllib.request.urlopen(request).close()


@contextmanager
def sparql_server(
    port: int | None = None, folder: Path | None = None, read_only: bool = False
) -> Iterator[SparqlServer]:
    """Start a server and stop it at the end."""
    port = port or free_port()
    program = str(Path(sys.executable).with_name("oxigraph"))
    command = [program, "serve-read-only" if read_only else "serve", "--bind", f"127.0.0.1:{port}"]
    if folder is not None:
        command += ["--location", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _wait_until_it_listens(process)
        yield SparqlServer(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.communicate()


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _wait_until_it_listens(process: subprocess.Popen[str]) -> None:
    """The server says on standard error when it is ready."""
    assert process.stderr is not None
    said = process.stderr.readline()
    if "Listening" not in said:
        raise RuntimeError(f"the SPARQL server did not start: {said}")
