"""The score of a page: each criterion, whether it is met, where, and what it adds; for people and for programs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from rich.text import Text

from rdfcrawl.engine.workers.weighing import Verdict, WeighedPage


def weighed_lines(weighed: WeighedPage) -> Iterator[Text]:
    """The sum first, then the criteria."""
    if weighed.threshold is None:
        yield Text(f"score {weighed.score}", "bold")
    else:
        word, style = ("find", "bold green") if weighed.is_find else ("no find", "bold")
        yield Text(f"{word}: ", style).append(f"score {weighed.score}, the threshold is {weighed.threshold}", "default")
    room = max((len(_weight(verdict)) for verdict in weighed.verdicts), default=0)
    for verdict in weighed.verdicts:
        weight = _weight(verdict).rjust(room)
        if verdict.met:
            yield Text(f"  {weight}  {verdict.said}", "green" if not weight.strip().startswith("-") else "red")
            if verdict.match:
                where = Text(f"  {' ' * room}  {verdict.part}: {verdict.before}", "dim")
                yield where.append(verdict.match, "bold").append(verdict.after, "dim")
        else:
            yield Text(f"  {' ' * room}  not met: {verdict.said} ({_weight(verdict)})", "dim")
    for complaint in weighed.complaints:
        yield Text(f"  {complaint}", "yellow")


def weighed_json(weighed: WeighedPage | None) -> dict[str, object] | None:
    """The same for programs."""
    return None if weighed is None else {**asdict(weighed), "find": weighed.is_find}


def _weight(verdict: Verdict) -> str:
    return verdict.weight if verdict.weight.startswith("-") else f"+{verdict.weight}"
