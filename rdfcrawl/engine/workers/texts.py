"""The visible lines of a document and the names that were recognised on it, as plain data."""

from __future__ import annotations

from rdfcrawl.engine import strict
from rdfcrawl.engine.document.lines import lines_of
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.extraction import Trace
from rdfcrawl.engine.extract.packing import encode
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.recognised import FoundText
from rdfcrawl.recognise.lines import searched
from rdfcrawl.recognise.qlever import PageText


def page_text(plan: PagePlan, document: Document) -> bytes:
    """The text of a document, packed."""
    traces: list[Trace] = []
    extract(plan, document, traces)
    names = [
        [trace.raw.how.written, str(trace.raw)]
        for trace in traces
        if isinstance(trace.raw, FoundText) and trace.raw.is_person
    ]
    lines = [" ".join(line.text.split()) for line in searched(lines_of(document.root)[0])]
    return encode({"address": document.address, "lines": lines, "names": names}).encode()


def text_of_page(content: bytes) -> PageText:
    """What ``page_text`` has packed; raises ``Nonsense``."""
    values = strict.whole_record(
        strict.plain(content),
        address=strict.text,
        lines=strict.texts,
        names=strict.listed(strict.row(strict.text, strict.text)),
    )
    return PageText(values["address"], tuple(values["lines"]), tuple(values["names"]))
