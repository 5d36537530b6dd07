"""``rdfcrawl shell``: a page at hand, and selectors tried on it as they are typed."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import suppress
from typing import Annotated, Final, TypeVar

import typer
from rich.text import Text

from rdfcrawl.cli.console import counted, err, how_read, out
from rdfcrawl.engine.address import BadAddress, resolve
from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.inspect.selection import OpenPage, Pages, SelectedNode, Selection, page_opener
from rdfcrawl.errors import RdfcrawlError, UsageError
from rdfcrawl.expressions import css
from rdfcrawl.store.folder import open_store
from rdfcrawl.store.runs.record import REPLAYED_RUN

T = TypeVar("T")

_FIRST: Final = 5
_WIDTH: Final = 78
_HELP: Final = """\
  //h1                 an XPath, with all functions of a model; css:h1, or h1, is a CSS selector
  :in SELECTOR         try selectors inside each of these elements, as :path of an item does; :in alone for the page
  :show N              show so many matches of a selector
  :go URL              open another page, relative to this one
  :http, :browser      read the page again, over plain HTTP or in the browser
  :text                what people read on the page
  :help, :quit"""


def shell(
    address: Annotated[str, typer.Argument(metavar="URL", help="The address of the page.")],
    engine: Annotated[Engine, typer.Option(help="How the page is read; auto is plain HTTP.")] = Engine.AUTO,
    replay: Annotated[
        str | None, typer.Option(help="Read from a WARC file, run:ID or a folder host/path, not from the network.")
    ] = None,
    store: Annotated[str | None, typer.Option(help="The store of the run that --replay run:ID names.")] = None,
) -> None:
    """Open a page and try XPaths and CSS selectors on it: how many matches, where, and what they say.

    Selectors are read from standard input, so that a file of them can be tried as well.
    """
    place = open_store(store, create=False) if replay and replay.startswith(REPLAYED_RUN) else None
    with asyncio.Runner() as runner:
        opening = page_opener(address, replay=replay, store=place, notice=lambda text: err.print(text))
        pages = runner.run(_entered(opening.__aenter__))
        try:
            session = _ShellSession(pages, runner.run(pages.open(address, engine)))
            session.introduce()
            for line in _lines():
                try:
                    if not runner.run(session.obey(line)):
                        break
                except RdfcrawlError as error:
                    err.print(Text(str(error), style="red"))
                except KeyboardInterrupt:
                    err.print("interrupted")
        finally:
            runner.run(_entered(lambda: opening.__aexit__(None, None, None)))


async def _entered(enter: Callable[[], Awaitable[T]]) -> T:
    return await enter()


def _lines() -> Iterator[str]:
    """What is typed, line by line, until the end of the input; Ctrl-C at the prompt begins a new line."""
    if not sys.stdin.isatty():
        yield from (line.strip() for line in sys.stdin)
        return
    with suppress(ImportError):
        import readline  # noqa: F401 - gives input() its history
    while True:
        try:
            yield input("> ").strip()
        except EOFError:
            out.print()
            return
        except KeyboardInterrupt:
            out.print()


class _ShellSession:
    """The page that is open, and how selectors are tried on it."""

    def __init__(self, pages: Pages, page: OpenPage) -> None:
        self._pages = pages
        self._page = page
        self._within: str | None = None
        self._first = _FIRST

    def introduce(self) -> None:
        """Say which page this is."""
        err.print(f"{self._page.address} read {how_read(self._page.engine)}; :help says what can be typed")

    async def obey(self, line: str) -> bool:
        """Carry out what was typed; returns false when the session is over."""
        if not line or line.startswith("#"):
            return True
        if not line.startswith(":"):
            await self._try(line)
            return True
        name, _, rest = line[1:].partition(" ")
        if name in ("quit", "q", "exit"):
            return False
        await self._command(name, rest.strip())
        return True

    async def _try(self, selector: str) -> None:
        """Print what a selector finds; what finds nothing as an XPath may have been meant as a CSS selector."""
        try:
            found = await self._page.select(selector, self._within, self._first)
        except RdfcrawlError:
            if (as_css := await self._as_css(selector)) is None:
                raise
            found = as_css
        if found.stopped is not None:
            found = await self._as_css(selector) or found
        self._print(found)

    async def _as_css(self, selector: str) -> Selection | None:
        """What a text finds as a CSS selector, if that is anything; a model has to say that it is one."""
        with suppress(RdfcrawlError):
            found = await self._page.select(css.PREFIX + selector, self._within, self._first)
            if found.count:
                said = f"nothing as an XPath, but as a CSS selector, {css.PREFIX}{selector}:"
                err.print(Text(said, style="yellow"))
                return found
        return None

    async def _command(self, name: str, rest: str) -> None:
        if name in ("in", "out"):
            await self._enter(rest or None)
        elif name == "show" and rest.isdecimal():
            self._first = int(rest)
        elif name == "go" and rest:
            await self._go(rest, self._page.engine)
        elif name in (Engine.HTTP, Engine.BROWSER):
            await self._go(self._page.address, Engine(name))
        elif name == "text":
            out.print((await self._page.text()).text)
        elif name == "help":
            out.print(_HELP)
        else:
            raise UsageError(f":{name} {rest}".rstrip() + " is not known; :help says what can be typed")

    async def _enter(self, within: str | None) -> None:
        if within is not None:
            found = await self._page.select(within, most=0)
            if not found.count:
                self._print(found)
                return
            err.print(f"selectors are tried inside each of {counted(found.count, 'element')}")
        self._within = within

    async def _go(self, address: str, engine: Engine) -> None:
        try:
            target = resolve(address, self._page.address)
        except BadAddress as error:
            raise UsageError(f"{address} is no address: {error}") from error
        self._page = await self._pages.open(target, engine)
        self.introduce()

    def _print(self, found: Selection) -> None:
        if found.stopped is not None:
            err.print(Text(f"no match: {found.stopped}", style="yellow"))
            return
        places = f" in {found.roots_with:,} of {counted(found.roots, 'element')}" if self._within is not None else ""
        out.print(Text(counted(found.count, "match", "matches") + places, style="bold"))
        for node in found.first:
            out.print(_line(node))
        if (more := found.count - len(found.first)) > 0 and found.first:
            out.print(Text(f"  … {more:,} more (:show {found.count})", style="dim"))


def _line(node: SelectedNode) -> Text:
    said = " ".join(node.text.split())
    line = Text("  ")
    line.append(said if len(said) < _WIDTH else f"{said[: _WIDTH - 1]}…")
    if node.address is not None:
        line.append(f"\n      → {node.address}", "cyan")
    if node.place is not None:
        line.append(f"\n      {node.place}", "dim")
    return line
