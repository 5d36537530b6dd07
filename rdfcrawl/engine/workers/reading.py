"""From the documents of a page session to one extraction."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from lxml import etree

from rdfcrawl.engine.criteria.page_parts import Arrival
from rdfcrawl.engine.document.tree import Document, TreeBounds, parse
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.expressions.functions import is_known_to_browsers

_USUAL_DEPTH: Final = 64
_count_elements: Final = etree.XPath("count(descendant-or-self::*)")
_is_deep: Final = etree.XPath("boolean(" + "/*" * (_USUAL_DEPTH + 1) + ")")


def read_documents(
    plan: PagePlan,
    documents: Sequence[Fetched],
    limits: RunLimits,
    list_address: str | None = None,
    arrival: Arrival | None = None,
) -> Extraction:
    """Everything that the documents of a page say; raises ``DocumentError``, and ``FetchFailed`` at a limit.

    ``list_address`` is the address of the first page of the list that these documents continue; a list that begins
    with them has the address of its first document.
    """
    whole = Extraction()
    for fetched in documents:
        document = parsed_document(fetched, limits, with_scripts=plan.reads_scripts)
        part = extract(plan, document, list_address=list_address, arrival=arrival)
        list_address = part.list_address
        part.problems += [
            Problem(kind_of_note, fetched.address, plan.page.iri, reason) for kind_of_note, reason in fetched.notes
        ]
        if fetched.rendered:
            part.problems += _unclicked(plan, part, fetched.address)
            _take_clicks_as_done(part, fetched.address)
        whole = part if len(documents) == 1 else _joined(whole, part)
    return whole


def parsed_document(fetched: Fetched, limits: RunLimits, *, with_scripts: bool = False) -> Document:
    """The tree of a document, also with the JSON of its scripts.

    Raises ``DocumentError``, and ``FetchFailed`` where it is too large.
    """
    content_type = "text/html; charset=utf-8" if fetched.rendered else fetched.content_type
    bounds = TreeBounds(limits.elements, limits.depth)
    document = parse(fetched.body, fetched.address, content_type, bounds=bounds, with_scripts=with_scripts)
    if (reason := _too_large(document, limits)) is not None:
        raise FetchFailed(ProblemKind.LIMIT, reason)
    return document


def _too_large(document: Document, limits: RunLimits) -> str | None:
    """Which limit a document exceeds, if any."""
    elements: Any = _count_elements(document.root)
    if elements > limits.elements:
        return f"the document has {elements:,.0f} elements; the limit is {limits.elements:,}"
    if limits.depth >= _USUAL_DEPTH and not _is_deep(document.root):
        return None
    depth = deepest = 0
    for event, _ in etree.iterwalk(document.root, events=("start", "end")):
        depth += 1 if event == "start" else -1
        deepest = max(deepest, depth)
    if deepest > limits.depth:
        return f"the document is nested {deepest:,} elements deep; the limit is {limits.depth:,}"
    return None


def _unclicked(plan: PagePlan, part: Extraction, address: str) -> list[Problem]:
    """A next button that the browser could not find, because it does not know what its path is made of."""
    path = plan.page.next
    if not part.next_clicks or path is None or is_known_to_browsers(path):
        return []
    reason = "the next button has no address, and a browser cannot evaluate this path; write it in XPath 1.0 or CSS"
    return [Problem(ProblemKind.INCOMPLETE, address, plan.page.iri, reason, path=path)]


def _take_clicks_as_done(part: Extraction, address: str) -> None:
    """What is left of a next button in a browser's document is one that it has clicked, or found disabled."""
    part.next_clicks = False
    if part.next_address and clean_address(part.next_address) == clean_address(address):
        part.next_address = None


def _joined(whole: Extraction, part: Extraction) -> Extraction:
    """Two parts of one list as one; the later part says how it goes on."""
    return Extraction(
        triples=whole.triples + part.triples,
        tops=whole.tops + part.tops,
        follows=whole.follows + part.follows,
        entries=whole.entries + part.entries,
        problems=whole.problems + part.problems,
        unread=whole.unread + part.unread,
        next_address=part.next_address,
        next_clicks=False,
        stated_total=part.stated_total if whole.stated_total is None else whole.stated_total,
        found=whole.found + part.found,
        complete_entries=whole.complete_entries + part.complete_entries,
        list_address=part.list_address,
        mentions=whole.mentions + part.mentions,
    )
