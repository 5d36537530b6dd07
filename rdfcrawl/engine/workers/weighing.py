"""How the score of a page came about, as plain data: each criterion, whether it is met, and where."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.criteria.judging import Judgement, Spot, Subject, weight_of
from rdfcrawl.engine.criteria.page_parts import Arrival, html_parts
from rdfcrawl.engine.document.text import visible_blocks
from rdfcrawl.engine.document.tree import element_path
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.packing import encode
from rdfcrawl.engine.extract.plan import FocusPlan, PagePlan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.site.media import file_type, is_html, looks_like_html, media_type
from rdfcrawl.engine.workers.reading import parsed_document
from rdfcrawl.engine.workers.surveying import file_subject
from rdfcrawl.metamodel.criteria import ANCHORS, number
from rdfcrawl.rdf import terms

_LONGEST_SHOWN: Final = 120


@dataclass(frozen=True, slots=True)
class Verdict:
    """One criterion on one page: in words, and the place where it is met, with what stands around the match."""

    iri: str
    said: str
    weight: str
    met: bool
    part: str | None = None
    before: str = ""
    match: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class WeighedPage:
    """The score of a page; ``complaints`` are about what could not be judged."""

    score: str
    threshold: str | None
    verdicts: tuple[Verdict, ...]
    complaints: tuple[str, ...] = ()

    @property
    def is_find(self) -> bool:
        """Whether the page is a find."""
        return self.threshold is not None and Decimal(self.score) >= Decimal(self.threshold)


def is_page(fetched: Fetched) -> bool:
    """Whether a document is a page and not a file of another kind."""
    known = media_type(fetched.content_type)
    return fetched.rendered or is_html(fetched.content_type) or (not known and looks_like_html(fetched.body))


def weighed(plan: PagePlan, fetched: Fetched, limits: RunLimits) -> bytes:
    """The score of a page or file, packed; raises what reading a page raises."""
    focus, address = plan.focus, clean_address(fetched.address, plan.page.params)
    assert focus is not None
    complaints: list[str] = []
    arrival = Arrival(
        file_type=file_type(fetched.address, fetched.content_type) or ("html" if is_page(fetched) else None)
    )
    if is_page(fetched):
        document = parsed_document(fetched, limits, with_scripts=plan.reads_scripts)
        parts = html_parts(document, address, arrival, focus.judge.parts)
        subject = Subject(parts, arrival.file_type, document)
    else:
        subject, problem = file_subject(focus, plan.page.iri, fetched, address, arrival)
        complaints += [] if problem is None else [problem.reason]
    judgement = focus.judge.judge(subject)
    complaints += judgement.complaints
    if ANCHORS in focus.judge.parts:
        complaints.append("the texts of the links to the page are known only in a crawl; here they count as empty")
    said = {
        "score": number(judgement.score),
        "threshold": None if focus.threshold is None else number(focus.threshold),
        "verdicts": [*_verdicts(focus, subject, judgement)],
        "complaints": complaints,
    }
    return encode(said).encode()


def weighed_page(content: bytes) -> WeighedPage:
    """What ``weighed`` has packed; raises ``Nonsense``."""
    values = strict.whole_record(
        strict.plain(content),
        score=strict.text,
        threshold=strict.text_or_none,
        verdicts=strict.listed(_verdict_row),
        complaints=strict.texts,
    )
    verdicts = tuple(Verdict(*row) for row in values["verdicts"])
    return WeighedPage(values["score"], values["threshold"], verdicts, tuple(values["complaints"]))


_verdict_row: Final = strict.row(
    strict.text,
    strict.text,
    strict.text,
    strict.flag,
    strict.text_or_none,
    strict.text,
    strict.text,
    strict.text,
)


def _verdicts(focus: FocusPlan, subject: Subject, judgement: Judgement) -> Iterator[list[object]]:
    """What is met comes first, the heaviest first."""
    criteria = sorted(focus.judge.criteria, key=lambda one: (one.iri not in judgement.met, -abs(one.weight), one.iri))
    for criterion in criteria:
        spot = judgement.met.get(criterion.iri)
        about = [None, "", "", ""] if spot is None else _shown(spot, subject)
        yield [criterion.iri, criterion.said, number(weight_of(criterion)), spot is not None, *about]


def _shown(spot: Spot, subject: Subject) -> list[str | None]:
    if spot.part is not None:
        before, match, after = subject.parts[spot.part].excerpt(spot.start, spot.end)
        return [spot.part.removeprefix(terms.PART), before, _cut(match), after]
    if spot.element is not None:
        return [element_path(spot.element), "", _cut(" ".join(" ".join(visible_blocks(spot.element)).split())), ""]
    return [None, "", "", ""]


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[: _LONGEST_SHOWN - 1]}…"
