"""What a model makes of one page: a block for each object, on 80 columns; and the same for programs."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from rdfcrawl.cli.console import counted
from rdfcrawl.cli.output.weighed_text import weighed_json, weighed_lines
from rdfcrawl.engine.inspect.trial import Trial
from rdfcrawl.engine.problem import Problem
from rdfcrawl.engine.site.leads import FoundLead
from rdfcrawl.engine.workers.tracing import TracedValue
from rdfcrawl.metamodel.criteria import number
from rdfcrawl.metamodel.model import Page
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.names import is_hash_name, shorten
from rdfcrawl.rdf.ntriples import literal_parts, term_text

WIDTH: Final = 80
_LINKS_SHOWN: Final = 10
_WIDEST_NAME: Final = 28


def trial_lines(trial: Trial, prefixes: Mapping[str, str]) -> Iterator[Text]:
    """The score, the objects with their values, then the links; or where the path of both stopped."""
    if trial.weighed is not None:
        yield from weighed_lines(trial.weighed)
        yield Text()
    for (subject, _), found in groupby(trial.values, key=lambda value: (value.subject, value.root)):
        values = list(found)
        # An object without address is named by its page, which was just named above.
        name = subject.removeprefix(trial.address) if is_hash_name(subject) else shorten(subject, prefixes)
        yield Text(f"{shorten(values[0].item.iri, prefixes)}  ").append(name, "bold")
        yield from _value_lines(values, prefixes)
        yield Text()
    follows = trial.extraction.follows
    if follows:
        yield Text(f"{counted(len(follows), 'link')} to follow:")
    for follow in follows[:_LINKS_SHOWN]:
        yield Text(f"  {shorten(follow.page, prefixes)}  {follow.address}")
    if len(follows) > _LINKS_SHOWN:
        yield Text(f"  … and {len(follows) - _LINKS_SHOWN:,} more")
    yield from _lead_lines([FoundLead.from_line(line) for line in trial.extraction.leads], trial.page)
    if trial.extraction.next_address:
        yield Text(f"The list continues at {trial.extraction.next_address}")
    if trial.stopped is not None:
        yield from _wrapped(f"Nothing was found: {trial.stopped}", "", "bold red")


def _lead_lines(leads: Sequence[FoundLead], page: Page) -> Iterator[Text]:
    """The addresses of the site that a page of a survey names, the heaviest first, and why some would not be read."""
    if leads:
        yield Text(f"{counted(len(leads), 'address', 'addresses')} of the site:")
    extent = page.survey
    weighs = extent is not None and bool(extent.leads)
    threshold = None if extent is None else extent.lead_threshold
    for lead in sorted(leads, key=lambda lead: -lead.score)[:_LINKS_SHOWN]:
        weight = f"{number(lead.score):>6}  " if weighs else ""
        held = lead.held or ("below :leadThreshold" if threshold is not None and lead.score < threshold else "")
        yield Text(f"  {weight}{lead.address}" + (f"  ({held})" if held else ""))
    if len(leads) > _LINKS_SHOWN:
        yield Text(f"  … and {len(leads) - _LINKS_SHOWN:,} more")


def other_problems(trial: Trial) -> list[Problem]:
    """The problems that the blocks do not show already."""
    shown = {(value.subject, value.property.iri) for value in trial.values if _reason(value)}
    return [problem for problem in trial.extraction.problems if (problem.subject, problem.property) not in shown]


def trial_json(trial: Trial) -> dict[str, object]:
    """Everything that was found, for programs; values are whole."""
    objects = []
    for (subject, root), found in groupby(trial.values, key=lambda value: (value.subject, value.root)):
        values = list(found)
        objects.append(
            {
                "iri": subject,
                "item": values[0].item.iri,
                "element": root,
                "values": [_value_json(value) for value in values],
            }
        )
    return {
        "address": trial.address,
        "page": trial.page.iri,
        "engine": trial.engine.value,
        "objects": objects,
        "links": [{"page": follow.page, "address": follow.address} for follow in trial.extraction.follows],
        "next": trial.extraction.next_address,
        "problems": [asdict(problem) for problem in trial.extraction.problems],
        "stopped": trial.stopped,
        "score": weighed_json(trial.weighed),
    }


def _value_json(value: TracedValue) -> dict[str, object]:
    steps = value.steps
    return {
        "property": value.property.iri,
        "element": value.place,
        "raw": steps.raw if steps else None,
        "afterPattern": steps.after_pattern if steps else None,
        "afterSplit": steps.after_split if steps else None,
        "afterReplace": list(steps.after_replacements) if steps else [],
        "term": steps.term if steps else None,
        "reason": _reason(value),
        "recognised": list(value.reasons),
    }


def _value_lines(values: Sequence[TracedValue], prefixes: Mapping[str, str]) -> Iterator[Text]:
    names = [shorten(value.property.iri, prefixes) for value in values]
    room = min(max(map(cell_len, names)), _WIDEST_NAME)
    last = None
    for name, value in zip(names, values, strict=True):
        shown = name if name != last else ""
        beginning = f"  {shown}{' ' * max(0, room - cell_len(shown))}  "
        indent = " " * (room + 4)
        last = name
        if reason := _reason(value):
            style = "dim" if value.property.optional else "bold red"
            yield from _wrapped(beginning + reason, indent, style)
            continue
        yield Text(_cut(beginning + _final(value)), "green")
        if way := _way(value):
            yield Text(_cut(f"{indent}from {way}"), "dim")
        for why in value.reasons:
            yield Text(_cut(f"{indent}{why}"), "dim")


def _reason(value: TracedValue) -> str | None:
    """Why there is no value."""
    steps = value.steps
    if steps is None:
        may = " (optional)" if value.property.optional else ""
        return f"missing{may}: {value.stopped}" if value.stopped else f"missing{may}"
    if steps.term:
        return None
    return f"no value: {steps.reason}" if steps.is_empty else steps.reason or "no value"


def _final(value: TracedValue) -> str:
    term = value.steps.term if value.steps else None
    assert term is not None
    text = _flat(term_text(term))
    if term[0] == "<":
        return f"<{text}>"
    parts = literal_parts(term)
    mark = f"@{parts.language}" if parts.language else parts.datatype.removeprefix(terms.XSD)
    return text if parts.datatype == terms.STRING and not parts.language else f"{text}  {mark}"


def _way(value: TracedValue) -> str:
    """The texts before the final one, each only where it differs from the one before."""
    steps = value.steps
    assert steps is not None
    cut = [text for text in (steps.after_pattern, steps.after_split) if text is not None]
    texts = [steps.raw, *cut, *steps.after_replacements]
    different = [text for text, _ in groupby(_flat(text) for text in texts)]
    if different[-1] == _flat(term_text(steps.term or "")):
        different.pop()
    return " → ".join(f'"{text}"' for text in different)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _cut(line: str) -> str:
    return line if cell_len(line) <= WIDTH else f"{set_cell_size(line, WIDTH - 1).rstrip()}…"


def _wrapped(text: str, indent: str, style: str) -> Iterator[Text]:
    """A reason is never cut: it says what to do."""
    lines = textwrap.wrap(
        text,
        WIDTH,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
        drop_whitespace=True,
        replace_whitespace=False,
    )
    for line in lines:
        yield Text(line, style)
