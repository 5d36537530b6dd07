"""Importing this imports everything that a command needs, also what it would import only when it runs."""

from __future__ import annotations

import gc
from importlib import import_module
from pathlib import Path

from typer.testing import CliRunner

import tests.commands  # noqa: F401
from rdfcrawl.cli import COMMANDS, app
from rdfcrawl.recognise.lists.files import name_list

for _place in COMMANDS.values():
    import_module(_place.partition(":")[0])
name_list(None)
CliRunner().invoke(app, ["check", str(Path(__file__).parents[1] / "models" / "bundestag.ttl")])
# What is here stays; looking through it for what is not needed would make every fork copy all of it.
gc.collect()
gc.freeze()
