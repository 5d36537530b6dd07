"""Runs that are read again from what was recorded of them, with the network gone."""

from __future__ import annotations

import asyncio
import re
import signal
from argparse import Namespace
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path

import pytest
from aiohttp import web
from warcio.archiveiterator import ArchiveIterator
from warcio.checker import Checker

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.run.archives import archive_path
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.folder import Store, open_store
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.versioning.compare import compare_with_previous, find_changes
from rdfcrawl.versioning.history import HistoryEventKind, history
from rdfcrawl.versioning.observations import observations
from rdfcrawl.versioning.pruning import Retention, prunable, prune
from tests.book_site import book_site
from tests.commands import Command
from tests.crawling import Crawled, read_run, unloaded_store
from tests.serving import serving

ROOT = Path(__file__).parents[4]

SCRIPTED = """<!doctype html><title>Shop</title><div id="list"></div><script>
(async () => {
  for (const page of [1, 2]) {
    const asked = { method: "POST", body: JSON.stringify({ page }) };
    const entries = await (await fetch("/api", asked)).json();
    for (const entry of entries) {
      const place = document.getElementById("list");
      place.insertAdjacentHTML("beforeend", `<p class=entry><b>${entry.name}</b> <i>${entry.price}</i></p>`);
    }
  }
})();
</script>"""

SHOP = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix thing: <property://thing/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<model:> :section <START> .
<START> :page <page://things> .
<page://things> :type type:objects ; :item <item://thing> WAIT .
<item://thing> :path "//p[@class='entry']" ; :key thing:name ; :property thing:name EXTRA .
thing:name :path "./b" .
thing:price :path "./i" ; :type xsd:int .
"""


def shop_model(start: str, *, with_price: bool = False, scripted: bool = False) -> str:
    model = SHOP.replace("WAIT", '; :waitFor "//p[4]"' if scripted else "")
    return model.replace("START", start).replace("EXTRA", ", thing:price" if with_price else "")


class Shop:
    """A shop that has its list twice: as it is, and made by a script that asks for each part of it."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.prices = {1: 10, 2: 20, 3: 30, 4: 40}
        self.address = ""

    @property
    def plain(self) -> str:
        return f"{self.address}/plain"

    @property
    def scripted(self) -> str:
        return f"{self.address}/scripted"

    async def respond(self, request: web.Request) -> web.Response:
        self.asked.append(request.path)
        if request.path == "/api":
            page = (await request.json())["page"]
            numbers = (1, 2) if page == 1 else (3, 4)
            return web.json_response([{"name": f"Thing {n}", "price": self.prices[n]} for n in numbers])
        entries = (f"<p class=entry><b>Thing {n}</b> <i>{price}</i></p>" for n, price in self.prices.items())
        plain = f"<!doctype html><title>Shop</title>{''.join(entries)}"
        return web.Response(text=SCRIPTED if request.path == "/scripted" else plain, content_type="text/html")


@asynccontextmanager
async def shop() -> AsyncIterator[Shop]:
    served = Shop()
    async with serving(served.respond) as served.address:
        yield served


async def run(store: Store, model: str, **options: object) -> RunRecord:
    path = store.folder.parent / "model.ttl"
    path.write_text(model)
    report = await run_model(load_model(path), store, RunOptions(**options))  # type: ignore[arg-type]
    return report.record


async def read(store: Store, model: str, **options: object) -> Crawled:
    return read_run(store, await run(store, model, **options))


def is_sound(archive: Path) -> bool:
    """What ``warcio check`` says."""
    with redirect_stdout(StringIO()) as printed:
        failed = Checker(Namespace(inputs=[str(archive)], verbose=False)).process_all()
    return (failed, printed.getvalue()) == (0, "")


def record_types(archive: Path) -> list[str]:
    with archive.open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file) if record.rec_type != "request"]


async def test_a_recorded_run_is_read_again_without_the_network(tmp_path: Path) -> None:
    """From the run and from the file: the same graph, no problem, and nobody is asked."""
    store = unloaded_store(tmp_path / "store")
    async with book_site(30) as site:
        model = site.model
        seen = await read(store, model)
    archive = archive_path(store, seen.record.id)
    assert is_sound(archive)
    copy = archive.rename(tmp_path / "copy.warc.gz")
    from_file = await read(store, model, replay=str(copy))
    copy.rename(archive)
    from_run = await read(store, model, replay=f"run:{seen.record.id}")
    assert seen.triples
    assert from_file.triples == from_run.triples == seen.triples
    assert from_file.problems == from_run.problems == seen.problems == ()
    assert [path.name for path in store.archive.glob("*.warc.gz")] == [archive.name]


@pytest.mark.exhaustive
async def test_what_scripts_asked_for_is_answered_from_the_archive(tmp_path: Path) -> None:
    """In the browser, also requests that differ only in what they post; another model finds more in them."""
    store = unloaded_store(tmp_path / "store")
    async with shop() as served:
        model = shop_model(served.scripted, scripted=True)
        seen = await read(store, model)
        assert seen.record.counts.pages == {"browser": 1}
        asked = len(served.asked)
        again = await read(store, model, replay=f"run:{seen.record.id}", engine=Engine.BROWSER)
        assert again.triples == seen.triples
        with_price = shop_model(served.scripted, scripted=True, with_price=True)
        more = await read(store, with_price, replay=f"run:{seen.record.id}")
        assert len(served.asked) == asked
    assert is_sound(archive_path(store, seen.record.id))
    assert len(seen.triples) == 8
    assert more.record.counts.pages == {"browser": 1}
    assert more.triples > seen.triples
    assert {line.split()[2] for line in more.triples - seen.triples} == {
        f'"{price}"^^<http://www.w3.org/2001/XMLSchema#int>' for price in served.prices.values()
    }


@pytest.mark.parametrize(
    ("name", "engines"),
    [("chefkoch", {"http"}), pytest.param("campus-tum", {"http", "browser"}, marks=pytest.mark.exhaustive)],
)
async def test_pages_from_a_folder_are_recorded_like_those_of_a_network(
    tmp_path: Path, name: str, engines: set[str]
) -> None:
    """Its archive gives the same graph as the folder, also of a site with lists that a script loads at clicks."""
    store = unloaded_store(tmp_path / "store")
    model = (ROOT / f"models/{name}.ttl").read_text(encoding="utf-8")
    seen = await read(store, model, replay=str(ROOT / "examples/sites"))
    assert set(seen.record.counts.pages) == engines
    assert is_sound(archive_path(store, seen.record.id))
    again = await read(store, model, replay="run:latest")
    assert again.record.counts.pages == seen.record.counts.pages
    assert again.triples == seen.triples
    assert again.problems == seen.problems == ()


async def test_a_late_property_gets_its_history(tmp_path: Path) -> None:
    """A changed model over old runs gives what they would have given, in graphs of their own that say so."""
    store = unloaded_store(tmp_path / "store")
    async with shop() as served:
        old, new = shop_model(served.plain), shop_model(served.plain, with_price=True)
        first = await run(store, old)
        served.prices[3] = 33
        second = await run(store, old)
    early = await read(store, new, replay=f"run:{first.id}")
    assert [line for line in early.triples if '"30"' in line]
    assert (early.record.settings.replay, early.record.observed) == (f"run:{first.id}", first.id)
    lines = store.runs.record_graph(early.record.id).read_text().splitlines()
    derived = f"<{early.record.iri}> <http://www.w3.org/ns/prov#wasDerivedFrom> <{first.iri}>"
    assert f"{derived} <{record_iri(early.record.id)}> ." in lines

    # The replay of an old run is no news: the site of today is still that of the second run.
    assert store.runs.resolve("latest").id == second.id
    assert compare_with_previous(store.runs, early.record).old_runs == (first.id,)
    assert not find_changes(compare_with_previous(store.runs, early.record)).changes

    late = await read(store, new, replay=f"run:{second.id}")
    assert store.runs.resolve("latest").id == late.record.id
    assert [line for line in late.triples if '"33"' in line]
    (subject,) = {line.split()[0] for line in late.triples if '"33"' in line}
    events = list(history(subject, observations(store.runs, subject[1:-1])))
    assert [(event.kind, event.run) for event in events] == [
        (HistoryEventKind.FIRST_SEEN, early.record.id),
        (HistoryEventKind.CHANGED, late.record.id),
    ]
    assert [change.predicate for change in events[1].changes] == ["<property://thing/price>"]


async def test_an_old_replay_is_not_what_the_next_run_is_compared_with(tmp_path: Path) -> None:
    """The next run follows the latest look at the site."""
    store = unloaded_store(tmp_path / "store")
    async with book_site(3) as site:
        first = await run(store, site.model)
        site.books = 4
        second = await run(store, site.model)
        replayed = await run(store, site.model, replay=f"run:{first.id}")
        third = await run(store, site.model)
    assert replayed.id > second.id
    comparison = compare_with_previous(store.runs, third)
    assert comparison.old_runs == (second.id,)
    assert find_changes(comparison).changes == ()


async def test_a_killed_run_has_a_sound_archive_in_the_end(tmp_path: Path) -> None:
    """The same command goes on with the same archive, and what it holds is the whole run."""
    folder = tmp_path / "store"
    async with book_site(60) as site:
        model = tmp_path / "books.ttl"
        model.write_text(site.model)
        command = partial(Command, "run", str(model), "--store", str(folder), "--concurrency", "2")
        for moment in (15, 30):
            reached = asyncio.Event()

            async def tell(path: str, moment: int = moment, reached: asyncio.Event = reached) -> None:
                if sum(site.asked.values()) >= moment:
                    reached.set()

            site.on_request = tell
            process = command()
            await reached.wait()
            process.kill()
            assert await process.ended() == -signal.SIGKILL
        site.on_request = None
        torn = next(folder.glob("archive/*.warc.gz"))
        content = torn.read_bytes()
        # What a process leaves that was killed while it wrote the record of a page that it had not acknowledged.
        torn.write_bytes(content + content[:100])
        process = command()
        assert await process.ended() == 0, process.said
        text = site.model
    store = open_store(folder)
    seen = read_run(store, store.runs.resolve("latest"))
    assert [path.name for path in store.archive.glob("*.warc.gz")] == [f"{seen.record.id}.warc.gz"]
    assert is_sound(archive_path(store, seen.record.id))
    assert (await read(store, text, replay="run:latest")).triples == seen.triples


async def test_pages_that_did_not_change_are_kept_once_and_as_long_as_they_are_needed(tmp_path: Path) -> None:
    """The second archive refers to the first; pruning the first run leaves its archive until the second goes too."""
    store = unloaded_store(tmp_path / "store")
    async with book_site(25) as site:
        model = site.model
        first = await run(store, model)
        second = await run(store, model)
    assert "revisit" not in record_types(archive_path(store, first.id))
    assert "revisit" in record_types(archive_path(store, second.id))
    assert is_sound(archive_path(store, second.id))
    prune(store, prunable(store.runs.records(), Retention(latest=1)))
    assert not store.runs.graph(first.id).exists()
    again = await read(store, model, replay=f"run:{second.id}")
    assert again.triples == read_run(store, second).triples
    prune(store, store.runs.records())
    assert list(store.archive.iterdir()) == []


async def test_a_page_that_was_never_recorded_is_not_taken_for_gone(tmp_path: Path) -> None:
    """A model that follows other links over an old archive: what they lead to was never looked at."""
    store = unloaded_store(tmp_path / "store")
    async with book_site(3) as site:
        model = site.model
        without_authors = re.sub(r" ; :link link:author", "", model)
        seen = await run(store, without_authors)
    replayed = await read(store, model, replay=f"run:{seen.id}")
    assert {problem["kind"] for problem in replayed.problems} == {"unreachable"}
    assert not replayed.record.sections[0].complete


async def test_no_record_keeps_nothing(tmp_path: Path) -> None:
    """And a run without an archive cannot be replayed, which one sentence says."""
    store = unloaded_store(tmp_path / "store")
    async with book_site(1) as site:
        model = site.model
        record = await run(store, model, record=False)
    assert not store.archive.exists()
    with pytest.raises(UsageError, match=f"run {record.id} has no archive"):
        await run(store, model, replay="run:latest")
    with pytest.raises(UsageError, match="there is nothing to replay at"):
        await run(store, model, replay=str(tmp_path / "nowhere"))
