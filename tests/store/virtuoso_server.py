"""A real Virtuoso in a temporary folder, on ports of this machine; the test is skipped where there is none."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

SETTINGS = """
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/virtuoso-temp.db
TransactionFile = {folder}/virtuoso-temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DirsAllowed = {folder}
NumberOfBuffers = 10000
ServerThreads = 10
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = {folder}
"""


@dataclass(frozen=True, slots=True)
class Virtuoso:
    """A server that runs; ``folder`` is one that it may read from."""

    folder: Path
    sql: int
    http: int

    @property
    def endpoint(self) -> str:
        """Where it answers SPARQL."""
        return f"http://127.0.0.1:{self.http}/sparql"

    def execute(self, *statements: str) -> str:
        """What its own client prints."""
        program = shutil.which("isql-vt") or "isql"
        command = [program, f"127.0.0.1:{self.sql}", "dba", "dba", "VERBOSE=OFF", "BANNER=OFF", "PROMPT=OFF"]
        text = "".join(f"{statement};\n" for statement in statements)
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False, timeout=120)
        assert "Error" not in done.stderr, done.stderr
        return done.stdout


@contextmanager
def virtuoso_server(folder: Path) -> Iterator[Virtuoso]:
    """A server without any graph of its own."""
    program = shutil.which("virtuoso-t")
    if program is None:
        pytest.skip("Virtuoso is not installed; scripts/install-virtuoso installs it")
    server = Virtuoso(folder, _free_port(), _free_port())
    settings = folder / "virtuoso.ini"
    settings.write_text(SETTINGS.format(folder=folder, sql=server.sql, http=server.http))
    with (folder / "said.txt").open("wb") as said:
        process = subprocess.Popen([program, "-f", "-c", str(settings)], cwd=folder, stdout=said, stderr=said)
    try:
        while process.poll() is None and not _answers(server):
            time.sleep(0.1)
        assert process.poll() is None, (folder / "said.txt").read_text()
        yield server
    finally:
        process.kill()
        process.wait()


def _answers(server: Virtuoso) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", server.http)) == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
