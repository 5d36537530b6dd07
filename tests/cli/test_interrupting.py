"""Ctrl-C in a command that has nothing to resume."""

from __future__ import annotations

import os
import signal
import socket
from pathlib import Path

from tests.commands import Command

SENTENCE = "rdfcrawl: interrupted before the end of the command"


def test_a_command_that_waits_for_the_network_ends_with_one_sentence() -> None:
    """The server takes the connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        draft = Command("draft", "--engine", "http", f"http://127.0.0.1:{server.getsockname()[1]}/")
        connection, _ = server.accept()
        with connection:
            os.kill(draft.pid, signal.SIGINT)
            assert draft.wait() == 130
    assert draft.said.splitlines()[-1] == SENTENCE
    assert "Traceback" not in draft.said


def test_a_command_that_waits_for_a_file_ends_with_one_sentence(tmp_path: Path) -> None:
    """Whatever the command: all of them are called in one place."""
    model = tmp_path / "model.ttl"
    os.mkfifo(model)
    check = Command("check", str(model))
    # This waits for whoever reads.
    with model.open("w"):
        os.kill(check.pid, signal.SIGINT)
        assert check.wait() == 130
    assert check.said == f"{SENTENCE}\n"
