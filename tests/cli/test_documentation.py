"""The reference of the commands is what the commands say of themselves."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from rdfcrawl.cli import COMMANDS, app
from rdfcrawl.engine.problem import ProblemKind

REFERENCE = Path("docs/commands.md")


def test_the_help_in_the_reference_is_the_real_one() -> None:
    """If an option has changed, the message says how to rewrite the reference."""
    command = [sys.executable, "scripts/write-command-reference", "--check"]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_a_section_and_says_what_its_options_mean(name: str) -> None:
    """A heading in the reference, a row in the README, and a sentence for every option and argument."""
    assert f"\n## {name}\n" in REFERENCE.read_text(encoding="utf-8")
    assert f"| `{name}" in Path("README.md").read_text(encoding="utf-8")
    group = typer.main.get_command(app)
    assert isinstance(group, TyperGroup)
    command = group.get_command(typer.Context(group), name)
    assert command is not None
    assert [parameter.name for parameter in command.params if not getattr(parameter, "help", None)] == []


def test_every_kind_of_problem_is_explained() -> None:
    """The table in the reference of the metamodel has them all, and no others."""
    reference = Path("docs/metamodel.md").read_text(encoding="utf-8")
    table = reference.partition("## What a run reports")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == sorted(kind.value for kind in ProblemKind)
