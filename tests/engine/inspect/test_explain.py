"""Where a value comes from, told from the archive of a run; and pictures of what a model finds."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from aiohttp import web
from warcio.archiveiterator import ArchiveIterator

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.inspect.explain import explain
from rdfcrawl.engine.inspect.explanation import ExplainedValue
from rdfcrawl.engine.inspect.trial import Picture, try_page
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.store.folder import Store, open_store
from tests.commands import Command
from tests.crawling import unloaded_store
from tests.serving import serving

pytestmark = pytest.mark.asyncio(loop_scope="module")

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix thing: <property://thing/> . @prefix shop: <property://shop/> . @prefix link: <link://> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .

<model:> :section <START> , <SHELF> .
<START> :page page:things .
<SHELF> :page page:shelf .
page:shelf :type type:objects ; :item item:book ; :next "//a[@rel='next']" .
item:book :path "//dt" ; :property <property://book/title> , <property://book/price> ; :key <property://book/title> .
<property://book/title> :path "./cite" .
<property://book/price> :path "./data" ; :type xsd:int .
page:things :type type:links ; :path "//li/a" ; :target page:thing .
page:thing :type type:object ; :item item:thing ; :param "ref" ; :sub page:shops ; :link link:comments .
page:shops :type type:objects ; :item item:shop .
page:comments :type type:objects ; :item item:comment .
link:comments :path ".//a[@class='comments']" ; :target page:comments ; :optional true .
item:thing :path "//main" ; :property thing:name , thing:price , thing:colour , thing:size , thing:note ,
    thing:grade , thing:mark .
item:shop :path ".//p[@class='shop']" ; :id "./a" ; :property shop:name .
item:comment :path "//q" ; :property <property://comment/text> .
thing:name :path ".//h1" .
thing:price :path ".//b" ; :pattern "[0-9,]+" ; :replace [ :old "," ; :new "." ] ; :type xsd:decimal .
thing:colour :path ".//h1" ; :attribute "data-colour" ; :optional true .
thing:size :path ".//table/tbody/tr[@class='size']/td" ; :optional true .
thing:note :path ".//em" ; :optional true .
thing:grade :path ".//h1" ; :pattern "Grade [A-Z]" ; :optional true .
thing:mark :path ".//p" ; :pattern "Mall" ; :multiple true .
shop:name :path "./a" .
<property://comment/text> :path "." .
"""
THING = """<!doctype html><title>Thing</title><main>{head} <b>EUR 12,50</b>
<table><tr class={size}><td>3</table><p class=shop><a href="/shop/7">Corner</a><p class=shop><a href="/shop/8">Mall</a>
{comments}</main>"""
WHOLE = THING.format(
    head="<h1 data-colour=red>Thing 1, Grade A</h1>",
    size="size",
    comments='<a class=comments href="/comments/1">comments</a>',
)
# What it lacks is optional, or the browser would be tried, which takes longer than everything else.
FLAWED = THING.format(head="<h1>Thing 4</h1>", size="width", comments="")
COMMENTS = """<!doctype html><title>Comments</title><div id=all></div><script>
fetch("/texts").then((a) => a.text()).then((t) => { document.getElementById("all").innerHTML = `<q>${t}</q>`; });
</script>"""


async def respond(request: web.Request) -> web.Response:
    match request.path.split("/")[1:]:
        case ["list"]:
            numbers = (1, 2, 3, 4)
            text = "".join(f'<li><a href="/thing/{number}?ref=list">{number}</a>' for number in numbers)
        case ["shelf"]:
            page = int(request.query.get("page", "1"))
            after = f'<a rel=next href="/shelf?page={page + 1}">more</a>' if page < 3 else ""
            leaflet = "<dt><cite>Leaflet</cite> <data>free</data>" if page == 1 else ""
            books = f"<dl><dt><cite>Book {page}</cite> <data>{page}</data>{leaflet}</dl>"
            text = f"<!doctype html><title>Shelf</title>{books}{after}"
        case ["thing", "2"]:
            text = "<!doctype html><title>Sold out</title><article>nothing here</article>"
        case ["thing", "1"]:
            text = WHOLE
        case ["thing", "4"]:
            text = FLAWED
        case ["comments", "1"]:
            text = COMMENTS
        case ["texts"]:
            text = "well made"
        case _:
            return web.Response(status=404)
    return web.Response(text=text, content_type="text/html")


@dataclass(frozen=True)
class Recorded:
    """A store with one run; the site itself is gone."""

    store: Store
    base: str
    model: Path


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def recorded(tmp_path_factory: pytest.TempPathFactory) -> Recorded:
    folder = tmp_path_factory.mktemp("explain")
    async with serving(respond) as base:
        model = folder / "model.ttl"
        model.write_text(MODEL.replace("START", f"{base}/list").replace("SHELF", f"{base}/shelf"))
        store = open_store(folder / "store")
        await run_model(load_model(model), store, RunOptions())
    return Recorded(store, base, model)


def value_of(values: tuple[ExplainedValue, ...], name: str) -> ExplainedValue:
    (found,) = (value for value in values if value.property.iri.endswith(f"/{name}"))
    return found


def leaflet(recorded: Recorded) -> str:
    """A book among others whose mandatory price is none."""
    return f"{recorded.base}/shelf#{object_hash([('property://book/title', 'Leaflet')])}"


async def test_every_step_from_the_record_to_the_triple_is_told(recorded: Recorded) -> None:
    """The page under the address that was fetched, its record, the elements, the text and what became of it."""
    subject = f"{recorded.base}/thing/1"
    found = await explain(recorded.store, subject, "property://thing/price")
    assert (found.page.iri, found.item.iri, found.engine) == ("page://thing", "item://thing", Engine.HTTP)
    assert found.address == f"{subject}?ref=list"
    assert found.root == "/html/body/main"
    (price,) = found.values
    assert price.place == "/html/body/main/b"
    assert price.steps is not None
    assert (price.steps.raw, price.steps.after_pattern, price.steps.after_replacements) == (
        "EUR 12,50", "12,50", ("12.50",),
    )  # fmt: skip
    assert price.stopped is None
    graph = gzip.decompress(recorded.store.runs.graph(found.run).read_bytes()).decode()
    assert price.triple is not None
    assert price.triple.replace(" .", f" <run://{found.run}> .\n") in graph

    assert found.record is not None
    with found.record.archive.open("rb") as file:
        file.seek(found.record.answer.offset)
        record = next(iter(ArchiveIterator(file)))
        assert record.rec_headers.get_header("WARC-Record-ID") == found.record.answer.record
        assert record.rec_headers.get_header("WARC-Date") == found.record.answer.moment
        assert b"EUR 12,50" in record.content_stream().read()


async def test_missing_values_say_where_they_stopped(recorded: Recorded) -> None:
    """No element, no attribute, no fitting text, no fitting value: four different things."""
    found = await explain(recorded.store, f"{recorded.base}/thing/4")
    assert value_of(found.values, "size").stopped == (
        ".//table/tbody/tr matches, .//table/tbody/tr[@class='size'] does not"
    )
    assert value_of(found.values, "colour").stopped == "the element has no attribute data-colour"
    assert value_of(found.values, "colour").place == "/html/body/main/h1"
    assert value_of(found.values, "note").stopped == "nothing matches .//em"
    grade = value_of(found.values, "grade")
    assert grade.stopped == 'no value: the :pattern finds nothing in "Thing 4"'
    assert (grade.place, grade.triple) == ("/html/body/main/h1", None)
    price = value_of((await explain(recorded.store, leaflet(recorded))).values, "price")
    assert price.stopped is not None
    assert "free" in price.stopped
    assert price.triple is None


async def test_keyed_objects_are_found_on_the_part_of_the_list_that_shows_them(recorded: Recorded) -> None:
    """They are named by the list's first page, and by what the page itself shows."""
    name = object_hash([("property://book/title", "Book 3")])
    found = await explain(recorded.store, f"{recorded.base}/shelf#{name}")
    assert (found.address, found.root) == (f"{recorded.base}/shelf?page=3", "/html/body/dl/dt")
    with pytest.raises(UsageError, match="it was not read in this run"):
        await explain(recorded.store, f"{recorded.base}/shelf#{'0' * 40}")


async def test_a_page_without_its_root_element_is_told(recorded: Recorded) -> None:
    """The object was never written, and still its page can be explained."""
    found = await explain(recorded.store, f"{recorded.base}/thing/2")
    assert (found.root, found.values) == (None, ())
    assert found.stopped == "nothing matches //main"
    assert found.record is not None


async def test_a_page_that_failed_is_told_with_the_reason_of_the_run(recorded: Recorded) -> None:
    """What was not seen has no record; the run's own report is the explanation."""
    with pytest.raises(UsageError, match=r"no saved page .* shows .*/thing/3.*: gone: the server answered 404"):
        await explain(recorded.store, f"{recorded.base}/thing/3?ref=list")
    with pytest.raises(UsageError, match="it was not read in this run"):
        await explain(recorded.store, f"{recorded.base}/elsewhere")
    with pytest.raises(UsageError, match="has no property property://thing/age"):
        await explain(recorded.store, f"{recorded.base}/thing/1", "property://thing/age")


async def test_a_page_that_was_read_is_not_called_unread(recorded: Recorded) -> None:
    """A list, or an address of a survey, has no value from an element; all the same the run has read it."""
    with pytest.raises(UsageError, match="it was read, but none of its values comes from an element of the page"):
        await explain(recorded.store, f"{recorded.base}/list")


async def test_objects_with_addresses_elsewhere_are_found_on_the_page_that_shows_them(recorded: Recorded) -> None:
    """Their own page was never fetched; the graph knows what leads to them."""
    found = await explain(recorded.store, f"{recorded.base}/shop/8")
    assert (found.item.iri, found.address) == ("item://shop", f"{recorded.base}/thing/1?ref=list")
    assert found.root == "/html/body/main/p[2]"


CAST = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix actor: <property://actor/> .

<model:> :section <http://site.example/film> , <http://site.example/play> .
<http://site.example/film> :page page:cast .
<http://site.example/play> :page page:cast .
page:cast :type type:objects ; :item item:actor .
item:actor :path "//li" ; :id "a" ; :property actor:name , actor:role , actor:born , actor:died .
actor:name :path "a" .
actor:role :path "i" ; :multiple true .
actor:born :path "b" ; :optional true .
actor:died :path "u" ; :optional true .
"""


async def test_an_object_is_explained_wherever_it_is_shown(tmp_path: Path) -> None:
    """A value that only the second element of an object has, or only the second page, is not told to be missing."""
    pages = tmp_path / "pages" / "site.example"
    pages.mkdir(parents=True)
    film = "<li><a href=/ada>Ada</a> <i>Mother</i><li><a href=/ada>Ada</a> <i>Mother</i> <i>Queen</i> <b>1970</b>"
    (pages / "film").write_text(f"<!doctype html><ul>{film}</ul>")
    (pages / "play").write_text("<!doctype html><ul><li><a href=/ada>Ada</a> <i>Cook</i> <u>2020</u></ul>")
    (tmp_path / "model.ttl").write_text(CAST)
    store = unloaded_store(tmp_path / "store")
    await run_model(load_model(tmp_path / "model.ttl"), store, RunOptions(replay=str(tmp_path / "pages")))

    whole = await explain(store, "http://site.example/ada")
    told = [(value.property.iri.rpartition("/")[2], value.place, value.stopped) for value in whole.values]
    assert (whole.address, whole.root) == ("http://site.example/film", "/html/body/ul/li[1]")
    assert told == [
        ("died", None, "nothing matches u"),
        ("name", "/html/body/ul/li[1]/a", None),
        ("role", "/html/body/ul/li[1]/i", None),
        ("born", "/html/body/ul/li[2]/b", None),
        ("role", "/html/body/ul/li[2]/i[2]", None),
    ]

    (died,) = (await explain(store, "http://site.example/ada", "property://actor/died")).values
    assert died.triple == '<http://site.example/ada> <property://actor/died> "2020" .'


async def test_pages_that_needed_the_browser_are_rendered_from_the_archive(recorded: Recorded) -> None:
    """What their scripts asked for is in the archive as well."""
    graph = gzip.decompress(recorded.store.runs.graph(recorded.store.runs.resolve("latest").id).read_bytes()).decode()
    (subject,) = (line.split()[0][1:-1] for line in graph.splitlines() if "well made" in line)
    found = await explain(recorded.store, subject)
    assert (found.engine, found.address) == (Engine.BROWSER, f"{recorded.base}/comments/1")
    assert [value.steps and value.steps.raw for value in found.values] == ["well made"]


async def test_the_command_tells_it_in_lines(recorded: Recorded) -> None:
    """Names may be written with the model's prefixes; a mandatory value that is missing gives exit code 1."""

    def told(*arguments: str) -> tuple[int, str]:
        command = Command("explain", *arguments, "--store", str(recorded.store.folder))
        return command.wait(), command.printed

    code, text = told(f"{recorded.base}/thing/1", "thing:price")
    assert code == 0
    for part in ("page:thing at", "urn:uuid:", "at offset", "→ /html/body/main/b", "'EUR 12,50'", '"12.50"^^<'):
        assert part in text
    code, text = told(f"{recorded.base}/thing/1", "thing:mark")
    assert (code, text.count("stopped   no value: the :pattern finds nothing in")) == (0, 1)
    code, text = told(f"{recorded.base}/thing/4", "thing:grade")
    assert (code, "pattern   Grade [A-Z] → ''" in text) == (0, True)
    code, text = told(f"{recorded.base}/thing/4", "thing:size")
    assert (code, "stopped   .//table/tbody/tr matches" in text) == (0, True)
    code, text = told(leaflet(recorded), "property://book/price")
    assert (code, "stopped   " in text) == (1, True)


async def test_a_picture_shows_what_was_found(recorded: Recorded, tmp_path: Path, is_exhaustive: bool) -> None:
    """Roots and properties are named; a model that finds nothing leaves the page as it is."""
    named: set[str] = set()

    def name(iri: str) -> str:
        named.add(iri)
        return iri.rpartition("/")[2]

    async def picture(model: str, file: str) -> bytes:
        path = tmp_path / "model.ttl"
        path.write_text(model)
        taken = Picture(tmp_path / file, name)
        address = f"{recorded.base}/thing/1?ref=list"
        source = {"replay": "run:latest", "store": recorded.store}
        await try_page(load_model(path), address, page="page://thing", picture=taken, **source)  # type: ignore[arg-type]
        return taken.path.read_bytes()

    text = recorded.model.read_text()
    found = await picture(text, "found.png")
    assert {"item://thing", "item://shop", "property://thing/price", "property://shop/name"} <= named
    assert found.startswith(b"\x89PNG")
    if is_exhaustive:
        bare = await picture(text.replace('item:thing :path "//main"', 'item:thing :path "//nav"'), "bare.png")
        assert found != bare
