"""``/run/ID/problems``: all problems of a run, or of one group of them, page by page."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response

from rdfcrawl.publish.catalogue.catalogue import page_count
from rdfcrawl.publish.catalogue.problems import chosen_problems, problem_groups
from rdfcrawl.publish.data.problems import ProblemChoice
from rdfcrawl.publish.data.snapshot import changed_at
from rdfcrawl.publish.web.resources import run_asked
from rdfcrawl.publish.web.site import not_found, number, render, site_of
from rdfcrawl.rdf import terms
from rdfcrawl.rdf.graphs import record_iri
from rdfcrawl.store.runs.problems import ProblemGroup
from rdfcrawl.store.runs.record import RunRecord

PROBLEMS_PER_PAGE: Final = 100


def problem_list(run: int, group: ProblemGroup | None = None) -> str:
    """The address of the list of a group, or of all problems."""
    address = f"/run/{run}/problems"
    if group is None:
        return address
    asked = {"kind": group.kind, "on": group.page, "property": group.property}
    return f"{address}?{urlencode({name: value for name, value in asked.items() if value})}"


def problems_page(request: Request) -> Response:
    """The problems of the kind, property and kind of page that a request names."""
    site = site_of(request)
    asked = request.query_params
    with site.snapshots.using() as snapshot:
        record = run_asked(request, snapshot)
        groups = problem_groups(snapshot, record)
        wanted = {"kind": asked.get("kind"), "page": asked.get("on"), "property": asked.get("property")}
        named = {name: value for name, value in wanted.items() if value}
        group = next((one for one in groups if {name: getattr(one, name) or None for name in wanted} == wanted), None)
        if named and group is None:
            raise not_found("this run has no such problems")
        choice = ProblemChoice(group.kind, group.page, group.property) if group and named else None
        total = group.count if choice and group else sum(one.count for one in groups)
        page = min(max(1, number(asked.get("page"))), page_count(total, PROBLEMS_PER_PAGE))
        start = (page - 1) * PROBLEMS_PER_PAGE
        context = {
            "record": record,
            "heading": group.heading(record.model.prefixes) if choice and group else None,
            "problems": chosen_problems(snapshot, record, choice, start, PROBLEMS_PER_PAGE),
            "groups": [(one, problem_list(record.id, one)) for one in groups],
            "total": total,
            "page": page,
            "pages": page_count(total, PROBLEMS_PER_PAGE),
            "here": problem_list(record.id, group if choice else None),
            "query": _query(record, choice),
        }
        return render(request, "problems.html", snapshot, context, modified=changed_at(record))


def _query(record: RunRecord, choice: ProblemChoice | None) -> str:
    """The same list for SPARQL, which also gives it as a file."""
    chosen = [] if choice is None else [f"?problem {name} {term} ." for name, term in choice.statements()]
    if choice and not choice.property:
        chosen.append("FILTER NOT EXISTS { ?problem record:property ?any }")
    optional = ("property", "raw", "element")
    return "\n".join(
        [
            f"PREFIX record: <{terms.RECORD}>",
            "SELECT ?kind ?page ?property ?address ?reason ?raw ?element",
            f"WHERE {{ GRAPH <{record_iri(record.id)}> {{",
            *(f"  {line}" for line in chosen),
            "  ?problem record:kind ?kind ; record:page ?page ; record:address ?address ; record:reason ?reason .",
            *(f"  OPTIONAL {{ ?problem record:{name} ?{name} }}" for name in optional),
            "} }",
            "ORDER BY ?kind ?page ?property ?address",
        ]
    )
