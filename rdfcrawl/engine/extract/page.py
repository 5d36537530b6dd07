"""The way in: one document, read as one page of a model. Pure: no network, no store."""

from __future__ import annotations

from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.extraction import Extraction, Follow, Trace
from rdfcrawl.engine.extract.kinds.table import READERS
from rdfcrawl.engine.extract.navigation import read_navigation
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.reading import Reading

__all__ = ["Extraction", "Follow", "Trace", "extract"]


def extract(plan: PagePlan, document: Document, traces: list[Trace] | None = None) -> Extraction:
    """Read one document as the page that ``plan`` describes; ``traces`` gets what became of every property."""
    reading = Reading(plan.page, document, READERS, traces)
    READERS[type(plan.page)].read(reading, plan)
    read_navigation(reading, plan)
    return reading.result
