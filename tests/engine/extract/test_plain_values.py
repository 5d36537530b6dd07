"""The short way of plain texts, which most values take, comes to the same as the long one."""

from __future__ import annotations

from dataclasses import replace
from html import escape
from json.encoder import encode_basestring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.document.white_space import collapsed, joined
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import ItemPlan, PagePlan, build_plan
from rdfcrawl.metamodel.model import Item, Model, ObjectsPage, Property
from rdfcrawl.rdf.characters import is_plain, writable
from rdfcrawl.rdf.ntriples import literal

ADDRESS = "http://site.example/table"
ODD = '"\\ \u00a0\u200b\u200d\n\t\r\u2028\x7f\ufffe\ufeffäß€😀<&'
TEXTS = st.text(st.sampled_from("ab1 " + ODD) | st.characters(codec="utf-8"), max_size=8)

PROPERTIES = (
    Property("property://1", "./td[1]", optional=True),
    Property("property://2", "td[2]", language="DE"),
    Property("property://3", "./td[3]", pattern="[ab]+", optional=True),
    Property("property://4", ".//b"),
    Property("property://5", "./th[1]", optional=True),
    Property("property://6", "./td[4]", multiple=True, optional=True),
)


def plan_of(*properties: Property, key: tuple[str, ...] = ()) -> PagePlan:
    """A page whose objects are the rows of a table."""
    item = Item("item://row", ".//tr", properties, key=key)
    page = ObjectsPage(iri="page://table", item=item)
    return build_plan(Model((), {page.iri: page}, "")).pages[page.iri]


def taking_the_long_way(plan: PagePlan) -> PagePlan:
    item = plan.required_item
    properties = tuple(replace(prop, ending=None, cell=None) for prop in item.properties)
    return replace(plan, item=replace(item, properties=properties, cells=None))


@st.composite
def cells(draw: st.DrawFn) -> str:
    """A cell: mostly a text alone, sometimes with whatever makes its text another one than it seems."""
    name = draw(st.sampled_from(("td", "td", "td", "th")))
    given = draw(st.sampled_from(("", "", "", " class=x", " hidden", " style='display: none'", " style='color: red'")))
    text = escape(draw(TEXTS))
    inside = draw(st.sampled_from(("{}", "{}", "{}", "{}<!-- c -->", "<b>{}</b>", "{}<br>b", "<pre> {}</pre>")))
    return f"<{name}{given}>{inside.format(text)}</{name}>"


@given(
    rows=st.lists(st.lists(cells(), max_size=6), max_size=4),
    around=st.sampled_from(("{}", "{}", "<div hidden>{}</div>", "<div style='white-space: pre'>{}</div>")),
    key=st.sampled_from(((), ("property://1",))),
)
def test_rows_are_read_alike_either_way(rows: list[list[str]], around: str, key: tuple[str, ...]) -> None:
    """Objects, their names and their problems do not depend on whether texts are plain."""
    table = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    body = f"<!DOCTYPE html><body>{around.format(f'<table>{table}</table>')}".encode()
    plan = plan_of(*PROPERTIES, key=key)
    short, long = (
        extract(way, parse(body, ADDRESS, "text/html; charset=utf-8")) for way in (plan, taking_the_long_way(plan))
    )
    assert short == long


@given(TEXTS.map(str.strip))
def test_a_plain_text_is_written_as_it_is(text: str) -> None:
    """Nothing that is done to a text on its way into a triple or a hash changes a plain one."""
    if is_plain(text):
        assert collapsed(joined(text)) == writable(text) == text
        assert literal(text) == encode_basestring(text) == f'"{text}"'


@pytest.mark.parametrize("text", ["12.11.2026", "Hafenstraße 12 & Söhne", "<b>", "東京", "😀"])
def test_usual_texts_are_plain(text: str) -> None:
    """Letters of any script, signs and single spaces need nothing done."""
    assert is_plain(text)


def test_a_table_of_data_is_read_as_it_is_written() -> None:
    """Cells of CSV keep their white space, which a table of HTML would not."""
    plan = plan_of(Property("property://1", "./td[1]"))
    found = extract(plan, parse(b"a,b\n1  2,3\n", "http://site.example/table.csv", "text/csv"))
    assert found.triples[0].endswith('"1  2"')


class TestCells:
    """Which cells of a row are looked at together."""

    @staticmethod
    def item_of(*paths: str) -> ItemPlan:
        properties = [Property(f"property://{n}", path) for n, path in enumerate(paths)]
        return plan_of(*properties).required_item

    def test_those_that_most_properties_are_among(self) -> None:
        """Two properties of three cells are enough."""
        item = self.item_of("./td[1]", "td[3]", "./th[1]", ".//td[2]", "./td[2]/a")
        assert item.cells == ("td", 3)
        assert [prop.cell for prop in item.properties] == [0, 2, None, None, None]

    def test_not_a_few_of_many(self) -> None:
        """A row of twenty cells is not looked at for the last one."""
        assert self.item_of("./td[1]", "./td[20]").cells is None
