"""An explanation as JSON: what ``explain`` prints, for programs."""

from __future__ import annotations

from typing import Any

from rdfcrawl.engine.inspect.explanation import ExplainedValue, Explanation
from rdfcrawl.engine.inspect.framing import FramedPage


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """Where an object and its values come from; with the page, if it is framed."""
    record = explanation.record
    framed = explanation.framed or FramedPage(None, (None,) * len(explanation.values), ("",) * len(explanation.values))
    return {
        "run": explanation.run,
        "subject": explanation.subject,
        "page": explanation.page.iri,
        "item": explanation.item.iri,
        "address": explanation.address,
        "engine": explanation.engine.value,
        "fetched": record.answer.moment if record else None,
        "root": {"path": explanation.item.path, "place": explanation.root},
        "stopped": explanation.stopped,
        "values": [
            value_json(value) | {"mark": mark, "element": element}
            for value, mark, element in zip(explanation.values, framed.marks, framed.elements, strict=True)
        ],
        "html": framed.html,
        "cut": framed.is_cut,
        "unrendered": explanation.is_unrendered,
    }


def value_json(value: ExplainedValue) -> dict[str, Any]:
    """The way of one value, step by step."""
    prop = value.property
    return {
        "property": prop.iri,
        "predicate": prop.predicate,
        "path": prop.path,
        "place": value.place,
        "steps": [list(step) for step in value.told_steps()],
        "type": prop.datatype,
        "reasons": list(value.reasons),
        "stopped": value.stopped,
        "triple": value.triple,
    }
