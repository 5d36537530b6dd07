"""``rdfcrawl draft``: writes a first model of a site."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import mkdtemp
from typing import TYPE_CHECKING, Annotated, Final

import typer

from rdfcrawl.cli.console import counted, hand_over, pasteable, say
from rdfcrawl.drafting.site.drafting import draft as draft_site
from rdfcrawl.drafting.site.plan import MOST_PROPERTIES
from rdfcrawl.drafting.site.result import Draft
from rdfcrawl.engine.choice import Engine
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.files.whole import write_whole

if TYPE_CHECKING:
    from rdfcrawl.store.folder import Store

_LONGEST: Final = 60
_TITLES: Final = ("property", "type", "seen", "samples")
_MOST_PICTURES: Final = 3


def draft(
    addresses: Annotated[
        list[str] | None,
        typer.Argument(metavar="URL...", help="A list page or a start page, or some pages of one object each."),
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Write the model to this file; by default, to standard output."),
    ] = None,
    repair: Annotated[
        Path | None,
        typer.Option(help="Propose edits of this model, whose selectors no longer find what its last good run knew."),
    ] = None,
    from_archive: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Draft a whole site from a survey: a number, run://…, latest or previous."),
    ] = None,
    properties: Annotated[
        int, typer.Option(min=1, help="How many properties an item has at most; others are written as comments.")
    ] = MOST_PROPERTIES,
    check: Annotated[
        bool, typer.Option("--check", help="Show what the model extracts from a sample page of each kind.")
    ] = False,
    open_pictures: Annotated[
        bool, typer.Option("--open", help="Open pictures of sample pages, with everything found framed and labelled.")
    ] = False,
    engine: Annotated[Engine, typer.Option(help="How pages are read.")] = Engine.AUTO,
    replay: Annotated[
        str | None, typer.Option(help="Read from a WARC file, run:ID or a folder host/path, not from the network.")
    ] = None,
    anew: Annotated[
        bool, typer.Option("--anew", help="With --repair: fetch the pages, rather than read those of the latest run.")
    ] = False,
    store: Annotated[str | None, typer.Option(help="The store of the runs that the other options name.")] = None,
) -> None:
    """Look around on a site and write a first model of it, with samples of everything that was found."""
    if output is not None:
        _refuse_place(output)
    if sum((bool(addresses), repair is not None, from_archive is not None)) != 1:
        raise UsageError("name the addresses of some pages, or a model with --repair, or a survey with --from-archive")
    if repair is not None:
        # Half of what a draft would import is only needed here; the same is true of other options.
        from rdfcrawl.cli.drafting.repair_text import repair_model

        repair_model(repair, output, store=store, replay=replay, anew=anew, engine=engine)
        return
    if from_archive is not None:
        from rdfcrawl.drafting.site.from_archive import draft_from_archive
        from rdfcrawl.engine.inspect.explain import kept_pages
        from rdfcrawl.store.folder import open_store

        place: Store | None = open_store(store, create=False)
        assert place is not None
        replay = kept_pages(place, place.runs.resolve(from_archive))
        made = asyncio.run(draft_from_archive(from_archive, place, properties=properties, tell=_tell))
    else:
        place = _store_of(replay, store)
        made = asyncio.run(
            draft_site(addresses or (), properties=properties, engine=engine, replay=replay, store=place, tell=_tell)
        )
    _show(made)
    if output is None:
        hand_over(made.model, nl=False)
    else:
        write_whole(output, made.model.encode())
        _tell(f"Wrote {output}. Run it with {pasteable('run', str(output))}")
    if check or open_pictures:
        _look_again(made, check, open_pictures, replay, place)


def _store_of(replay: str | None, location: str | None) -> Store | None:
    """The store of the run whose archive is read, if pages are read from one."""
    if replay is None:
        return None
    from rdfcrawl.store.folder import open_store
    from rdfcrawl.store.runs.record import REPLAYED_RUN

    return open_store(location, create=False) if replay.startswith(REPLAYED_RUN) else None


def _refuse_place(output: Path) -> None:
    """Raise ``UsageError`` if nothing can be written there: better now than when everything has been looked at."""
    if output.is_dir():
        raise UsageError(f"{output}: this is a folder; name the file that the model is to be written to")
    if not output.parent.is_dir():
        raise UsageError(f"{output}: there is no folder {output.parent}")
    if not os.access(output.parent, os.W_OK):
        raise UsageError(f"{output}: nothing can be written to the folder {output.parent}")


def _tell(text: str) -> None:
    say(text, to_err=True)


def _show(made: Draft) -> None:
    """The properties with samples, then what is unsure."""
    rows = [
        (f"{found.item}:{found.name}", found.datatype, f"{found.seen}/{found.pages}", _cut(found.samples))
        for found in made.samples
        if found.active
    ]
    if sys.stderr.isatty():
        _show_fitted(rows)
    else:
        _show_plain(rows)
    offered = sum(1 for found in made.samples if not found.active)
    if offered:
        _tell(f"{counted(offered, 'more property', 'more properties')} in the model as comments.")
    for doubt in made.doubts:
        _tell(f"Unsure: {doubt}")


def _cut(samples: Sequence[str]) -> str:
    shown = " | ".join(" ".join(sample.split()) for sample in samples)
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"


def _show_fitted(rows: Sequence[Sequence[str]]) -> None:
    """Show a table that fits into the terminal."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from rdfcrawl.cli.console import err

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for title in _TITLES:
        table.add_column(title)
    for row in rows:
        table.add_row(*row)
    err.print(table)


def _show_plain(rows: Sequence[Sequence[str]]) -> None:
    """Show a table in a file or pipe, without the library that fits one into a terminal: it takes longer to import."""
    widths = [max(map(len, column)) for column in zip(_TITLES, *rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in (_TITLES, *rows)]
    for line in (lines[0], "─" * max(map(len, lines)), *lines[1:]):
        _tell(line)


def _look_again(made: Draft, check: bool, pictures: bool, replay: str | None, store: Store | None) -> None:
    from rdfcrawl.metamodel.load import model_of_text

    model = model_of_text(made.model, "draft")
    if check:
        for name, address in made.pages:
            _try(model, name, address, replay, store)
    if pictures:
        from rdfcrawl.drafting.site.pictures import take_pictures

        folder = Path(mkdtemp(prefix="rdfcrawl-draft-"))
        shown = made.pages[:_MOST_PICTURES]
        for path in asyncio.run(take_pictures(model, shown, folder, replay=replay, store=store, tell=_tell)):
            _tell(f"Saved {path}.")
            if _has_display():
                typer.launch(str(path))


def _has_display() -> bool:
    """Whether a picture can be opened; where nobody can see it, the programs for that only complain."""
    return sys.platform in ("darwin", "win32") or any(map(os.environ.get, ("DISPLAY", "WAYLAND_DISPLAY")))


def _try(model: Model, name: str, address: str, replay: str | None, store: Store | None) -> None:
    """Show what a page's sample yields, as ``rdfcrawl try`` does."""
    from rdfcrawl.cli.console import err
    from rdfcrawl.cli.output.trial_text import trial_lines
    from rdfcrawl.engine.inspect.trial import try_page

    trial = asyncio.run(try_page(model, address, page=f"page:{name}", replay=replay, store=store, notice=_tell))
    _tell(f"{trial.address} as page:{name}")
    for line in trial_lines(trial, model.prefixes):
        err.print(line)
