"""A drafted model tried on its own samples, as a run would read them: what does not fit there is corrected.

Ways are tried on texts as a page shows them to the draft. What counts is what the engine makes of the model, so that
the last word is its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rdfcrawl.drafting.writing.forms import Form
from rdfcrawl.drafting.writing.modelling import model_of
from rdfcrawl.drafting.writing.outline import DraftedItem, DraftedPage, DraftedProperty, Outline
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.page import extract
from rdfcrawl.engine.extract.plan import build_plan
from rdfcrawl.engine.problem import Problem, ProblemKind

_ROUNDS: Final = 3
_LACKS: Final = frozenset((ProblemKind.MISSING, ProblemKind.EMPTY))


def verified(outline: Outline, sampled: Mapping[str, Sequence[Document]]) -> Outline:
    """The outline with what its samples demand: optional where a value is missing, text where a type does not fit."""
    problems: list[Problem] = []
    for _ in range(_ROUNDS):
        problems = _problems(outline, sampled)
        corrected = _corrected(outline, problems)
        if corrected == outline:
            break
        outline = corrected
    left = dict.fromkeys(f"{problem.address}: {problem.reason}" for problem in problems)
    return replace(outline, doubts=(*outline.doubts, *left))


def _problems(outline: Outline, sampled: Mapping[str, Sequence[Document]]) -> list[Problem]:
    plan = build_plan(model_of(outline))
    return [
        problem
        for name, documents in sampled.items()
        if f"page://{name}" in plan.pages
        for document in documents
        for problem in extract(plan.pages[f"page://{name}"], document).problems
    ]


def _corrected(outline: Outline, problems: Sequence[Problem]) -> Outline:
    lacking = {problem.property for problem in problems if problem.kind in _LACKS}
    unfit = {problem.property for problem in problems if problem.kind is ProblemKind.MISFIT}

    def of_property(item: DraftedItem, found: DraftedProperty) -> DraftedProperty:
        iri = f"property://{item.name}/{found.name}"
        if iri in lacking:
            found = replace(found, seen=min(found.seen, found.pages - 1))
        return replace(found, form=Form(doubt="not all of its values have one type")) if iri in unfit else found

    def of_page(page: DraftedPage) -> DraftedPage:
        item = page.item
        if item is not None:
            item = replace(item, properties=tuple(of_property(item, found) for found in item.properties))
        return replace(page, item=item, subs=tuple(map(of_page, page.subs)))

    return replace(outline, pages=tuple(map(of_page, outline.pages)))
