"""How little a command imports before it begins: starting is most of what a small command does."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from rdfcrawl.cli import COMMANDS
from rdfcrawl.cli.output.overview import OVERVIEW
from tests.commands import Command

_ROOT = Path(__file__).parents[2]
_HEAVY = {"aiohttp", "jinja2", "lxml", "playwright", "pyoxigraph", "pyshacl", "rdflib", "rich", "starlette", "uvicorn"}
_ASKED = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})), file=sys.stderr))
from rdfcrawl.cli import main
main()
"""


def imported(*arguments: str) -> set[str]:
    """The packages that a command has imported when it ends."""
    command = [sys.executable, "-c", _ASKED, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(ended.stderr.splitlines()[-1]))


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_imports_no_command(argument: str) -> None:
    """Neither the libraries that crawl nor those that check."""
    assert imported(argument) & _HEAVY == set()


def test_a_small_run_imports_nothing_that_it_does_not_need(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that was checked before needs no rdflib, its replay no network, and only the readers need a parser.

    The process of a crawl decides by the pages of its model alone: what evaluates paths is not even there.
    """
    case = _ROOT / "tests" / "cases" / "extract" / "key"
    run = ("run", str(case / "model.ttl"), "--replay", str(case / "pages"), "--engine", "http", "--quiet", "--store")
    store = str(tmp_path / "store")
    monkeypatch.setenv("RDFCRAWL_CACHE", str(tmp_path / "cache"))
    assert Command(*run, store).wait() == 0
    needless = {"aiohttp", "playwright", "psycopg", "pydantic", "pyshacl", "rdflib", "regex", "turbohtml"}
    needless |= {"babel", "cssselect", "lxml", "SPARQLWrapper"}
    assert imported(*run, store) & needless == set()


def test_a_draft_imports_no_parser(tmp_path: Path) -> None:
    """Its workers have one; and nobody reads the text of the model that they write."""
    pages = _ROOT / "examples" / "sites"
    address = "https://www.bundestag.de/bundestag/parteienfinanzierung/fundstellen50000"
    needless = {"aiohttp", "lxml", "pyshacl", "rdflib", "regex", "rich", "turbohtml", "babel", "cssselect"}
    model = str(tmp_path / "model.ttl")
    assert imported("draft", address, "--replay", str(pages), "-o", model) & needless == set()


def test_every_command_has_its_line_in_the_help() -> None:
    """In the same order, and none longer than a terminal is wide."""
    assert list(OVERVIEW) == list(COMMANDS)
    assert max(map(len, OVERVIEW.values())) <= 78 - 2 - max(map(len, OVERVIEW)) - 2
