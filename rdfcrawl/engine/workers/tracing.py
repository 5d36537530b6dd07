"""How the values of a page came about, as plain data: what is known of elements once their tree is gone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.document.path_diagnosis import where_path_stops
from rdfcrawl.engine.document.tree import Document, element_path
from rdfcrawl.engine.extract.extraction import Extraction, Trace
from rdfcrawl.engine.extract.packing import as_plain, encode, from_plain
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import PagePlan
from rdfcrawl.engine.extract.recognised import FoundText
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.values.pipeline import Steps
from rdfcrawl.metamodel.model import Item, Model, Property


@dataclass(frozen=True, slots=True)
class TracedValue:
    """One value of an object; without ``steps`` it is not there, and ``stopped`` says why.

    ``root`` and ``place`` are the paths of the object's root element and of the element with the value.
    """

    subject: str
    item: Item
    root: str
    property: Property
    place: str | None
    steps: Steps | None
    stopped: str | None
    reasons: tuple[str, ...] = ()
    """Why a recogniser takes it for what it looks for."""


@dataclass(frozen=True, slots=True)
class TracedPage:
    """What a page says, and how; ``stopped`` says how far the path of its objects or links leads if it has none."""

    extraction: Extraction
    values: tuple[TracedValue, ...]
    stopped: str | None


def traced(plan: PagePlan, document: Document, subject: str | None, list_address: str | None = None) -> bytes:
    """Read a document and note how each value came about, or only those of one object, and where paths stop.

    ``list_address`` is the address of the first page of the list that the document continues.
    """
    traces: list[Trace] = []
    document = replace(document, explains=True)
    extraction = extract(plan, document, traces, list_address=list_address)
    wanted = [trace for trace in traces if subject in (None, trace.subject)]
    stopped = None
    if not traces and (plan.item is not None or not extraction.follows):
        root, path = document.root, plan.item.item.path if plan.item is not None else plan.page.list_path
        stopped = where_path_stops(document, path, root, outer=root, root=root) if path else None
    content = {
        "extraction": as_plain(extraction),
        "values": [plain for trace in wanted for plain in _plain_values(trace, document)],
        "stopped": stopped,
    }
    return encode(content).encode()


def traced_page(content: bytes, model: Model) -> TracedPage:
    """What ``traced`` noted; raises ``Nonsense``."""
    items = {item.iri: item for item in model.items()}
    values = strict.whole_record(
        strict.plain(content),
        extraction=from_plain,
        values=strict.listed(lambda value: _value(value, items)),
        stopped=strict.text_or_none,
    )
    return TracedPage(values["extraction"], tuple(values["values"]), values["stopped"])


def _plain_values(trace: Trace, document: Document) -> Iterator[list[Any]]:
    match, plan = trace.match, trace.plan
    place = None if match is None or isinstance(match, str) else element_path(match)
    every: Sequence[Steps | None] = [None]
    if trace.raw is not None:
        stated = plan.stated and plan.stated(document, trace.root if match is None or isinstance(match, str) else match)
        every = plan.pipeline.all_steps(trace.raw, document.base, stated)
    for steps in every:
        yield [
            trace.subject,
            trace.item.iri,
            element_path(trace.root),
            plan.property.iri,
            place,
            None if steps is None else [getattr(steps, name) for name in Steps.__slots__],
            _why_not_there(trace, document) if steps is None else None,
            _reasons(trace.raw),
        ]


def _reasons(raw: str | None) -> list[str]:
    if not isinstance(raw, FoundText):
        return []
    find = raw.how
    parts = [f"{reason.weight:+.2f} {reason.what}" if reason.weight else reason.what for reason in find.reasons]
    return [f"score {find.score:+.2f}, written {find.written!r}", *parts]


def _why_not_there(trace: Trace, document: Document) -> str:
    prop = trace.plan.property
    if trace.match is not None:
        return trace.plan.source.absence(trace.match)
    return where_path_stops(document, prop.path, trace.root, outer=trace.outer, root=trace.root)


def _value(value: object, items: dict[str, Item]) -> TracedValue:
    subject, item_iri, root, property_iri, place, steps, stopped, reasons = _row(value)
    item = items.get(item_iri)
    prop = next((prop for prop in item.properties if prop.iri == property_iri), None) if item else None
    if item is None or prop is None:
        raise Nonsense("a value of a property that is not in the model")
    return TracedValue(subject, item, root, prop, place, steps, stopped, tuple(reasons))


def _steps(value: object) -> Steps:
    raw, after_pattern, after_replacements, *rest = _step_row(value)
    return Steps(raw, after_pattern, tuple(after_replacements), *rest)


_step_row: Final = strict.row(
    strict.text,
    strict.text_or_none,
    strict.texts,
    strict.text_or_none,
    strict.text_or_none,
    strict.flag,
    strict.text_or_none,
)
_row: Final = strict.row(
    strict.text,
    strict.text,
    strict.text,
    strict.text,
    strict.text_or_none,
    strict.or_none(_steps),
    strict.text_or_none,
    strict.texts,
)
