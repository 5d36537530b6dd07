"""Models come from files, standard input and SPARQL endpoints, and say the same wherever they come from."""

from __future__ import annotations

import io
import random
import sys
from pathlib import Path

import pytest
from rdflib import Graph

from rdfcrawl.errors import ModelError, UsageError
from rdfcrawl.metamodel.load import check_model, load_model
from rdfcrawl.metamodel.model import LinksPage, ObjectPage, ObjectsPage, Replacement
from rdfcrawl.rdf import terms
from tests.sparql_server import SparqlServer, sparql_server

MODELS = Path(__file__).parents[2] / "models"
ALL_MODELS = sorted(MODELS.glob("*.ttl"))


@pytest.fixture(scope="module")
def server() -> SparqlServer:
    """A SPARQL server that holds imdb in its default graph, chefkoch in a named one and a broken model in another."""
    with sparql_server() as running:
        running.add((MODELS / "imdb.ttl").read_text())
        running.add((MODELS / "chefkoch.ttl").read_text(), "urn:models:chefkoch")
        running.add("@prefix : <predicate://> . <model:> :section 5 .", "urn:models:broken")
        yield running


def test_the_values_of_a_model_are_those_of_its_text() -> None:
    """Sections, pages, items and properties become values in the words of the metamodel."""
    model = load_model(MODELS / "bundestag.ttl")
    assert [section.page for section in model.sections] == ["page://donations"]
    page = model.page("page://donations")
    assert isinstance(page, ObjectsPage)
    amount = {prop.iri: prop for prop in page.item.properties}["property://donation/amount"]
    assert amount.datatype == terms.DECIMAL
    assert amount.pattern == r"[\d.]{6,}(,\d{2})?"
    assert amount.replacements == (Replacement(r"\.", "", 1), Replacement(",", ".", 2))


def test_each_type_of_page_has_its_own_class() -> None:
    """An engine can tell the three kinds of pages apart without looking at strings."""
    pages = load_model(MODELS / "campus-tum.ttl").pages
    kinds = {type(page) for page in pages.values()}
    assert kinds == {ObjectPage, ObjectsPage, LinksPage}


def test_unreachable_pages_stay_out_of_the_model(tmp_path: Path) -> None:
    """A page that nothing leads to is a warning, and no crawl ever sees it."""
    path = tmp_path / "model.ttl"
    path.write_text((MODELS / "bundestag.ttl").read_text() + "page:lost :type type:objects ; :item item:donation .\n")
    checked = check_model(path)
    assert [finding.resource for finding in checked.findings] == ["page:lost"]
    assert checked.model is not None
    assert list(checked.model.pages) == ["page://donations"]


def test_any_absolute_iri_can_be_a_name(tmp_path: Path) -> None:
    """A property of schema.org is as good as one of our own."""
    text = (MODELS / "bundestag.ttl").read_text().replace("<property://donation/>", "<https://schema.org/>")
    path = tmp_path / "model.ttl"
    path.write_text(text)
    (item,) = load_model(path).items()
    assert "https://schema.org/amount" in [prop.iri for prop in item.properties]


def _reserialised(text: str) -> str:
    """The same statements as rdflib would write them, with other prefixes and other blank nodes."""
    graph = Graph().parse(data=text, format="turtle")
    renamed = Graph(bind_namespaces="none")
    for number, (_, namespace) in enumerate(sorted(graph.namespaces())):
        renamed.bind(f"p{number}", namespace)
    for statement in graph:
        renamed.add(statement)
    return renamed.serialize(format="turtle")


def _shuffled(text: str) -> str:
    """The same statements one by one, in another order, without any prefix."""
    lines = Graph().parse(data=text, format="turtle").serialize(format="nt").splitlines()
    random.Random(7).shuffle(lines)
    return "\n".join(lines)


def _with_foreign_triples(text: str) -> str:
    return text + '\n<model:> <http://purl.org/dc/terms/title> "A title" .\n'


@pytest.mark.parametrize("rewritten", [_reserialised, _shuffled, _with_foreign_triples])
@pytest.mark.parametrize("source", ALL_MODELS, ids=lambda model: model.stem)
def test_the_digest_does_not_depend_on_the_writing(source: Path, rewritten, tmp_path: Path) -> None:
    """Renamed prefixes, shuffled statements and foreign triples leave the digest and the values as they are."""
    original = load_model(source)
    other_text = rewritten(source.read_text())
    assert other_text != source.read_text()
    path = tmp_path / "model.ttl"
    path.write_text(other_text)
    other = load_model(path)
    assert other.digest == original.digest
    assert (other.sections, other.pages) == (original.sections, original.pages)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"./td[4]"', '"./td[5]"'),
        (":order 2", ":order 3"),
        ("xsd:decimal", "xsd:double"),
        (':path     "./td[3]"', ':path     "./td[3]" ; :optional true'),
    ],
)
def test_the_digest_changes_with_what_is_said(old: str, new: str, tmp_path: Path) -> None:
    """Another path, order, type or duty is another model."""
    text = (MODELS / "bundestag.ttl").read_text()
    assert old in text
    path = tmp_path / "model.ttl"
    path.write_text(text.replace(old, new))
    assert load_model(path).digest != load_model(MODELS / "bundestag.ttl").digest


def test_the_kept_copy_loads_again(tmp_path: Path) -> None:
    """A run keeps the model as Turtle; whoever reads it later gets the same model."""
    model = load_model(MODELS / "campus-tum.ttl")
    path = tmp_path / "copy.ttl"
    path.write_text(model.turtle)
    assert load_model(path) == model


def test_a_model_can_be_written_in_n3(tmp_path: Path) -> None:
    """N3 may say more than Turtle; its formulas are foreign and stay out of the way."""
    path = tmp_path / "model.n3"
    text = (MODELS / "chefkoch.ttl").read_text()
    path.write_text(text + "{ ?page :type type:object } => { ?page a <https://example.org/Page> } .\n")
    model = load_model(path)
    assert model.digest == load_model(MODELS / "chefkoch.ttl").digest
    copy = tmp_path / "copy.ttl"
    copy.write_text(model.turtle)
    assert load_model(copy).digest == model.digest


def test_a_model_can_come_from_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dash is standard input, and findings name it so."""
    octets = (MODELS / "muenchen.ttl").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(octets)))
    assert load_model("-").digest == load_model(MODELS / "muenchen.ttl").digest
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"nonsense")))
    (finding,) = check_model("-").findings
    assert finding.file == "<stdin>"


def test_a_model_can_come_from_the_default_graph_of_an_endpoint(server: SparqlServer) -> None:
    """The model in a repository is the model of the file that was stored there."""
    assert load_model(server.query).digest == load_model(MODELS / "imdb.ttl").digest


def test_a_model_can_come_from_a_named_graph_of_an_endpoint(server: SparqlServer) -> None:
    """The graph decides which of several models in a repository is meant."""
    loaded = load_model(server.query, graph="urn:models:chefkoch")
    assert loaded.digest == load_model(MODELS / "chefkoch.ttl").digest


def test_findings_about_an_endpoint_name_it_without_a_line(server: SparqlServer) -> None:
    """A repository has no lines, so a finding names the endpoint and the resource."""
    with pytest.raises(ModelError) as caught:
        load_model(server.query, graph="urn:models:broken")
    (finding,) = caught.value.findings
    assert str(finding).startswith(f"{server.query}: error: <model:> :section: 5 is a value, not a name")


def test_an_address_without_an_endpoint_is_told_in_one_sentence(server: SparqlServer) -> None:
    """A server that answers, but not SPARQL, is not taken for an empty model."""
    with pytest.raises(UsageError, match="no SPARQL endpoint at this address"):
        load_model(f"{server.address}/nothing")


def test_an_unreachable_endpoint_is_told_in_one_sentence() -> None:
    """The message has the address and the reason."""
    with pytest.raises(
        UsageError, match=r"^cannot fetch the model: http://127.0.0.1:9/query does not answer: .*refused"
    ):
        load_model("http://127.0.0.1:9/query")


def test_a_password_in_the_address_of_an_endpoint_is_refused() -> None:
    """The address of a model is recorded with every run, without what stands before the @."""
    with pytest.raises(
        UsageError, match=r"^http://127.0.0.1:9/query: user and password .* RDFCRAWL_MODEL_USER"
    ) as caught:
        load_model("http://ann:secret@127.0.0.1:9/query")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("graph", ["urn:x> { ?s ?p ?o } } #", "a b"])
def test_the_name_of_a_graph_cannot_carry_a_query(graph: str) -> None:
    """What is no IRI is refused before anything is sent."""
    with pytest.raises(UsageError, match="this is not the IRI of a graph"):
        load_model("http://127.0.0.1:9/query", graph=graph)


def test_a_missing_file_is_told_in_one_sentence(tmp_path: Path) -> None:
    """No traceback for a typo in a file name."""
    with pytest.raises(UsageError, match="no such file"):
        load_model(tmp_path / "missing.ttl")


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    """Naming the folder rather than the file gets a message of its own."""
    with pytest.raises(UsageError, match="this is a folder"):
        load_model(tmp_path)


def test_a_file_that_is_not_utf8_is_told_with_the_byte(tmp_path: Path) -> None:
    """Turtle is UTF-8; a Latin-1 umlaut is found and counted."""
    path = tmp_path / "model.ttl"
    path.write_bytes("# München".encode("latin-1"))
    with pytest.raises(UsageError, match=r"not UTF-8 text \(byte 4\)"):
        load_model(path)


def test_a_byte_order_mark_is_no_mistake(tmp_path: Path) -> None:
    """Editors on Windows write one."""
    path = tmp_path / "model.ttl"
    path.write_bytes(b"\xef\xbb\xbf" + (MODELS / "imdb.ttl").read_bytes())
    assert load_model(path).digest == load_model(MODELS / "imdb.ttl").digest
