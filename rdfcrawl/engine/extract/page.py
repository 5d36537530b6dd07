"""The way in: one document, read as one page of a model; then what was read is named and written. Pure."""

from __future__ import annotations

from rdfcrawl.engine.criteria.page_parts import Arrival
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.extraction import Extraction, Trace
from rdfcrawl.engine.extract.found import Lack
from rdfcrawl.engine.extract.kinds.table import READERS
from rdfcrawl.engine.extract.navigation import read_navigation
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.extract.writing import write_all
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.recognise.lines import MOST_CHARACTERS


def extract(
    plan: PagePlan,
    document: Document,
    traces: list[Trace] | None = None,
    *,
    list_address: str | None = None,
    arrival: Arrival | None = None,
) -> Extraction:
    """Read one document as the page that ``plan`` describes; ``traces`` gets what became of every property.

    ``list_address`` is the ``list_address`` of the extraction before, where the document goes on with its list;
    ``arrival`` is what criteria may ask for besides the document.
    """
    reading = Reading(plan.page, document, READERS, traces, list_address, arrival)
    READERS[type(plan.page)].read(reading, plan)
    write_all(reading)
    for complaint in document.complaints:
        reading.report(Lack(ProblemKind.RAGGED, complaint))
    if left := reading.mentions.unsearched:
        reason = f"a page is searched for names up to {MOST_CHARACTERS:,} characters; its last {left:,} were not"
        reading.report(Lack(ProblemKind.LIMIT, reason))
    read_navigation(reading, plan)
    return reading.result
