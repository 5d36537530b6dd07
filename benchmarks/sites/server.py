"""nginx on loopback, serving a folder in processes of its own, with nothing of the machine's configuration."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

CONFIGURATION = """
worker_processes 1;
daemon off;
pid {work}/nginx.pid;
error_log {work}/error.log;
events {{ worker_connections 1024; }}
http {{
    access_log {work}/access.log;
    default_type "text/html; charset=utf-8";
    keepalive_requests 1000000;
    client_body_temp_path {work}/body; proxy_temp_path {work}/proxy; fastcgi_temp_path {work}/fastcgi;
    uwsgi_temp_path {work}/uwsgi; scgi_temp_path {work}/scgi;
    server {{ listen 127.0.0.1:{port}; root {folder}; }}
}}
"""


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, Path]]:
    """Serve a folder; gives the address of the server and the log of its requests."""
    nginx = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
    if nginx is None:
        raise SystemExit("the benchmarks need nginx; on Debian: apt-get install nginx-light")
    folder.chmod(0o755)
    with tempfile.TemporaryDirectory(prefix="rdfcrawl-bench-") as work:
        Path(work).chmod(0o755)
        port = free_port()
        settings = Path(work) / "nginx.conf"
        settings.write_text(CONFIGURATION.format(work=work, port=port, folder=folder.resolve()))
        process = subprocess.Popen([nginx, "-c", str(settings), "-e", f"{work}/error.log"])
        try:
            _wait_for(port)
            yield f"http://127.0.0.1:{port}", Path(work) / "access.log"
        finally:
            process.terminate()
            process.wait()


def free_port() -> int:
    """A port of this machine that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int) -> None:
    for _ in range(200):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit("nginx did not start")
