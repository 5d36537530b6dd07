"""Importing this imports everything that a command needs, also what it would import only when it runs."""

from __future__ import annotations

import gc
import pkgutil
from importlib import import_module
from pathlib import Path
from typing import Final

import rdfcrawl
from rdfcrawl.metamodel.checked.checking import checked_text
from rdfcrawl.metamodel.statements.text import read_text
from rdfcrawl.recognise.lists.files import name_list

_LATE: Final = (
    "igraph",
    "multiprocessing.popen_forkserver",
    "numpy",
    "psycopg",
    "pyparsing",
    "tests.commands",
    "tests.program",
)
"""What is imported by functions only, or unpickled: a forked process would import it each time anew."""
_FIRST: Final = ("tests.alert.test_killed_sending", "tests.faults.test_kill_points", "tests.machines.test_faults")
"""Tests with functions that forked commands call before all else."""
_CASES: Final = Path(__file__).parent / "cases" / "check"

for _found in pkgutil.walk_packages(rdfcrawl.__path__, "rdfcrawl."):
    if not _found.name.endswith("__main__"):
        import_module(_found.name)
for _name in (*_LATE, *_FIRST):
    import_module(_name)
name_list(None)
# Not through the cache, which would know the result and not need what a check needs; a mistake needs pySHACL as well.
checked_text(read_text(str(_CASES / "five-mistakes" / "model.ttl")))
# What is here stays; looking through it for what is not needed would make every fork copy all of it.
gc.collect()
gc.freeze()
