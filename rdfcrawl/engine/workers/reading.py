"""From the documents of a page session to one extraction."""

from __future__ import annotations

from collections.abc import Sequence

from rdfcrawl.engine.document.tree import Document, parse
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.page import Extraction, extract
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.problem import Problem


def parsed_documents(documents: Sequence[Fetched]) -> list[Document]:
    """The trees of a page session's documents; raises ``DocumentError``."""
    return [
        parse(
            fetched.body,
            fetched.address,
            "text/html; charset=utf-8" if fetched.rendered else fetched.content_type,
        )
        for fetched in documents
    ]


def read_parsed(
    plan: PagePlan, documents: Sequence[Fetched], parsed: Sequence[Document], list_address: str | None = None
) -> Extraction:
    """Extract every document of a page session and put the parts together.

    ``list_address`` is the address of the first page of the list that the session goes on with; a list that begins
    with the session has that of its first document.
    """
    whole = Extraction()
    for fetched, document in zip(documents, parsed, strict=True):
        part = extract(plan, document, list_address=list_address)
        list_address = part.list_address
        part.problems += [
            Problem(kind_of_note, fetched.address, plan.page.iri, reason) for kind_of_note, reason in fetched.notes
        ]
        if fetched.rendered:
            _take_clicks_as_done(part, fetched.address)
        whole = part if len(documents) == 1 else _joined(whole, part)
    return whole


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
    )
