"""Problems as lines for people, and as values for JSON and CSV."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Final

from rich.text import Text

from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.runs.problems import PROBLEM_FIELDS, ProblemGroup, ReportedProblem

WIDTH: Final = 80
_INDENT: Final = " " * 11
_LONGEST_REASON: Final = 300


def group_lines(groups: Iterable[ProblemGroup], prefixes: Mapping[str, str]) -> Iterator[Text]:
    """Each group with its number and an example."""
    for group in groups:
        yield Text(f"{group.count:>8,} × {group.heading(prefixes)}")
        yield from _problem_lines(group.examples[0], "e.g. " if group.count > 1 else "")


def problem_lines(problems: Iterable[ReportedProblem], prefixes: Mapping[str, str]) -> Iterator[Text]:
    """Every problem by itself."""
    for problem in problems:
        what = f" {shorten(problem.property, prefixes)}" if problem.property else ""
        yield Text(f"{problem.kind}{what} on {shorten(problem.page, prefixes)}", "yellow")
        yield from _problem_lines(problem)


def group_json(group: ProblemGroup) -> dict[str, object]:
    """A group for programs; IRIs are whole, and what is not known is null."""
    return {
        "kind": group.kind,
        "page": group.page,
        "property": group.property or None,
        "count": group.count,
        "example": problem_json(group.examples[0]),
    }


def problem_json(problem: ReportedProblem) -> dict[str, object]:
    """A problem for programs; what is not known is null."""
    return {name: value or None for name, value in asdict(problem).items()}


def group_rows(groups: Iterable[ProblemGroup]) -> Iterator[list[object]]:
    """The groups as a table with a header: their number, and their first problem."""
    yield ["count", *PROBLEM_FIELDS]
    for group in groups:
        yield [group.count, *asdict(group.examples[0]).values()]


def problem_rows(problems: Iterable[ReportedProblem]) -> Iterator[list[object]]:
    """The problems as a table with a header."""
    yield list(PROBLEM_FIELDS)
    for problem in problems:
        yield list(asdict(problem).values())


def _problem_lines(problem: ReportedProblem, beginning: str = "") -> Iterator[Text]:
    """The reason, wrapped, and where it is: an address is never broken, so that it can be copied."""
    reason = " ".join(problem.reason.split())
    short = reason if len(reason) <= _LONGEST_REASON else f"{reason[: _LONGEST_REASON - 1]}…"
    room = WIDTH - len(_INDENT)
    for line in textwrap.wrap(beginning + short, room, break_long_words=False, break_on_hyphens=False):
        yield Text(_INDENT + line)
    yield Text(f"{_INDENT}at {problem.address}", "dim")
    if problem.element:
        yield Text(f"{_INDENT}   {problem.element}", "dim")
