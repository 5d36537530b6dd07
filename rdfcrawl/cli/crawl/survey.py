"""``rdfcrawl survey``: surveys a site without a model file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

from rdfcrawl.cli.crawl.crawling import crawl
from rdfcrawl.cli.crawl.options import CrawlOptions, takes_run_options
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.check.patterns import PatternError, compile_pattern
from rdfcrawl.metamodel.load import model_of_text


class SurveyScope(StrEnum):
    """Which addresses belong to a site."""

    HOST = "host"
    DOMAIN = "domain"
    PATH = "path"
    WEB = "web"


@takes_run_options
def survey(
    url: Annotated[str, typer.Argument(metavar="URL", help="Where the site begins.")],
    *,
    depth: Annotated[int | None, typer.Option(min=0, help="Read what is at most this many links away.")] = None,
    scope: Annotated[
        SurveyScope,
        typer.Option(help="The site: its host, its domain with all subdomains, what is below its path, or the web."),
    ] = SurveyScope.DOMAIN,
    skip: Annotated[
        list[str] | None,
        typer.Option(metavar="REGEX", help="Leave out addresses in which this matches; can be repeated."),
    ] = None,
    sitemap: Annotated[bool, typer.Option("--sitemap", help="Also read what the sitemaps of the site name.")] = False,
    print_model: Annotated[
        bool, typer.Option("--print-model", help="Print the model that this stands for, and do nothing else.")
    ] = False,
    options: CrawlOptions,
) -> None:
    """Survey a site: every address that links lead to, what is there, and how the pages are linked.

    The same command resumes a survey that was stopped; when it is complete, it begins the next one.
    """
    turtle = survey_model(url, depth=depth, scope=scope, skips=skip or (), sitemap=sitemap)
    if print_model:
        typer.echo(turtle, nl=False)
        return
    crawl(model_of_text(turtle, f"survey of {url}"), options)


def survey_model(
    address: str, *, depth: int | None, scope: SurveyScope, skips: Sequence[str] = (), sitemap: bool = False
) -> str:
    """The model of a survey as Turtle."""
    said = [":type type:site", f":scope scope:{scope}"]
    if depth is not None:
        said.append(f":depth {depth}")
    said += [f":skip {_quoted(_checked(skip))}" for skip in skips]
    if sitemap:
        said.append(":sitemap true")
    start = _start(address)
    lines = " ;\n    ".join(said)
    return f"""\
@prefix : <predicate://> .
@prefix type: <type://> .
@prefix scope: <scope://> .
@prefix site: <predicate://site/> .

<model:> :section <{start}> .
<{start}> :page <page://site> .

<page://site>
    {lines} .
"""


def _start(address: str) -> str:
    try:
        start = resolve(address, address).partition("#")[0]
    except BadAddress:
        start = ""
    if not start.startswith(("http://", "https://")):
        raise UsageError(f"{address} is not the address of a site; write it with its scheme: https://{address}")
    return start


def _checked(skip: str) -> str:
    try:
        compile_pattern(skip)
    except PatternError as error:
        raise UsageError(f"--skip: {error.message}") from None
    return skip


def _quoted(text: str) -> str:
    """A string in Turtle, which escapes as JSON does."""
    return json.dumps(text, ensure_ascii=False)
