"""What a repair shows: its evidence for people, its edits for programs."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

import typer

from rdfcrawl.cli.console import counted, hand_over, pasteable, say
from rdfcrawl.drafting.repair.edits import Edit
from rdfcrawl.drafting.repair.mending import Mend
from rdfcrawl.drafting.repair.repairing import Repair, repair
from rdfcrawl.engine.choice import Engine
from rdfcrawl.metamodel.load import check_text
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.files.whole import write_whole
from rdfcrawl.store.folder import open_store
from rdfcrawl.versioning.suspicion.wording import missing

_LONGEST: Final = 40


def repair_model(
    model: Path, output: Path | None, *, store: str | None, replay: str | None, anew: bool, engine: Engine
) -> None:
    """Show how a model can be repaired; with ``output`` the repaired model is written there."""
    opened = open_store(store, create=False)
    made = asyncio.run(repair(model, opened, engine=engine, replay=replay, anew=anew, tell=_tell))
    prefixes = _prefixes(made)
    for one in made.mends:
        _tell(f"{_what(one.edit, prefixes)}\n    {_evidence(one)}")
    for suspicion in made.left:
        _tell(f"Not found again: {missing(suspicion, prefixes)}")
    for doubt in made.doubts:
        _tell(f"Unsure: {doubt}")
    if not made.mends:
        _tell("No edit was found with which the model reads these pages as before.")
        raise typer.Exit(1)
    hand_over(made.difference, nl=False)
    if output is not None:
        write_whole(output, made.model.encode())
        _tell(f"Wrote {output}. Run it with {pasteable('run', str(output), store=store)}")
    if made.left:
        raise typer.Exit(1)


def _tell(text: str) -> None:
    say(text, to_err=True)


def _prefixes(made: Repair) -> dict[str, str]:
    model = check_text(made.model.removeprefix("\ufeff"), "").model
    return dict(model.prefixes) if model is not None else {}


def _what(edit: Edit, prefixes: dict[str, str]) -> str:
    name = f"{shorten(edit.term, prefixes)} :{edit.name}"
    if edit.name == "replace":
        return f'{name} [ :old "{edit.new}" ; :new "{edit.replacement}" ]'
    return f'{name} "{" ".join(edit.new.split())}"'


def _evidence(one: Mend) -> str:
    samples = " | ".join(_cut(" ".join(sample.split())) for sample in one.samples)
    found = f"finds {one.found:,} of {counted(one.known, 'known value')}, {one.found_before:,} before"
    return f"{found}: {samples}" if samples else found


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
