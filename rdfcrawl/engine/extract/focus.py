"""What criteria make of a page of a site: its score, whether it is a find, and what its links weigh."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from rdfcrawl.engine.criteria.judging import Judge, Judgement, Subject
from rdfcrawl.engine.criteria.page_parts import Contexts, html_parts, lead_parts
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.found import Lack
from rdfcrawl.engine.extract.plan import FocusPlan, PagePlan
from rdfcrawl.engine.extract.reading import Reading
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.site.facts import score_facts
from rdfcrawl.engine.site.links import SiteLink
from rdfcrawl.metamodel.criteria import ANCHORS, CONTEXT


def read_focus(reading: Reading, focus: FocusPlan) -> Judgement:
    """Judge the page of a reading, and write its score."""
    judgement = judge_document(focus, reading)
    for complaint in judgement.complaints:
        reading.report(Lack(ProblemKind.LIMIT, complaint))
    reading.result.triples += facts_of(focus, reading.address, judgement)
    return judgement


def judge_document(focus: FocusPlan, reading: Reading) -> Judgement:
    """What the criteria say of the page of a reading."""
    judge, document, arrival = focus.judge, reading.document, reading.arrival
    parts = html_parts(document, reading.address, arrival, judge.parts)
    return judge.judge(Subject(parts, arrival.file_type, document))


def facts_of(focus: FocusPlan, address: str, judgement: Judgement) -> list[str]:
    """What is said of a page that was judged."""
    met = judgement.met if focus.is_find(judgement.score) else None
    return list(score_facts(address, judgement.score, met))


def reads_anchors(plan: PagePlan) -> bool:
    """Whether the texts of the links to a page have a part in its score."""
    return plan.focus is not None and ANCHORS in plan.focus.judge.parts


def weights_of(judge: Judge, document: Document, links: Sequence[SiteLink], score: Decimal) -> list[float]:
    """What each link of a page with that score weighs."""
    contexts = Contexts(document) if CONTEXT in judge.parts else None
    known: dict[tuple[str, str, str], float] = {}
    weights = []
    for link in links:
        key = (link.text, contexts.around(link.element) if contexts else "", link.address)
        if key not in known:
            known[key] = link_weight(judge, *key, score)
        weights.append(known[key])
    return weights


def link_weight(judge: Judge, anchor: str, context: str, address: str, score: Decimal = Decimal(0)) -> float:
    """What a link weighs."""
    return float(judge.judge(Subject(lead_parts(anchor, context, address, judge.parts), score=score)).score)
