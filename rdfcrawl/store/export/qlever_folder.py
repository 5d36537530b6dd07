"""What QLever's index builder wants: the quads, compressed, and a Qleverfile that says how to read and serve them."""

from __future__ import annotations

import gzip
from pathlib import Path
from secrets import token_urlsafe
from typing import Final

from rdfcrawl.errors import UsageError
from rdfcrawl.store.export.graphs import exported_lines
from rdfcrawl.store.files.whole import write_whole, written_whole
from rdfcrawl.store.runs.run_files import RunFiles

QUADS: Final = "rdfcrawl.nq.gz"
QLEVERFILE: Final = "Qleverfile"
_LEVEL: Final = 6

_CONTENT: Final = """\
# For the program `qlever`: `qlever index` builds the index, `qlever start` serves it at localhost:{port}.

[data]
NAME        = rdfcrawl
DESCRIPTION = {description}
FORMAT      = nq

[index]
INPUT_FILES     = {quads}
CAT_INPUT_FILES = zcat {quads}
SETTINGS_JSON   = {{ "ascii-prefixes-only": false, "num-triples-per-batch": 1000000 }}

[server]
PORT         = {port}
ACCESS_TOKEN = {token}

[runtime]
SYSTEM = docker
IMAGE  = docker.io/adfreiburg/qlever:latest
"""
_PORT: Final = 7001


def write_qlever(runs: RunFiles, run: str, folder: Path) -> dict[Path, int]:
    """Write a run, all runs or the current state for QLever; returns the file of the quads, with their number."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; qlever writes two files, into a folder")
    folder.mkdir(parents=True, exist_ok=True)
    count = 0
    with (
        exported_lines(runs, run) as lines,
        written_whole(folder / QUADS) as file,
        # Without name and time: equal graphs yield equal files.
        gzip.GzipFile("", "wb", _LEVEL, file, mtime=0) as packed,
    ):
        for line in lines():
            packed.write(line + b"\n")
            count += 1
    said = _CONTENT.format(description=f"rdfcrawl, {run}", quads=QUADS, port=_PORT, token=token_urlsafe(16))
    write_whole(folder / QLEVERFILE, said.encode())
    return {folder / QUADS: count}
