"""``rdfcrawl run``: crawls a model into a store."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from rdfcrawl.cli.crawl.options import AllowEnv, CrawlOptions, takes_run_options
from rdfcrawl.engine.workers.launching import launched_ahead


@takes_run_options
def run(
    model: Annotated[
        str, typer.Argument(metavar="MODEL", help="A Turtle or N3 file, - for standard input, or a SPARQL endpoint.")
    ],
    *,
    section: Annotated[list[str] | None, typer.Option(help="Crawl only this section; can be repeated.")] = None,
    options: CrawlOptions,
    allow_env: AllowEnv = None,
    graph: Annotated[str | None, typer.Option(help="The graph of the endpoint that holds the model.")] = None,
) -> None:
    """Crawl a model; running the same command again resumes a run that was stopped."""
    chosen = replace(options.run, sections=tuple(section or ()), allowed_variables=tuple(allow_env or ()))
    # A process to read pages with starts while this one imports everything else.
    reader = launched_ahead() if chosen.reads else None
    from rdfcrawl.cli.crawl.crawling import crawl

    crawl(model, replace(options, run=chosen), graph=graph, reader=reader)
