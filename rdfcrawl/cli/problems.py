"""``rdfcrawl problems``: what went wrong in a run, grouped or one by one."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from io import TextIOWrapper
from typing import Annotated

import typer
from rich.text import Text

from rdfcrawl.cli.console import counted, err, for_programs, hand_over, out
from rdfcrawl.cli.output.problem_text import (
    group_json,
    group_lines,
    group_rows,
    problem_json,
    problem_lines,
    problem_rows,
)
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.names import expand, shorten
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.problems import group_problems, read_problems
from rdfcrawl.store.runs.record import RunRecord, RunState
from rdfcrawl.store.runs.run_files import RunFiles


class ProblemsFormat(StrEnum):
    """The format of the problems."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"


def problems(
    run: Annotated[
        str, typer.Argument(metavar="RUN", help="The run: a number, run://…, latest or previous.")
    ] = "latest",
    every: Annotated[bool, typer.Option("--all", help="List every problem, not one example of each group.")] = False,
    kind: Annotated[
        list[str] | None, typer.Option(help="Only problems of this kind, such as missing; can be repeated.")
    ] = None,
    prop: Annotated[
        list[str] | None, typer.Option("--property", help="Only problems with this property; can be repeated.")
    ] = None,
    output: Annotated[ProblemsFormat, typer.Option("--format", help="text for people, json or csv.")] = (
        ProblemsFormat.TEXT
    ),
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Show what went wrong in a run, grouped by kind, property and page, with an example each."""
    runs = open_store(store, create=False).runs
    record = runs.resolve(run)
    if record.state is not RunState.COMPLETE:
        raise UsageError(f"run {record.id} is {record.state}; its problems are known when it has ended")
    kinds, properties = _kinds(kind or ()), _properties(runs, record, prop or ())
    found = [
        problem
        for problem in read_problems(runs, record)
        if (not kinds or problem.kind in kinds) and (not properties or problem.property in properties)
    ]
    prefixes = record.model.prefixes
    if every:
        found.sort()
        _write(output, map(problem_json, found), problem_rows(found), problem_lines(found, prefixes))
    else:
        groups = group_problems(found)
        _write(output, map(group_json, groups), group_rows(groups), group_lines(groups, prefixes))
    if output is ProblemsFormat.TEXT:
        err.print(f"{counted(len(found), 'problem') if found else 'no problems'} in run {record.id}")


def _write(
    output: ProblemsFormat,
    values: Iterable[Mapping[str, object]],
    rows: Iterable[Sequence[object]],
    lines: Iterable[Text],
) -> None:
    if output is ProblemsFormat.JSON:
        hand_over(json.dumps(list(values), ensure_ascii=False, indent=1))
    elif output is ProblemsFormat.CSV:
        with for_programs() as document:
            text = TextIOWrapper(document, "utf-8", newline="")
            csv.writer(text).writerows(rows)
            text.flush()
            text.detach()
    else:
        for line in lines:
            out.print(line)


def _kinds(names: Iterable[str]) -> frozenset[str]:
    known = [kind.value for kind in ProblemKind]
    for name in names:
        if name not in known:
            raise UsageError(f"there is no kind of problem {name!r}; the kinds are {', '.join(known)}")
    return frozenset(names)


def _properties(runs: RunFiles, record: RunRecord, names: Iterable[str]) -> frozenset[str]:
    """The properties that are meant, as IRIs; one that the run's model does not have is a mistake."""
    prefixes = record.model.prefixes
    wanted = frozenset(expand(name, prefixes) for name in names)
    if not wanted:
        return wanted
    known = {prop.iri for item in load_model(runs.model(record.id)).items() for prop in item.properties}
    for name in sorted(wanted - known):
        listed = ", ".join(sorted(shorten(one, prefixes) for one in known))
        raise UsageError(f"the model of run {record.id} has no property {name}; it has {listed}")
    return wanted
