"""What the benchmarks need: nginx, a Chromium, and an environment of its own for every peer."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

from playwright.sync_api import sync_playwright

from rdfcrawl.engine.fetch.browser.chromium import find_chromium

HERE = Path(__file__).resolve().parents[1]
PEERS = HERE / "peers"
ENVIRONMENTS = HERE / ".envs"


def python_of(peer: str) -> Path:
    """The Python of a peer's environment, which is made when it is missing or its requirements have changed."""
    requirements = (PEERS / peer / "requirements.txt").read_text()
    folder = ENVIRONMENTS / peer
    installed = folder / "requirements.txt"
    python = folder / "bin" / "python"
    if not installed.exists() or installed.read_text() != requirements:
        print(f"Installing what {peer} needs …", flush=True)
        shutil.rmtree(folder, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, "--requirement", str(PEERS / peer / "requirements.txt")], check=True)
        installed.write_text(requirements)
    return python


def require_nginx() -> None:
    """Make sure that nginx is there; as root on Debian it is installed."""
    if shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin"):
        return
    if os.geteuid() != 0 or shutil.which("apt-get") is None:
        raise SystemExit("the benchmarks need nginx; on Debian: apt-get install nginx-light")
    print("Installing Debian's nginx-light …", flush=True)
    subprocess.run(["apt-get", "update", "-qq"], check=True)
    quiet = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    subprocess.run(["apt-get", "install", "-y", "-qq", "nginx-light"], check=True, env=quiet, stdout=subprocess.DEVNULL)


@cache
def chromium() -> str:
    """The one Chromium that all tools use, found as rdfcrawl finds it."""
    with sync_playwright() as playwright:
        return find_chromium(playwright.chromium.executable_path)
