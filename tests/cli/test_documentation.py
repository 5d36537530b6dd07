"""The reference of the commands is what the commands say of themselves."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.core import TyperGroup

from rdfcrawl.cli import COMMANDS, app
from rdfcrawl.engine.problem import ProblemKind
from tests.program import program
from tests.sampling import sampled

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


@pytest.mark.slow
@pytest.mark.parametrize("page", sampled(["tutorial", "cookbook"], ["cookbook"]))
def test_what_a_page_shows_is_what_its_commands_print(page: str, tmp_path: Path) -> None:
    """Every command is run; the message says what it prints instead, and how to rewrite the page."""
    with program(tmp_path) as rdfcrawl:
        options = ["--check", "--programs", str(rdfcrawl.parent)]
        command = [sys.executable, "scripts/write-documented-output", *options, f"docs/{page}.md"]
        environment = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
        checked = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert checked.returncode == 0, f"{checked.stderr}\nscripts/write-documented-output docs/{page}.md rewrites it"


def test_a_documented_output_that_is_wrong_is_noticed(tmp_path: Path) -> None:
    """Other output, and a command that fails, are differences; a line of three dots stands for anything."""
    page = tmp_path / "page.md"
    for shown, is_right in (("one\n…\nfour\n", True), ("one\n…\nfive\n", False), ("", False)):
        page.write_text(f"```console\n$ printf 'one\\ntwo\\nthree\\nfour\\n'\n{shown}```\n", encoding="utf-8")
        command = [sys.executable, "scripts/write-documented-output", "--check", str(page)]
        assert (subprocess.run(command, capture_output=True, check=False).returncode == 0) is is_right


def test_every_kind_of_problem_has_a_remedy() -> None:
    """The page of problems has a row for each."""
    text = Path("docs/problems.md").read_text(encoding="utf-8")
    assert [kind.value for kind in ProblemKind if f"| `{kind.value}` |" not in text] == []


def test_shells_complete_commands_and_options() -> None:
    """Names come without asking for anything else."""
    for words, found in (("rdfcrawl expl", "explain"), ("rdfcrawl shapes --he", "--help")):
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(words.count(" ")), "_RDFCRAWL_COMPLETE": "complete_bash"}
        command = [str(Path(sys.executable).parent / "rdfcrawl")]
        said = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **asked})
        assert said.stdout.split() == [found]


def test_every_kind_of_problem_is_explained() -> None:
    """The table in the reference of the metamodel has them all, and no others."""
    reference = Path("docs/metamodel.md").read_text(encoding="utf-8")
    table = reference.partition("## What a run reports")[2].partition("\n## ")[0]
    assert sorted(re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)) == sorted(kind.value for kind in ProblemKind)


def test_links_lead_to_files_that_are_there() -> None:
    """Those of every page of the documentation and of the README, to pages, models and tests."""
    lost = [
        f"{page}: {target}"
        for page in (Path("README.md"), Path("CONTRIBUTING.md"), *sorted(Path("docs").rglob("*.md")))
        for target in re.findall(r"\]\(([^)#:\s]+)(?:#[^)\s]*)?\)", page.read_text(encoding="utf-8"))
        if not (page.parent / target).exists()
    ]
    assert lost == []
