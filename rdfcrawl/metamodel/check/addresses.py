"""Finds an ``:id`` that ends at something without an address, which cannot name an object."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rdfcrawl.metamodel.check.html.elements import TEXT, names
from rdfcrawl.metamodel.check.html.steps import XPathExpression, XPathStep

_ADVICE: Final = "end at the link element, such as .//a, or remove :id and name the objects by :key"

_ATTRIBUTES: Final = names(
    """abbr accept accesskey align alt aria-describedby aria-hidden aria-label aria-labelledby autocomplete axis bgcolor
    border charset checked class color cols colspan coords datetime dir disabled draggable enctype for headers height
    hidden hreflang id itemprop itemscope label lang loading max maxlength media method min minlength multiple
    name placeholder property readonly rel required rev role rows rowspan scope selected shape size sizes span start
    style summary tabindex target title translate type valign width"""
)
"""Attributes that never hold an address; others may or may not."""

_ELEMENTS: Final = names("col colgroup datalist optgroup option select textarea")
"""Elements that are not links, and have none around or inside them."""


def without_address(expression: XPathExpression) -> tuple[str, str] | None:
    """What is wrong with an ``:id``, and what would be right; ``None`` if any branch may have an address."""
    faults = [_fault(step) if step else None for step in _last_steps(expression)]
    return (faults[0], _ADVICE) if faults and faults[0] is not None and all(faults) else None


def _last_steps(expression: XPathExpression) -> Iterator[XPathStep | None]:
    """The last step of each branch, also of ``(.//a/text())[1]``; ``None`` for what is not a path."""
    for path in expression.unions[0] if expression.is_union and expression.unions else ():
        named = [step for step in path.steps if (step.axis, step.test) != ("self", "node()")]
        if named:
            yield named[-1]
        elif isinstance(path.start, XPathExpression):
            yield from _last_steps(path.start)
        else:
            yield None


def _fault(step: XPathStep) -> str | None:
    if step.axis == "attribute":
        return f"the attribute {step.test} does not hold an address" if step.test in _ATTRIBUTES else None
    if step.test == TEXT:
        return "a text is not an address"
    if step.test in ("comment()", "processing-instruction()"):
        return "a comment has no address"
    return f"the element {step.test} has no address" if step.test in _ELEMENTS else None
