"""``rdfcrawl names``: the people on the pages of a run; lists of names; institutions as sections of a model."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text
from typer.core import TyperGroup

from rdfcrawl.cli.console import err, out
from rdfcrawl.cli.output.table import print_table
from rdfcrawl.engine.registers.institutions import institutions_query, write_institutions
from rdfcrawl.engine.registers.name_lists import NameSources, build_name_list, persons_query
from rdfcrawl.errors import UsageError
from rdfcrawl.publish.data.people import AboutPage, People, PersonEntry, run_with_names
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.index import Index

SHOW = "show"


class _NamesGroup(TyperGroup):
    """``rdfcrawl names Bast`` is short for ``rdfcrawl names show Bast``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0] not in self.commands and args[0] not in ("--help", "-h")):
            args = [SHOW, *args]
        return super().parse_args(ctx, args)


class NamesFormat(StrEnum):
    """The format of the answer."""

    TABLE = "table"
    JSON = "json"


app = typer.Typer(cls=_NamesGroup, add_completion=False, rich_markup_mode=None)
lists = typer.Typer(add_completion=False, rich_markup_mode=None, help="Make lists of names.", no_args_is_help=True)
app.add_typer(lists, name="lists")


@app.callback()
def names() -> None:
    """Show the people on the pages of a run: `rdfcrawl names`, or `rdfcrawl names "Hannah Bast"`."""


@app.command(SHOW)
def show(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A name, or some of its words; without one, everybody.")
    ] = None,
    run: Annotated[
        str | None, typer.Option(help="The run: a number, latest or previous; by default the last with names.")
    ] = None,
    limit: Annotated[int, typer.Option(min=1, help="Show at most so many people or pages.")] = 50,
    output: Annotated[NamesFormat, typer.Option("--format", help="The format of the answer.")] = NamesFormat.TABLE,
    store: Annotated[str | None, typer.Option(help="The store: a folder or a SPARQL endpoint.")] = None,
) -> None:
    """Show who is on the pages of a run, or the pages about one person, best first."""
    opened = open_store(store, create=False).local()
    record = run_with_names(opened.runs, run)
    with opened.read(_index(opened)) as reader:
        people = People(reader.store, record.id)
        if name is None:
            _show_everyone(people, limit, output)
        else:
            _show_person(people, name, limit, output)


def _index(store: Store) -> Index:
    assert isinstance(store.data, Index)
    return store.data


def _show_everyone(people: People, limit: int, output: NamesFormat) -> None:
    everyone = people.everyone()
    shown = everyone[:limit]
    if output is NamesFormat.JSON:
        typer.echo(json.dumps([asdict(person) for person in shown], ensure_ascii=False, indent=1))
        return
    rows = [(person.label, f"{person.pages:,}", f"{person.count:,}") for person in shown]
    print_table(("person", "pages", "mentions"), rows, (False, True, True))
    more = f", {limit:,} shown; --limit shows more" if len(everyone) > limit else ""
    err.print(f"{len(everyone):,} people in run {people.run}{more}")


def _show_person(people: People, name: str, limit: int, output: NamesFormat) -> None:
    found = people.called(name)
    if not found:
        raise UsageError(f"nobody in run {people.run} is called {name!r}; `rdfcrawl names` lists everybody")
    if output is NamesFormat.JSON:
        typer.echo(json.dumps([_as_json(people, person, limit) for person in found], ensure_ascii=False, indent=1))
        return
    for number, person in enumerate(found):
        if number:
            out.print()
        forms = people.forms(person.iri)
        _print_pages(person, [form.name for form in forms], people.pages_about(forms), limit)


def _as_json(people: People, person: PersonEntry, limit: int) -> dict[str, object]:
    forms = people.forms(person.iri)
    pages = people.pages_about(forms)[:limit]
    return asdict(person) | {"forms": [asdict(form) for form in forms], "about": [asdict(page) for page in pages]}


def _print_pages(person: PersonEntry, forms: Sequence[str], pages: Sequence[AboutPage], limit: int) -> None:
    out.print(Text(person.label, style="bold"))
    others = [form for form in forms if form != person.label]
    if others:
        out.print(Text(f"  also {', '.join(others)}", style="dim"))
    for page in pages[:limit]:
        scores = f"bm25 {page.bm25:.2f}  tf.idf {page.tf_idf:.2f}  {page.count}×"
        out.print(Text(f"  {page.address}  ").append(scores, style="green"))
        if page.excerpt:
            out.print(Text(f"    {page.excerpt}", style="dim"))
    if len(pages) > limit:
        err.print(f"{len(pages):,} pages, {limit:,} shown; --limit shows more")


@lists.command("build")
def build_list(
    output: Annotated[Path, typer.Option("--output", "-o", help="The list to write; .gz and .xz are compressed.")],
    endpoint: Annotated[
        str | None, typer.Option(help="A SPARQL endpoint with persons in the terms of Wikidata.")
    ] = None,
    sources: Annotated[
        list[Path] | None,
        typer.Option("--from", help="A file of names, one a line: full names, or single ones. May be repeated."),
    ] = None,
    given: Annotated[list[Path] | None, typer.Option(help="A file of given names, one a line.")] = None,
    family: Annotated[list[Path] | None, typer.Option(help="A file of family names, one a line.")] = None,
    language: Annotated[str, typer.Option(help="The language of the labels.")] = "en",
    limit: Annotated[int, typer.Option(min=1, help="Ask for at most so many names.")] = 200_000,
    page_size: Annotated[int, typer.Option(min=1, help="Ask for so many at a time.")] = 10_000,
    ordered: Annotated[
        bool, typer.Option(help="Sort at the endpoint: without it pages may overlap, but some endpoints are too slow.")
    ] = True,
    least: Annotated[int, typer.Option(min=1, help="Keep words that were seen at least so many times.")] = 1,
    sets: Annotated[
        bool, typer.Option("--sets", help="Write a folder with the sets of recognise:personBySets instead.")
    ] = False,
) -> None:
    """Make a list of names from a SPARQL endpoint or from files; `:names` on a property uses it.

    What was asked from an endpoint is kept beside the list until the list is complete: the same command resumes.
    """
    query = None
    if endpoint is not None:
        query = persons_query(endpoint, language, limit, page_size, ordered=ordered)
    found = NameSources(sources or (), given or (), family or (), query)
    err.print(build_name_list(output, found, _notice, least=least, as_sets=sets))


@app.command()
def institutions(
    output: Annotated[Path, typer.Option("--output", "-o", help="The model to write.")],
    endpoint: Annotated[str, typer.Option(help="A SPARQL endpoint with institutions in the terms of Wikidata.")],
    wikidata_class: Annotated[
        str, typer.Option("--class", help="The class whose instances, also of subclasses, are wanted.")
    ] = "Q5341295",
    language: Annotated[str, typer.Option(help="The language of the labels.")] = "en",
    limit: Annotated[int, typer.Option(min=1, help="Ask for at most so many.")] = 100_000,
    page_size: Annotated[int, typer.Option(min=1, help="Ask for so many at a time.")] = 10_000,
    depth: Annotated[int, typer.Option(min=0, help="How many links from the start the survey follows.")] = 3,
) -> None:
    """Write the official websites of institutions as the sections of a survey model that looks for names."""
    query = institutions_query(endpoint, wikidata_class, language, limit, page_size)
    err.print(write_institutions(output, query, depth, _notice))


def _notice(text: str) -> None:
    err.print(text)
