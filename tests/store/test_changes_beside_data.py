"""One query over the data and its changes: what a value was before and what it is now."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from tests.commands import Command

_ROOT = Path(__file__).parents[2]
_BEFORE_AND_AFTER = """
SELECT ?label ?old ?new WHERE {
  GRAPH ?changes { ?recipe <predicate://changed> recipe:rating }
  BIND(IRI(REPLACE(STR(?changes), "changes:", "run:")) AS ?now)
  GRAPH ?now { ?recipe recipe:rating ?new ; recipe:label ?label }
  GRAPH ?before { ?recipe recipe:rating ?old }
  FILTER(STRSTARTS(STR(?changes), "changes:") && ?before != ?now)
}
"""


def _rdfcrawl(*arguments: str) -> str:
    command = Command(*arguments)
    assert command.wait() == 0, command.said
    return command.printed


def test_a_query_sees_values_before_and_after_a_change(tmp_path: Path) -> None:
    """Beside the data, the changes of a run are the graph changes://ID; their own store names them run://ID."""
    before, store = tmp_path / "before", str(tmp_path / "store")
    shutil.copytree(_ROOT / "examples/sites/www.chefkoch.de", before / "www.chefkoch.de")
    shutil.copytree(_ROOT / "examples/sites-before/www.chefkoch.de", before / "www.chefkoch.de", dirs_exist_ok=True)
    for pages in (before, _ROOT / "examples/sites"):
        _rdfcrawl("run", str(_ROOT / "models/chefkoch.ttl"), "--replay", str(pages), "--store", store)
    [found] = json.loads(_rdfcrawl("query", _BEFORE_AND_AFTER, "--format", "json", "--store", store))["results"][
        "bindings"
    ]
    assert {name: value["value"] for name, value in found.items()} == {
        "label": "Donauwelle Konditorenart",
        "old": "4",
        "new": "4.5",
    }
    logged = json.loads(
        _rdfcrawl("query", "ASK { GRAPH ?g { ?s ?p ?o } }", "--changes", "--format", "json", "--store", store)
    )
    assert logged["boolean"] is True
