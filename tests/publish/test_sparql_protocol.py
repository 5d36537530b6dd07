"""The cases of the W3C SPARQL 1.1 protocol test suite that a read-only endpoint must pass, and our own rules."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote, urlencode
from xml.etree import ElementTree as ET

import pyoxigraph as ox
import pytest

from rdfcrawl.store.folder import open_store
from rdfcrawl.store.query.answer import QueryLimits
from tests.publish.conftest import FIRST, SECOND, AddRun, Answer, Server, serving, thing

FORM = {"Content-Type": "application/x-www-form-urlencoded"}
QUERY = {"Content-Type": "application/sparql-query"}
JSON = {"Accept": "application/sparql-results+json"}


def post_form(server: Server, *fields: tuple[str, str], **headers: str) -> Answer:
    return server.send("POST", "/sparql", urlencode(fields).encode(), {**FORM, **headers})


def truth(answer: Answer) -> bool:
    assert answer.status == 200, answer.text
    found = json.loads(answer.text)["boolean"]
    assert isinstance(found, bool)
    return found


class TestGoodQueries:
    """``query_*`` of the test suite."""

    def test_a_query_in_the_address(self, server: Server) -> None:
        """query_get: GET with ``query=``."""
        assert truth(server.get(f"/sparql?query={quote('ASK {}')}")) is True

    def test_a_query_as_a_form(self, server: Server) -> None:
        """query_post_form: POST of a form."""
        assert truth(post_form(server, ("query", "ASK {}"))) is True

    def test_a_query_as_the_body(self, server: Server) -> None:
        """query_post_direct: POST of the query itself."""
        assert truth(server.send("POST", "/sparql", b"ASK {}", QUERY)) is True

    @pytest.mark.parametrize("method", ["GET", "FORM", "DIRECT"])
    def test_a_named_default_graph(self, server: Server, method: str) -> None:
        """query_dataset_default_graph_*: ``default-graph-uri`` alone decides what the default graph is."""
        assert truth(ask_in(server, method, "ASK { ?s <item://recipe> ?o }", default=[f"run://{FIRST}"])) is True
        assert truth(ask_in(server, method, "ASK { ?s <item://recipe> ?o }", default=["run://1"])) is False

    def test_several_default_graphs_are_merged(self, server: Server) -> None:
        """query_dataset_default_graphs_get: several ``default-graph-uri`` make one default graph."""
        query = f"ASK {{ <run://{FIRST}> ?p ?o . ?s <item://recipe> ?recipe }}"
        both = [f"record://{FIRST}", f"run://{SECOND}"]
        query = f"ASK {{ <record://{FIRST}> ?p ?o . ?s <item://recipe> ?recipe }}"
        assert truth(ask_in(server, "GET", query, default=both)) is True
        assert truth(ask_in(server, "GET", query, default=both[:1])) is False

    @pytest.mark.parametrize("method", ["GET", "FORM", "DIRECT"])
    def test_named_graphs(self, server: Server, method: str) -> None:
        """query_dataset_named_graphs_*: ``GRAPH`` sees the ``named-graph-uri`` and no others."""
        query = f"ASK {{ GRAPH ?g {{ ?s ?p ?o }} FILTER(?g = <run://{SECOND}>) }}"
        assert truth(ask_in(server, method, query, named=[f"run://{FIRST}", f"run://{SECOND}"])) is True
        assert truth(ask_in(server, method, query, named=[f"run://{FIRST}"])) is False

    def test_default_and_named_graphs_together(self, server: Server) -> None:
        """query_dataset_full: both kinds at once."""
        query = "ASK { ?s <item://recipe> ?o . GRAPH ?g { ?s2 <item://recipe> ?o2 } }"
        assert truth(ask_in(server, "GET", query, [f"run://{FIRST}"], [f"run://{SECOND}"])) is True
        assert truth(ask_in(server, "GET", query, [f"run://{FIRST}"], ["run://1"])) is False

    def test_the_protocol_takes_precedence_over_from(self, server: Server) -> None:
        """query_multiple_dataset: graphs named by the protocol replace those in the query."""
        query = f"ASK FROM <run://{FIRST}> {{ ?s <item://recipe> ?o }}"
        assert truth(ask_in(server, "GET", query)) is True
        assert truth(ask_in(server, "GET", query, default=["run://1"])) is False

    @pytest.mark.parametrize(
        ("query", "media"),
        [
            ("SELECT (1 AS ?value) {}", ["application/sparql-results+json", "application/sparql-results+xml"]),
            ("SELECT (1 AS ?value) {}", ["text/csv", "text/tab-separated-values"]),
            ("ASK {}", ["application/sparql-results+json", "application/sparql-results+xml"]),
            (
                "CONSTRUCT { <a:> <b:c> 1 } {}",
                ["text/turtle", "application/rdf+xml", "application/n-triples", "application/ld+json"],
            ),
            ("DESCRIBE <a:>", ["text/turtle", "application/rdf+xml", "application/ld+json"]),
        ],
    )
    def test_the_format_asked_for(self, server: Server, query: str, media: list[str]) -> None:
        """query_content_type_*: each form of query in each of its formats."""
        for wanted in media:
            answer = server.get(f"/sparql?query={quote(query)}", Accept=wanted)
            assert answer.status == 200
            assert answer.headers["content-type"].partition(";")[0] == wanted

    def test_results_are_what_their_type_says(self, server: Server) -> None:
        """Each format can be read by a parser of that format."""
        select = "/sparql?query=" + quote('SELECT ("ä, \\"b\\"" AS ?v) {}')
        assert json.loads(server.get(select, **JSON).text)["results"]["bindings"][0]["v"]["value"] == 'ä, "b"'
        xml = ET.fromstring(server.get(select, Accept="application/sparql-results+xml").body)
        assert xml.findtext(".//{*}literal") == 'ä, "b"'
        assert server.get(select, Accept="text/csv").text == 'v\r\n"ä, ""b"""\r\n'
        construct = "/sparql?query=" + quote("CONSTRUCT { <a:x> <b:y> 1 } {}")
        for media, form in (
            ("text/turtle", ox.RdfFormat.TURTLE),
            ("application/n-triples", ox.RdfFormat.N_TRIPLES),
            ("application/rdf+xml", ox.RdfFormat.RDF_XML),
            ("application/ld+json", ox.RdfFormat.JSON_LD),
        ):
            assert len(list(ox.parse(server.get(construct, Accept=media).body, format=form))) == 1


class TestBadQueries:
    """``bad_query_*`` of the test suite."""

    def test_another_method(self, server: Server) -> None:
        """bad_query_method: PUT is no way to ask."""
        assert server.send("PUT", f"/sparql?query={quote('ASK {}')}").status == 405

    def test_two_queries(self, server: Server) -> None:
        """bad_multiple_queries: more than one ``query=``."""
        both = urlencode([("query", "ASK {}"), ("query", "SELECT * {}")])
        assert server.get(f"/sparql?{both}").status == 400

    def test_another_type_of_body(self, server: Server) -> None:
        """bad_query_wrong_media_type: a query sent as plain text."""
        assert server.send("POST", "/sparql", b"ASK {}", {"Content-Type": "text/plain"}).status == 415

    def test_no_type_of_body(self, server: Server) -> None:
        """bad_query_missing_form_type: a form that does not say that it is one."""
        assert server.send("POST", "/sparql", b"query=ASK%20%7B%7D").status == 415

    def test_a_body_without_its_type(self, server: Server) -> None:
        """bad_query_missing_direct_type: a query that does not say that it is one."""
        assert server.send("POST", "/sparql", b"ASK {}").status == 415

    def test_a_body_that_is_not_in_utf_8(self, server: Server) -> None:
        """bad_query_non_utf8: only UTF-8 is understood."""
        assert server.send("POST", "/sparql", "ASK {}".encode("utf-16"), QUERY).status == 400

    def test_a_query_that_is_no_sparql(self, server: Server) -> None:
        """bad_query_syntax: the message says where."""
        answer = server.get(f"/sparql?query={quote('ASK { ?s')}")
        assert answer.status == 400
        assert answer.text.startswith("query:1:")
        assert answer.headers["content-type"].startswith("text/plain")

    @pytest.mark.parametrize("update", ["CLEAR ALL", "INSERT DATA { <a:> <b:> <c:> }", "LOAD <http://example.org/>"])
    def test_updates(self, server: Server, update: str) -> None:
        """update_* of the suite do not apply: the endpoint refuses them in every form."""
        assert post_form(server, ("update", update)).status == 400
        assert post_form(server, ("query", update)).status == 400
        direct = server.send("POST", "/sparql", update.encode(), {"Content-Type": "application/sparql-update"})
        assert direct.status == 415


class TestOurRules:
    """What the protocol leaves open."""

    def test_the_default_graph_is_the_current_state(self, server: Server) -> None:
        """Without graphs named, a query sees the latest run of each section and can name all runs."""
        rating = "<property://recipe/rating>"
        recipe = "<http://www.chefkoch.de/rezepte/372611122991708/Donauwelle-Konditorenart.html>"
        assert values(server, f"SELECT ?v {{ {recipe} {rating} ?v }}") == ["4.5"]
        assert values(server, f"SELECT ?v {{ GRAPH ?g {{ {recipe} {rating} ?v }} }} ORDER BY ?v") == ["4", "4.5"]

    def test_prefixes_of_the_model_are_known(self, server: Server) -> None:
        """A query can use the model's prefixes without declaring them."""
        assert len(values(server, "SELECT ?v { ?s recipe:label ?v }")) == 26

    def test_other_hosts_are_not_asked(self, server: Server) -> None:
        """SERVICE is refused."""
        answer = server.get("/sparql?query=" + quote("ASK { SERVICE <http://127.0.0.1:1/> { ?s ?p ?o } }"))
        assert answer.status == 400
        assert "SERVICE" in answer.text

    def test_no_acceptable_format(self, server: Server) -> None:
        """A client that wants a picture learns what there is instead."""
        answer = server.get(f"/sparql?query={quote('ASK {}')}", Accept="image/png")
        assert answer.status == 406
        assert "application/sparql-results+json" in answer.text

    def test_the_service_describes_itself(self, server: Server) -> None:
        """GET without a query gives the service description."""
        answer = server.get("/sparql", Accept="text/turtle")
        triples = list(ox.parse(answer.body, format=ox.RdfFormat.TURTLE))
        types = {quad.object.value for quad in triples if quad.predicate.value.endswith("#type")}
        assert "http://www.w3.org/ns/sparql-service-description#Service" in types
        assert f"run://{SECOND}" in answer.text

    def test_the_changes_have_an_endpoint(self, server: Server) -> None:
        """``/sparql/changes`` asks what the runs have changed."""
        query = quote(f"SELECT ?v {{ GRAPH <run://{SECOND}> {{ ?s <predicate://changed> ?v }} }}")
        found = json.loads(server.get(f"/sparql/changes?query={query}", **JSON).text)["results"]["bindings"]
        assert [row["v"]["value"] for row in found] == ["property://recipe/rating"]

    def test_too_many_rows_are_an_error(self, tmp_path: Path, add_run: AddRun) -> None:
        """An answer beyond the row limit is refused in every format, one at the limit is not."""
        store = open_store(tmp_path / "store")
        add_run(store, 1, "".join(thing(str(number), f"line\\n{number}") for number in range(6)))
        with serving(store, limits=QueryLimits(20.0, 5)) as server:
            for media in ("application/sparql-results+json", "application/sparql-results+xml", "text/csv"):
                query = quote("SELECT ?v { ?s <property://thing/label> ?v }")
                assert server.get(f"/sparql?query={query}", Accept=media).status == 413
                assert server.get(f"/sparql?query={query}%20LIMIT%205", Accept=media).status == 200
            graph = quote("CONSTRUCT WHERE { ?s <property://thing/label> ?v }")
            assert server.get(f"/sparql?query={graph}", Accept="text/turtle").status == 413
            page = server.get(f"/sparql?query={query}", Accept="text/html")
            assert page.status == 200
            assert "5 rows, of more that are not shown here" in page.text

    def test_a_query_that_takes_too_long_is_stopped(self, published: object, server: Server) -> None:
        """A query beyond the time limit is an error, and the server goes on answering."""
        endless = "SELECT (COUNT(*) AS ?n) { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i . ?j ?k ?l }"
        with serving(published, limits=QueryLimits(0.2, 10)) as limited:  # type: ignore[arg-type]
            answer = limited.get(f"/sparql?query={quote(endless)}")
            assert answer.status == 504
            assert "0.2 seconds" in answer.text
            assert limited.get("/", Accept="text/html").status == 200


def values(server: Server, query: str) -> list[str]:
    answer = server.get(f"/sparql?query={quote(query)}", **JSON)
    assert answer.status == 200, answer.text
    return [row["v"]["value"] for row in json.loads(answer.text)["results"]["bindings"]]


def ask_in(
    server: Server, method: str, query: str, default: list[str] | None = None, named: list[str] | None = None
) -> Answer:
    """A query with graphs named by the protocol, in one of its three ways."""
    graphs = [("default-graph-uri", graph) for graph in default or ()] + [
        ("named-graph-uri", graph) for graph in named or ()
    ]
    if method == "GET":
        return server.get(f"/sparql?{urlencode([('query', query), *graphs])}", **JSON)
    if method == "FORM":
        return post_form(server, ("query", query), *graphs, **JSON)
    return server.send("POST", f"/sparql?{urlencode(graphs)}", query.encode(), {**QUERY, **JSON})
