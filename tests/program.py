"""``rdfcrawl`` as a program that a shell finds, whose commands are forked; apart from that it is the installed one."""

from __future__ import annotations

import json
import os
import socket
import socketserver
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Final

from rdfcrawl.cli import main
from tests.forking import FORKING, Shortcuts, shortcuts_taken, take_surroundings

# It imports next to nothing: that is what it is for.
_PROGRAM: Final = """#!{python} -IS
import json, os, socket, sys
asked = json.dumps([sys.argv, os.getcwd(), dict(os.environ)]).encode()
with socket.socket(socket.AF_UNIX) as forker:
    forker.connect({address!r})
    socket.send_fds(forker, [b"%d\\n" % len(asked)], [0, 1, 2])
    forker.sendall(asked)
    sys.exit(int(forker.recv(8)))
"""


_NUMBERS: Final = count(1)


class _Forker(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


class _Asked(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        forked = FORKING.Process(target=_run, args=(self.request, shortcuts_taken()), daemon=True)
        forked.start()
        forked.join()
        self.request.sendall(b"%d" % (forked.exitcode or 0))


@contextmanager
def program(folder: Path) -> Iterator[Path]:
    """Put a program ``rdfcrawl`` into a folder; it can be called until the end."""
    # A name that is no file: the path of a socket is short.
    address = f"\0rdfcrawl-{os.getpid()}-{next(_NUMBERS)}"
    found = folder / "rdfcrawl"
    found.write_text(_PROGRAM.format(python=sys.executable, address=address), encoding="utf-8")
    found.chmod(0o755)
    with _Forker(address, _Asked) as forker:
        threading.Thread(target=forker.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        try:
            yield found
        finally:
            forker.shutdown()


def _run(asked: socket.socket, shortcuts: Shortcuts) -> None:
    with asked:
        length, streams, _, _ = socket.recv_fds(asked, 32, 3)
        head, _, said = length.partition(b"\n")
        while len(said) < int(head):
            said += asked.recv(1 << 16)
    arguments, folder, environment = json.loads(said)
    take_surroundings(environment, *streams)
    os.chdir(folder)
    for take in shortcuts:
        take()
    sys.argv = arguments
    main()
