"""A real PostgreSQL server in a temporary folder, on a socket."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def programs() -> Path | None:
    """The folder of the server's programs; Debian does not put it into the path."""
    if found := shutil.which("initdb"):
        return Path(found).resolve().parent
    return max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@contextmanager
def postgres_server() -> Iterator[str]:
    """The address of a server without any table; the test is skipped where there is none."""
    folder = programs()
    if folder is None:
        pytest.skip("PostgreSQL is not installed; scripts/install-postgres installs it")
    # The path of a socket is short, and the server refuses to be root.
    place = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(place, user)
    data = place / "data"

    def run(program: str, *arguments: str) -> None:
        subprocess.run(
            [folder / program, *arguments], check=True, user=user, cwd=place, stdout=subprocess.DEVNULL, timeout=300
        )

    try:
        run("initdb", "-D", str(data), "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8")
        options = f"-k {place} -c listen_addresses='' -c fsync=off"
        run("pg_ctl", "-D", str(data), "-o", options, "-l", str(place / "log"), "-w", "-t", "240", "start")
        try:
            yield f"postgresql://tester@/postgres?host={place}"
        finally:
            run("pg_ctl", "-D", str(data), "-m", "immediate", "stop")
    finally:
        shutil.rmtree(place)
