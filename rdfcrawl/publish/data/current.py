"""How much there is in the current state: what a query over it would count, whatever a single run has read."""

from __future__ import annotations

import pyoxigraph as ox

from rdfcrawl.publish.data.snapshot import Snapshot
from rdfcrawl.rdf.graphs import is_run, run_of


def triple_count(snapshot: Snapshot) -> int:
    """The statements of the current state, each once."""

    def count() -> int:
        if len(snapshot.graphs) == 1:
            (graph,) = snapshot.graphs
            if is_run(graph.value) and (known := snapshot.by_id[run_of(graph.value)].counts.triples):
                return known
            # Nothing can be there twice, and going through a graph is faster than a query.
            return sum(1 for _ in snapshot.data.store.quads_for_pattern(None, None, None, graph))
        store = snapshot.data.store
        results = store.query("SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", default_graph=list(snapshot.graphs))
        assert isinstance(results, ox.QuerySolutions)
        (row,) = results
        return int(row["n"].value) if isinstance(row["n"], ox.Literal) else 0

    return snapshot.keep("number of statements", count)


def objects_in(snapshot: Snapshot, section: str) -> int:
    """The objects that a section leads to."""

    def count() -> int:
        node = ox.NamedNode(section)
        return len(
            {
                quad.object
                for graph in snapshot.graphs
                for quad in snapshot.data.store.quads_for_pattern(node, None, None, graph)
                if quad.predicate.value in snapshot.items
            }
        )

    return snapshot.keep(("objects of a section", section), count)
