"""The documents of one page session, or of one part of a list: how their objects are named."""

from __future__ import annotations

from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import object_hash
from rdfcrawl.engine.extract.packing import from_bytes, to_bytes
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.workers.reading import read_documents
from rdfcrawl.metamodel.model import Item, Model, ObjectsPage, Property

FIRST = "http://site.example/list"
TITLE = Property("property://title", "./b")
PRICE = Property("property://price", "./i")
PAGE = ObjectsPage(
    iri="page://list",
    item=Item("item://book", "//li", (TITLE, PRICE), key=("property://title",)),
    params=("sid",),
    next="//a",
)
PLAN = build_plan(Model((), {PAGE.iri: PAGE}, "")).pages[PAGE.iri]


def read(*addresses: str, list_address: str | None = None) -> Extraction:
    """The extraction of documents at these addresses, each with the same book at another price."""
    documents = [
        Fetched(address, 200, {}, f"<li><b>Momo</b><i>{price}</i>".encode(), rendered=True)
        for price, address in enumerate(addresses)
    ]
    return read_documents(PLAN, documents, RunLimits(), list_address)


def momo(address: str) -> tuple[str, str]:
    return "<item://book>", f"<{address}#{object_hash([('property://title', 'Momo')])}>"


def test_all_documents_of_a_session_name_their_objects_by_the_first() -> None:
    """Without parameters; the list says so, for whoever continues it."""
    found = read(f"{FIRST}?sid=1", f"{FIRST}?sid=2&page=2")
    assert found.tops == [momo(FIRST)] * 2
    assert found.list_address == FIRST
    assert found.problems == []


def test_a_later_part_names_its_objects_by_the_first_page_of_the_list() -> None:
    """It was handed on; without it the part is a list of its own."""
    second, third = f"{FIRST}?page=2", f"{FIRST}?page=3"
    found = read(second, third, list_address=FIRST)
    assert (found.tops, found.list_address) == ([momo(FIRST)] * 2, FIRST)
    assert read(second).tops == [momo(second)]


def test_the_address_of_a_list_is_packed_with_the_rest() -> None:
    """As are the elements of its problems."""
    document = Fetched(FIRST, 200, {}, b"<li><b></b><i>1</i>")
    found = read_documents(PLAN, [document], RunLimits(), "http://site.example/first")
    assert found.problems[0].element is not None
    assert from_bytes(to_bytes(found)) == found
