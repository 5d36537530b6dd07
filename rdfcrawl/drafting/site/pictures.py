"""Pictures of sample pages with everything that a drafted model finds on them framed and labelled."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from rdfcrawl.drafting.site.drafting import means_for
from rdfcrawl.engine.address import origin_of
from rdfcrawl.engine.fetch.session import FetchFailed, Request
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.model import Model, Page
from rdfcrawl.rdf.names import shorten
from rdfcrawl.store.folder import Store


async def take_pictures(
    model: Model,
    samples: Sequence[tuple[str, str]],
    folder: Path,
    *,
    replay: str | None = None,
    store: Store | None = None,
    tell: Callable[[str], None],
) -> list[Path]:
    """Save a picture of each sample, given as the name of its page and its address, to the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    taken: list[Path] = []
    async with means_for([address for _, address in samples], replay, store, tell) as means:
        for number, (name, address) in enumerate(samples, 1):
            page = model.page(f"page://{name}")
            target = folder / f"{number}-{name}.png"
            try:
                if means.robots is not None:
                    await means.robots.check(address)
                request = Request(address, page, home=origin_of(address))
                await means.fetchers.browser.screenshot(request, target, list(_marks(page, model)))
            except FetchFailed as failure:
                raise UsageError(f"{address}: {failure}") from failure
            taken.append(target)
    return taken


def _marks(page: Page, model: Model) -> Iterator[tuple[str, str]]:
    """Paths and labels of what a page has, inside and outside of objects."""
    if (entries := page.entry_link) is not None:
        yield entries.path, shorten(entries.target, model.prefixes)
    if page.next:
        yield page.next, ":next"
    if page.item is None:
        return
    root = page.item.path
    yield root, shorten(page.item.iri, model.prefixes)
    for found in page.item.properties:
        yield _below(root, found.path), shorten(found.iri, model.prefixes)
    for sub in (model.page(iri) for iri in page.subs):
        if (entries := sub.entry_link) is not None:
            yield _below(root, entries.path), shorten(entries.target, model.prefixes)
        elif sub.item is not None:
            inner = _below(root, sub.item.path)
            yield inner, shorten(sub.item.iri, model.prefixes)
            yield from ((_below(inner, each.path), shorten(each.iri, model.prefixes)) for each in sub.item.properties)


def _below(root: str, path: str) -> str:
    """A path that begins at a root, as one path; that of a text leads to the element around it."""
    return f"{root}{path.removeprefix('.')}".partition("/text()")[0]
