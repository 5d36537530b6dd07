"""``rdfcrawl explain``: shows where an object and its values come from."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Mapping
from enum import StrEnum
from typing import Annotated

import typer
from rich.text import Text

from rdfcrawl.cli.console import err, hand_over, how_read, out
from rdfcrawl.cli.output.explained_json import explanation_json
from rdfcrawl.cli.output.weighed_text import weighed_lines
from rdfcrawl.engine.inspect.explain import explain as explain_object
from rdfcrawl.engine.inspect.explanation import ExplainedValue, Explanation, Looking, NothingKept, NotShown
from rdfcrawl.rdf.graphs import run_iri
from rdfcrawl.rdf.names import expand, shorten
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.query.prepare import known_prefixes


class ExplainFormat(StrEnum):
    """The format of an explanation."""

    TEXT = "text"
    JSON = "json"


def explain(
    iri: Annotated[str, typer.Argument(metavar="IRI", help="The object.")],
    property_iri: Annotated[
        str | None, typer.Argument(metavar="PROPERTY", help="One of its properties; a prefix of the model can be used.")
    ] = None,
    run: Annotated[
        str | None,
        typer.Option(help="The run: a number, latest or previous; by default, the latest that saw the object."),
    ] = None,
    output: Annotated[ExplainFormat, typer.Option("--format", help="text for people, or json.")] = ExplainFormat.TEXT,
    page: Annotated[
        bool, typer.Option("--page", help="With json: the page too, in plain markup with the elements marked.")
    ] = False,
    browser: Annotated[bool, typer.Option(help="Read pages in a browser where the run did.")] = True,
    store: Annotated[str | None, typer.Option(help="Where the runs are.", show_default="rdfcrawl-data")] = None,
) -> None:
    """Show which page, element and text the values of an object come from, or where reading a missing value stopped."""
    opened = open_store(store, create=False)
    records = opened.runs.records()
    prefixes = known_prefixes(records) if run is None else opened.runs.resolve(run).model.prefixes
    wanted = expand(property_iri, prefixes) if property_iri else None
    looking = Looking(in_browser=browser, framed=page and output is ExplainFormat.JSON)
    asking = explain_object(opened, expand(iri, prefixes), wanted, run=run, looking=looking, notice=err.print)
    if output is ExplainFormat.JSON:
        explanation = _hand_over(asking)
    else:
        explanation = asyncio.run(asking)
        _print(explanation, opened.runs.read_record(explanation.run).model.prefixes)
    is_empty = not explanation.values and explanation.weighed is None
    if is_empty or any(_is_lacking(value, explanation) for value in explanation.values):
        raise typer.Exit(1)


def _hand_over(asking: Coroutine[None, None, Explanation]) -> Explanation:
    """Write an explanation for programs, or why there is none."""
    try:
        explanation = asyncio.run(asking)
    except (NothingKept, NotShown) as error:
        kind = "nothing-kept"
        if isinstance(error, NotShown):
            kind = "needs-browser" if error.needs_browser else "not-shown"
        hand_over(json.dumps({"error": str(error), "kind": kind}, ensure_ascii=False))
        raise typer.Exit(error.exit_code) from None
    hand_over(json.dumps(explanation_json(explanation), ensure_ascii=False))
    return explanation


def _print(explanation: Explanation, prefixes: Mapping[str, str]) -> None:
    _print_object(explanation, prefixes)
    if explanation.weighed is not None:
        out.print()
        for line in weighed_lines(explanation.weighed):
            out.print(line)
    for value in explanation.values:
        out.print()
        _print_value(value, prefixes)


def _is_lacking(value: ExplainedValue, explanation: Explanation) -> bool:
    """Whether something mandatory is missing; of several values, those that are empty may be as long as one is left."""
    if not value.stopped or value.property.optional:
        return False
    is_empty = value.steps is not None and value.steps.is_empty
    return not (is_empty and any(other.triple for other in explanation.values if other.property is value.property))


def _print_object(explanation: Explanation, prefixes: Mapping[str, str]) -> None:
    item, page = (shorten(name.iri, prefixes) for name in (explanation.item, explanation.page))
    out.print(Text(explanation.subject, style="bold"))
    _line("item", item)
    _line("page", f"{page} at {explanation.address}, read {how_read(explanation.engine)}")
    _line("run", run_iri(explanation.run))
    if found := explanation.record:
        _line("fetched", found.answer.moment)
        _line("record", f"{found.answer.record} in {found.archive} at offset {found.answer.offset}")
    if explanation.item.path:
        _line("root", _found(explanation.item.path, explanation.root))
    if explanation.stopped:
        _line("stopped", explanation.stopped, style="bold red")


def _print_value(value: ExplainedValue, prefixes: Mapping[str, str]) -> None:
    prop = value.property
    out.print(Text(shorten(prop.iri, prefixes), style="bold"))
    _line("path", _found(prop.path, value.place))
    for name, rule, text in value.told_steps():
        _line(name, f"{rule} → {text!r}" if rule else repr(text))
    for reason in value.reasons:
        _line("why", reason)
    if value.stopped:
        may = " (it is optional)" if prop.optional else ""
        _line("stopped", value.stopped + may, style="yellow" if prop.optional else "bold red")
    if value.triple:
        _line("triple", value.triple, style="green")


def _found(path: str, place: str | None) -> str:
    flat = " ".join(path.split())
    return f"{flat} → {place}" if place else flat


def _line(name: str, text: str, style: str = "") -> None:
    out.print(Text(f"  {name:<9} ").append(text, style=style))
