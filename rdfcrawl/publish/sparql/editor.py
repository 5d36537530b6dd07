"""The page on which people write queries: examples made from the models, and the answer as a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

import pyoxigraph as ox
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.data.objects import Term
from rdfcrawl.publish.data.schema import ObjectClass, Schema
from rdfcrawl.publish.web.documents import usable_prefixes
from rdfcrawl.publish.web.presentation import IN_TABLE, Showing, shortened
from rdfcrawl.publish.web.site import EDITOR, STRICT_POLICY, render, site_of
from rdfcrawl.rdf.names import notation
from rdfcrawl.store.query.answer import QueryAnswer
from rdfcrawl.store.query.prepare import QueryForm

ROWS_SHOWN = 500
CELLS_SHOWN = 20_000
BYTES_SHOWN = 16 << 20
TEXT_SHOWN = 50_000
_COLUMNS = 5


@dataclass(frozen=True, slots=True)
class Example:
    """A query to begin with."""

    title: str
    query: str


def page(
    request: Request, query: str | None = None, answer: QueryAnswer | None = None, error: HTTPException | None = None
) -> Response:
    """The editor, with a query, and with its answer or what is wrong with it."""
    site = site_of(request)
    with site.snapshots.using() as snapshot:
        found = examples(snapshot.schema)
        first = found[0].query if found else "SELECT * { ?s ?p ?o } LIMIT 10"
        rich = (EDITOR / "yasgui.min.js").exists()
        if query is not None and rich and answer is not None:
            # The rich editor does not know the prefixes that need not be declared, and would call them mistakes.
            query = _declare(snapshot.schema.prefixes, answer.undeclared) + query
        context = {
            "examples": found,
            "query": query if query is not None else first,
            "asked": query is not None,
            "error": error.detail if error else None,
            "endpoint": request.url.path,
            "prefixes": sorted(usable_prefixes(snapshot.schema.prefixes).items()),
            "rich": rich,
            "limits": site.limits,
            **_shown(Showing(snapshot, site.addresses), answer),
        }
        # The rich editor sets styles from script; nothing of it is ever loaded from elsewhere.
        policy = STRICT_POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
        headers = {"Content-Security-Policy": policy} if rich else {}
        status = error.status_code if error else 200
        return render(request, "sparql.html", snapshot, context, status=status, headers=headers)


def examples(schema: Schema) -> list[Example]:
    """Queries that the models suggest: each class, one inside the other, and what all runs say."""
    classes = sorted(schema.classes.values(), key=lambda shown: (not shown.top, shown.name))
    suggested = [Example(f"All {shown.name} objects", _of_class(schema, shown)) for shown in classes[:6]]
    for shown in classes:
        for nested in shown.nested:
            inner = schema.classes.get(nested)
            if inner and inner.columns and shown.columns:
                title = f"How many {inner.name} objects per {shown.name}"
                suggested.append(Example(title, _per_class(schema, shown, inner)))
    for shown in classes[:1]:
        if shown.columns:
            suggested.append(Example(f"One {shown.name} property in every run", _in_runs(schema, shown)))
    return [Example(found.title, _declare(schema.prefixes, _used(found.query)) + found.query) for found in suggested]


def _declare(prefixes: Mapping[str, str], names: Iterable[str]) -> str:
    """The lines that declare the known ones among the names."""
    declared = [f"PREFIX {name}: <{prefixes[name]}>\n" for name in names if name in prefixes]
    return "".join(declared) + ("\n" if declared else "")


def _used(example: str) -> list[str]:
    """The prefixes of a query that was made here: every name stands alone, and an IRI in brackets."""
    words = (word for word in example.split() if ":" in word and not word.startswith("<"))
    return list(dict.fromkeys(word.partition(":")[0] for word in words))


def _of_class(schema: Schema, shown: ObjectClass) -> str:
    lines = [f"  ?parent {notation(shown.predicate, schema.prefixes)} ?{_variable(shown.name)} ."]
    names = _variables(shown)
    for column in shown.columns[:_COLUMNS]:
        triple = f"?{_variable(shown.name)} {notation(column.predicate, schema.prefixes)} ?{names[column.predicate]} ."
        lines.append(f"  OPTIONAL {{ {triple} }}")
    chosen = " ".join(f"?{names[column.predicate]}" for column in shown.columns[:_COLUMNS])
    head = f"SELECT DISTINCT ?{_variable(shown.name)} {chosen} WHERE {{"
    return "\n".join([head, *lines, "}", "LIMIT 100"])


def _per_class(schema: Schema, shown: ObjectClass, inner: ObjectClass) -> str:
    outer, nested = _variable(shown.name), _variable(inner.name)
    label = shown.columns[0]
    return "\n".join(
        [
            f"SELECT ?label (COUNT(DISTINCT ?{nested}) AS ?count) WHERE {{",
            f"  ?{outer} {notation(inner.predicate, schema.prefixes)} ?{nested} ;",
            f"    {notation(label.predicate, schema.prefixes)} ?label .",
            "}",
            f"GROUP BY ?{outer} ?label",
            "ORDER BY DESC(?count) ?label",
            "LIMIT 100",
        ]
    )


def _in_runs(schema: Schema, shown: ObjectClass) -> str:
    column = shown.columns[-1]
    name = _variables(shown)[column.predicate]
    return "\n".join(
        [
            f"SELECT ?{_variable(shown.name)} ?run ?{name} WHERE {{",
            f"  GRAPH ?run {{ ?{_variable(shown.name)} {notation(column.predicate, schema.prefixes)} ?{name} . }}",
            "}",
            f"ORDER BY ?{_variable(shown.name)} ?run",
            "LIMIT 100",
        ]
    )


def _variables(shown: ObjectClass) -> dict[str, str]:
    taken = {_variable(shown.name), "parent"}
    found = {}
    for column in shown.columns:
        name = _variable(column.name)
        while name in taken:
            name += "_"
        taken.add(name)
        found[column.predicate] = name
    return found


def _variable(name: str) -> str:
    kept = "".join(character if character.isalnum() and character.isascii() else "_" for character in name)
    return kept.strip("_") or "object"


def _shown(showing: Showing, answer: QueryAnswer | None) -> dict[str, Any]:
    empty: dict[str, Any] = {"variables": (), "rows": (), "cut": False, "truth": None, "graph": None}
    if answer is None:
        return empty
    if answer.form is QueryForm.GRAPH:
        text = answer.content.read().decode()
        return empty | {"graph": shortened(text, TEXT_SHOWN), "cut": answer.cut or len(text) > TEXT_SHOWN}
    results = ox.parse_query_results(answer.content.read(), format=ox.QueryResultsFormat.JSON)
    if isinstance(results, ox.QueryBoolean):
        return empty | {"truth": bool(results)}
    variables = [variable.value for variable in results.variables[:CELLS_SHOWN]]
    rows = [
        [showing.term(term, IN_TABLE * 2) if (term := _term(row[name])) else None for name in variables]
        for row in islice(results, CELLS_SHOWN // max(1, len(variables)))
    ]
    cut = answer.cut or len(variables) < len(results.variables) or next(results, None) is not None
    return empty | {"variables": variables, "rows": rows, "cut": cut}


def _term(value: object) -> Term | None:
    if isinstance(value, ox.Triple):
        return ox.Literal(f"<<( {value} )>>")
    if isinstance(value, ox.BlankNode):
        return ox.Literal(value.value)
    return value if isinstance(value, Term) else None
