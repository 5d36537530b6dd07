"""The shapes of a model's data: what a run brings conforms, what is broken does not."""

from __future__ import annotations

import pyshacl
import pytest
from rdflib import Graph

from rdfcrawl.metamodel.data_shapes import data_shapes
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Item, Link, LinksPage, Model, ObjectPage, ObjectsPage, Property, Section
from rdfcrawl.rdf import terms

PRODUCT = Item(
    "urn:i:product",
    ".",
    (
        Property("urn:p:name", "."),
        Property("urn:p:price", ".", datatype=terms.DECIMAL, optional=True),
        Property("urn:p:image", ".", datatype=terms.ANY_URI, optional=True),
        Property("urn:p:tag", ".", multiple=True, optional=True),
        Property("urn:p:title", ".", language="de", optional=True),
    ),
    rdf_class="urn:c:Product",
)
MODEL = Model(
    sections=(Section("urn:s:", "urn:list"),),
    pages={
        "urn:list": LinksPage(iri="urn:list", path="//a", target="urn:product"),
        "urn:product": ObjectPage(
            iri="urn:product", item=PRODUCT, subs=("urn:offers",), links=(Link("urn:l", "//a", "urn:list"),)
        ),
        "urn:offers": ObjectsPage(iri="urn:offers", item=Item("urn:i:offer", ".", (Property("urn:p:seller", "."),))),
    },
    digest="",
)
DATA = """
@prefix i: <urn:i:> . @prefix p: <urn:p:> .
<urn:s:> i:product <urn:x:1> .
<urn:x:1> a <urn:c:Product> ; p:name "one" ; p:price 1.5 ; p:image <urn:image> ; p:tag "a", "b" ; p:title "eins"@de ;
    i:offer <urn:y:1> ; i:product <urn:x:1> .
<urn:y:1> p:seller "shop" .
"""


def conforms(turtle: str) -> bool:
    data = Graph().parse(data=turtle, format="turtle")
    return bool(pyshacl.validate(data, shacl_graph=data_shapes(MODEL))[0])


def test_data_as_the_model_describes_it_conforms() -> None:
    """Also where pages lead in circles."""
    assert conforms(DATA)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('p:name "one" ;', ""),
        ('p:name "one"', 'p:name "one", "two"'),
        ("1.5", '"cheap"'),
        ("<urn:image>", '"image.png"'),
        ('"eins"@de', '"one"@en'),
        ("a <urn:c:Product> ;", ""),
        ('<urn:y:1> p:seller "shop" .', ""),
        ("i:offer <urn:y:1>", 'i:offer "shop"'),
    ],
)
def test_data_that_breaks_a_rule_of_the_model_does_not_conform(right: str, wrong: str) -> None:
    """A missing, repeated or mistyped value, a missing class, an edge to a text."""
    assert right in DATA
    assert not conforms(DATA.replace(right, wrong))


@pytest.mark.parametrize("name", ["bundestag", "campus-tum", "chefkoch", "imdb", "muenchen"])
def test_shapes_of_a_model_are_always_the_same_text(name: str) -> None:
    """Two calls give one text, which is Turtle with the prefixes of the model."""
    first, second = (data_shapes(load_model(f"models/{name}.ttl")).serialize(format="turtle") for _ in range(2))
    assert first == second
    assert "@prefix item: <item://> ." in first
