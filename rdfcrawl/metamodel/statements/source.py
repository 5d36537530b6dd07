"""The statements of a model, from a text or from a SPARQL endpoint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from http import HTTPStatus
from typing import Final

from rdflib import Graph
from rdflib.term import Node

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import StoreError, UsageError
from rdfcrawl.metamodel.names import STANDARD_PREFIXES
from rdfcrawl.metamodel.statements.notation import SourcePlace, Statement, parse
from rdfcrawl.metamodel.statements.text import SourceText
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.endpoint import ServerAccess, checked_address, credentials_for
from rdfcrawl.rdf.servers import Refused
from rdfcrawl.rdf.sparql import SparqlEndpoint

CREDENTIALS: Final = "RDFCRAWL_MODEL"
"""The prefix of the environment variables with the credentials for a model's endpoint."""
_TIMEOUT_SECONDS: Final = 30.0
_QUERY: Final = """
CONSTRUCT {{ ?s ?p ?o }} WHERE {{ {opening}
  ?s ?p ?o .
  FILTER (
    EXISTS {{ ?s ?term ?value . FILTER STRSTARTS(STR(?term), "{metamodel}") }}
    || EXISTS {{ ?s <{rdf}rest> ?cells }}
  )
{closing} }}
"""


@dataclass(frozen=True, slots=True)
class SourceGraph:
    """The statements of a source, foreign ones included, and their places if the source has lines.

    ``text`` is the Turtle that they were read from, if they were read from Turtle.
    """

    name: str
    prefixes: Mapping[str, str]
    statements: Mapping[Statement, SourcePlace | None]
    subjects: Mapping[Node, SourcePlace] = field(default_factory=dict)
    text: str | None = None
    has_lines: bool = False

    def turtle(self) -> str:
        """The source as Turtle: its own text if that is Turtle, so that comments are kept."""
        if self.text is not None:
            return self.text
        graph = Graph()
        for prefix, namespace in self.prefixes.items():
            graph.bind(prefix, namespace, replace=True)
        for statement in self.statements:
            graph.add(statement)
        return graph.serialize(format="turtle")


def graph_of(source: SourceText) -> SourceGraph:
    """The statements of a text; raises ``NotationError`` if it is not Turtle or N3."""
    parsed = parse(source.text, n3=source.n3)
    text = None if source.n3 else source.text
    return SourceGraph(source.name, parsed.prefixes, parsed.statements, parsed.subjects, text, has_lines=True)


def fetch_graph(endpoint: str, graph: str | None = None) -> SourceGraph:
    """The statements of the model that a SPARQL endpoint holds, in the named graph or in the default graph."""
    address = checked_address(endpoint, CREDENTIALS)
    opening, closing = (f"GRAPH <{_checked_iri(graph)}> {{", "}") if graph else ("", "")
    query = _QUERY.format(opening=opening, closing=closing, metamodel=terms.METAMODEL, rdf=terms.RDF)
    access = ServerAccess(credentials_for(address, CREDENTIALS), CREDENTIALS, timeout=_TIMEOUT_SECONDS, attempts=1)
    try:
        answer = SparqlEndpoint(address, access).ask(query, "text/turtle").body
        found = Graph().parse(data=answer, format="turtle")
    except StoreError as error:
        if isinstance(error, Refused) and error.status == HTTPStatus.NOT_FOUND:
            raise UsageError(f"{address}: no SPARQL endpoint at this address") from None
        raise UsageError(f"cannot fetch the model: {error}") from None
    except Exception as error:
        # The answer is not Turtle; the errors of rdflib's parsers have no common base class.
        raise UsageError(
            f"{address}: the answer is not RDF ({type(error).__name__}); is it a SPARQL endpoint?"
        ) from None
    return SourceGraph(address, dict(STANDARD_PREFIXES), dict.fromkeys(found))


def _checked_iri(graph: str) -> str:
    if any(char in graph for char in '<>"{}|^`\\') or any(char.isspace() for char in graph):
        raise UsageError(f"{graph}: this is not the IRI of a graph")
    return graph
