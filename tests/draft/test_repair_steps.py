"""The steps of a repair: paths that differ in one thing, other readings of a text, edits in the text of a model."""

from __future__ import annotations

import pytest
from lxml import html

from rdfcrawl.drafting.repair.edits import Edit, edited_property
from rdfcrawl.drafting.repair.mutations import literals, mutations, renamed
from rdfcrawl.drafting.repair.readings import other_readings
from rdfcrawl.drafting.repair.text import differences, edited_text
from rdfcrawl.drafting.ways.fresh import paths_to
from rdfcrawl.engine.values.pipeline import Pipeline
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.metamodel.parts import Property, Replacement
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.ntriples import literal

MODEL = """# A comment that stays.
@prefix :     <predicate://> .
@prefix type: <type://> .

<model:> :section <http://books.example/> .
<http://books.example/> :page <page://books> .
<page://books> :type type:objects ; :item <item://book> .
<item://book>  :path "//li" ; :property <p://title> , <p://price> .

<p://title>
    :path      '''.//b[@class='title']
                  [1]''' .     # untouched

<p://price>
    :path      "./i" ;
    :replace   [ :old "," ; :new "." ] ;
    :type      <http://www.w3.org/2001/XMLSchema#decimal> .
"""


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("./td[2]/a", "./td[3]/a"),
        (".//h1/span[1]", ".//h1//span[1]"),
        (".//h2/following-sibling::p", ".//h2/following-sibling::p[2]"),
        (".//div[@id='side']//b", "//div[@id='side']//b"),
        ("//ul/li[@class='x']", "//ul/li"),
        ("./td[3]", "./td[last()]"),
        ("//main/section/p", "//main//p"),
    ],
)
def test_a_path_is_changed_in_one_place(path: str, expected: str) -> None:
    """The usual redesigns are one change away."""
    assert expected in mutations(path)
    assert path not in mutations(path)


def test_an_attribute_that_is_read_can_be_demanded() -> None:
    """An element of the same name without the attribute was put before the one that is meant."""
    assert ".//span[@content]" in mutations(".//span", "content")


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("css:ul > li.one", "css:ul li.one"),
        ("css:td:nth-child(2)", "css:td:nth-child(3)"),
        ("css:div.box > p.price", "css:div.box > p"),
        ("css:div.box p.price", "css:p.price"),
        ("css:a[rel='next']::attr(href)", "css:a::attr(href)"),
    ],
)
def test_a_css_selector_is_changed_in_one_place(selector: str, expected: str) -> None:
    """A step is made looser or left out, a place is moved, a condition dropped: it stays a selector."""
    assert expected in mutations(selector)
    assert selector not in mutations(selector)


def test_names_in_css_selectors_are_exchanged_where_they_can_stand() -> None:
    """Classes, ids and values of attributes; what is no name of a class does not become one."""
    selector = "css:#list > a.price[title='x y']"
    assert literals(selector) == {"list": True, "price": True, "x y": True}
    assert renamed(selector, "price", "cost") == "css:#list > a.cost[title='x y']"
    assert renamed(selector, "x y", "it's") == 'css:#list > a.price[title="it\'s"]'
    assert renamed(selector, "price", "two words") == selector


def test_a_name_is_exchanged_wherever_it_is_compared_with() -> None:
    """Texts are found as what they are, not as parts of others; quotes fit what is between them."""
    path = "//tr[@class='row'][contains(@id, 'row')]/row"
    assert literals(path) == {"row": False}
    assert renamed(path, "row", "line") == "//tr[@class='line'][contains(@id, 'line')]/row"
    assert renamed("//p[.='old']", "old", "it's") == '//p[.="it\'s"]'


def test_new_paths_use_names_before_positions() -> None:
    """Numbered names belong to one row only, and a path within a row begins at it."""
    tree = html.fromstring("<table><tr class=a id=r1><td>1<td><b itemprop=price>2</b></tr></table>")
    row, price = tree.find(".//tr"), tree.find(".//b")
    paths = paths_to([(price, row)])
    assert paths[0] == ".//b[@itemprop='price']"
    assert "./td[2]/b" in paths
    assert not any("r1" in path for path in paths_to([(price, None)]))


@pytest.mark.parametrize(
    ("prop", "raws", "known"),
    [
        (Property("p:", ".", datatype=terms.DATE, format="dd.MM.yyyy"), ["2015-10-19"], ["2015-10-19"]),
        (
            Property("p:", ".", datatype=terms.DATE_TIME, format="yyyy-MM-dd'T'HH:mm:ssZ"),
            ["08.01.2016 20:00:00+0100"],
            ["2016-01-08T20:00:00+01:00"],
        ),
        (Property("p:", ".", datatype=terms.DECIMAL, replacements=(Replacement(",", "."),)), ["8·9"], ["8.9"]),
        (Property("p:", ".", datatype=terms.XSD + "duration"), ["Dauer 45M", "Dauer 5M"], ["PT45M", "PT5M"]),
        (Property("p:", "."), ["Title: Emma", "Title: Dune"], ["Emma", "Dune"]),
        (
            Property(
                "p:",
                ".",
                datatype=terms.DECIMAL,
                pattern=r"[\d.]{4,}(,\d+)?",
                replacements=(Replacement(r"\.", "", 1), Replacement(",", ".", 2)),
            ),
            ["55'886,41 1)", "60'000,00"],
            ["55886.41", "60000.00"],
        ),
    ],
)
def test_texts_that_are_written_otherwise_get_their_meaning_back(
    prop: Property, raws: list[str], known: list[str]
) -> None:
    """The edits make the known values of the new texts."""
    wanted = [literal(text, prop.datatype) for text in known]
    edits = other_readings(prop, raws, wanted, "http://x/")[0]
    pipeline = Pipeline(edited_property(prop, edits))
    assert [pipeline.term(raw, "http://x/") for raw in raws] == wanted


def test_a_text_that_means_something_else_gets_no_reading() -> None:
    """Other values are no reason for an edit."""
    prop = Property("p:", ".", datatype=terms.DATE, format="dd.MM.yyyy")
    assert other_readings(prop, ["2020-02-02"], [literal("2015-10-19", terms.DATE)], "http://x/") == []


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_an_edit_changes_nothing_but_its_value(newline: str) -> None:
    """Comments, quotes, line breaks and alignment stay; what is added stands below the path, aligned with it."""
    text = MODEL.replace("\n", newline)
    edits = [
        Edit("p://title", "path", ".//b[@class='title']\n                  [1]".replace("\n", newline), ".//b[2]"),
        Edit("p://price", "old", ",", "·"),
        Edit("p://price", "path", "./i", './em[@title="x"]'),
        Edit("p://price", "attribute", None, "data-price"),
    ]
    made = edited_text(text, model_of_text(text, "model"), edits)
    assert made.replace(newline, "\n") == MODEL.replace(
        "'''.//b[@class='title']\n                  [1]'''", "'''.//b[2]'''"
    ).replace('"./i" ;', '"./em[@title=\\"x\\"]" ;\n    :attribute "data-price" ;').replace('"," ;', '"·" ;')
    model = model_of_text(made, "model")
    price = next(prop for item in model.items() for prop in item.properties if prop.iri == "p://price")
    assert (price.path, price.attribute) == ('./em[@title="x"]', "data-price")


def test_a_replacement_is_added_before_those_that_are_there() -> None:
    """Several need an order."""
    edit = Edit("p://price", "replace", None, "^from ", "", -1)
    made = edited_text(MODEL, model_of_text(MODEL, "model"), [edit])
    assert '    :replace   [ :old "^from " ; :new "" ; :order -1 ] ;\n' in made
    model_of_text(made, "model")


def test_the_difference_is_a_unified_diff() -> None:
    """With the lines around it, as patch reads it."""
    made = edited_text(MODEL, model_of_text(MODEL, "model"), [Edit("p://price", "path", "./i", "./u")])
    lines = differences(MODEL, made, "model.ttl").splitlines()
    assert lines[:2] == ["--- a/model.ttl", "+++ b/model.ttl"]
    assert '-    :path      "./i" ;' in lines
    assert '+    :path      "./u" ;' in lines


def test_what_is_not_written_as_a_string_is_not_edited() -> None:
    """The message says what is not there."""
    with pytest.raises(UsageError, match="has no :path"):
        edited_text(MODEL, model_of_text(MODEL, "model"), [Edit("p://price", "path", "./x", "./u")])
