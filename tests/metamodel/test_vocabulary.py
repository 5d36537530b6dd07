"""Vocabulary, shapes and reference speak of the same terms."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from rdflib import RDF, RDFS, Namespace, URIRef
from rdflib.collection import Collection

from rdfcrawl.engine.values.lexical import LexicalError, form
from rdfcrawl.metamodel.kinds.table import KINDS
from rdfcrawl.metamodel.load import check_model
from rdfcrawl.metamodel.vocabulary import kind_label, known_terms, shapes, vocabulary
from rdfcrawl.rdf import terms

SH = Namespace("http://www.w3.org/ns/shacl#")
_LENIENT = (terms.STRING, terms.ANY_URI, terms.ANY_ATOMIC)
"""The datatypes that have no lexical form of their own."""
SHAPE = Namespace("predicate://shapes#")
REFERENCE = Path(__file__).parents[2] / "docs" / "metamodel.md"
EXAMPLE_PREFIXES = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix page: <page://> . @prefix item: <item://> .
@prefix scope: <scope://> . @prefix part: <part://> . @prefix alert: <alert://> .
@prefix link: <link://> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> . @prefix book: <property://book/> .
@prefix review: <property://review/> . @prefix offer: <property://offer/> . @prefix shop: <property://shop/> .
"""


def test_the_same_terms_are_in_vocabulary_shapes_and_reference() -> None:
    """A term that is in one of the three places and not in the others is forgotten somewhere."""
    constrained = {str(path) for path in shapes().objects(None, SH.path)}
    documented = {terms.METAMODEL + name for name in re.findall(r"^### `:(\w+)`$", REFERENCE.read_text(), re.MULTILINE)}
    assert set(known_terms()) == constrained == documented


def test_every_term_is_explained() -> None:
    """A term has a label, a comment, a domain and a range."""
    graph = vocabulary()
    for term in graph.subjects(RDF.type, RDF.Property):
        for what in (RDFS.label, RDFS.comment, RDFS.domain, RDFS.range):
            assert graph.value(term, what) is not None, (term, what)


def test_every_term_belongs_to_the_kinds_that_the_vocabulary_names() -> None:
    """The closed shapes allow a term exactly on the kinds that are in its domain."""
    graph = shapes()
    allowed: dict[str, set[str]] = {}
    for shape in graph.subjects(SH.closed, None):
        label = str(vocabulary().value(graph.value(shape, SH.targetClass), RDFS.label))
        for term in Collection(graph, graph.value(shape, SH.ignoredProperties)):
            allowed.setdefault(str(term), set()).add(label)
    every_page = {kind_label(kind.__name__) for kind in KINDS.values()}
    for term, kinds in known_terms().items():
        named = set(kinds)
        domain = (named - {"page"}) | every_page if "page" in named else named
        assert allowed[term] == domain, term


def test_every_shape_says_what_would_be_right() -> None:
    """A shape without message would leave the author of a model alone."""
    graph = shapes()
    for kind in (SH.NodeShape, SH.PropertyShape):
        for shape in graph.subjects(RDF.type, kind):
            assert graph.value(shape, SH.message) is not None, shape


@pytest.mark.parametrize("datatype", [iri for iri in terms.XSD_DATATYPES if iri not in _LENIENT])
def test_every_datatype_of_xsd_that_the_check_lets_through_is_checked_in_values(datatype: str) -> None:
    """A text that is no value of any of them is told apart from one that is."""
    with pytest.raises(LexicalError):
        form(datatype)("no value,\tneither here nor there")


def test_the_page_types_of_vocabulary_and_shapes_are_the_kinds_of_the_code() -> None:
    """Each has a class of its own in the vocabulary and a closed shape that says which terms it has."""
    graph = shapes()
    assert [str(page_type) for page_type in Collection(graph, graph.value(SHAPE.pageType, SH["in"]))] == list(KINDS)
    page_types = vocabulary().subjects(RDF.type, URIRef(terms.METAMODEL + "PageType"))
    assert {str(page_type) for page_type in page_types} == set(KINDS)
    for kind in KINDS.values():
        name = URIRef(terms.METAMODEL + kind.__name__)
        assert vocabulary().value(name, RDFS.subClassOf) == URIRef(terms.METAMODEL + "Page")
        assert any(graph.value(shape, SH.closed) for shape in graph.subjects(SH.targetClass, name)), name


def _examples() -> list[str]:
    return re.findall(r"^```turtle\n(.*?)^```$", REFERENCE.read_text(), re.MULTILINE | re.DOTALL)


def test_the_first_example_of_the_reference_is_a_valid_model(tmp_path: Path) -> None:
    """What a newcomer copies works."""
    path = tmp_path / "model.ttl"
    path.write_text(_examples()[0])
    assert check_model(path).findings == ()


@pytest.mark.parametrize("number", range(2, len(_examples())))
def test_the_terms_in_the_examples_are_known(number: int, tmp_path: Path) -> None:
    """Every other example is a piece of a model: Turtle that uses the terms of the metamodel."""
    path = tmp_path / "piece.ttl"
    path.write_text(EXAMPLE_PREFIXES + _examples()[number])
    messages = [finding.message for finding in check_model(path).findings]
    assert "the metamodel has no such term" not in messages
    assert "the model has no <model:>" in messages or "<model:>" in _examples()[number]


def test_the_example_of_criteria_is_a_valid_model(tmp_path: Path) -> None:
    """It is whole, so that it can be copied and run."""
    path = tmp_path / "model.ttl"
    path.write_text(next(example for example in _examples() if "<model:>" in example and ":criterion" in example))
    assert check_model(path).findings == ()
