"""From an answer of a site to an extraction: an HTML page, or a file in which the site names its own addresses."""

from __future__ import annotations

from collections.abc import Sequence

from rdfcrawl.engine.criteria.judging import Subject
from rdfcrawl.engine.criteria.page_parts import Arrival, file_parts, split_anchors
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.files.file_text import FileText
from rdfcrawl.engine.document.files.reading import READABLE, read_file
from rdfcrawl.engine.extract.extraction import Extraction
from rdfcrawl.engine.extract.focus import facts_of, link_weight
from rdfcrawl.engine.extract.identity import clean_address
from rdfcrawl.engine.extract.plan import FocusPlan, PagePlan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import Problem, ProblemKind
from rdfcrawl.engine.site.facts import AnswerHead, binary_facts, content_digest, page_facts
from rdfcrawl.engine.site.leads import NOFOLLOW, FoundLead
from rdfcrawl.engine.site.media import file_type, is_html, media_type
from rdfcrawl.engine.site.robots import header_says_nofollow
from rdfcrawl.engine.site.scope import belongs_to
from rdfcrawl.engine.site.sitemaps import named_addresses
from rdfcrawl.engine.site.traps import family_of
from rdfcrawl.engine.workers.reading import read_documents


def read_survey(
    plan: PagePlan,
    documents: Sequence[Fetched],
    limits: RunLimits,
    start: str | None,
    robots: str | None,
    anchors: str | None = None,
) -> Extraction:
    """What one page of a site says.

    ``start`` is where the site begins, ``robots`` the header about following links, ``anchors`` are the texts of the
    links that led to the page.
    """
    fetched = documents[0]
    address = clean_address(fetched.address, plan.page.params)
    head = AnswerHead(fetched.status, fetched.content_type, len(fetched.body))
    if media_type(fetched.content_type) and not is_html(fetched.content_type):
        return _read_sitemap(plan, fetched, start or address, head)
    arrival = Arrival(split_anchors(anchors), file_type(address, fetched.content_type) or "html")
    extraction = read_documents(plan, documents[:1], limits, start, arrival)
    extraction.triples += page_facts(address, head, fetched.body)
    extraction.digest = content_digest(fetched.body)
    if robots and header_says_nofollow(robots):
        leads = [FoundLead.from_line(line) for line in extraction.leads]
        extraction.leads = [lead._replace(held=lead.held or NOFOLLOW).to_line() for lead in leads]
    return extraction


def read_survey_file(
    plan: PagePlan, fetched: Fetched, disposition: str | None, length: int | None, anchors: str | None
) -> Extraction:
    """What is said of a file of a site that is no page; its text is searched where it has one and it was fetched."""
    focus, address = plan.focus, clean_address(fetched.address, plan.page.params)
    assert focus is not None
    head = AnswerHead(fetched.status, fetched.content_type, length, disposition)
    extraction = Extraction(triples=binary_facts(address, head), complete_entries=1)
    arrival = Arrival(split_anchors(anchors), file_type(fetched.address, fetched.content_type, disposition))
    subject, problem = file_subject(focus, plan.page.iri, fetched, address, arrival)
    judgement = focus.judge.judge(subject)
    extraction.problems += [] if problem is None else [problem]
    extraction.problems += [
        Problem(ProblemKind.LIMIT, fetched.address, plan.page.iri, complaint) for complaint in judgement.complaints
    ]
    extraction.triples += facts_of(focus, address, judgement)
    return extraction


def file_subject(
    focus: FocusPlan, page: str, fetched: Fetched, address: str, arrival: Arrival
) -> tuple[Subject, Problem | None]:
    """A file as criteria see it, and what is wrong with it: one that cannot be read is judged without its text."""
    text, problem = FileText(), None
    if fetched.body and arrival.file_type in READABLE:
        try:
            text = read_file(fetched.body, arrival.file_type, fetched.content_type)
        except DocumentError as error:
            problem = Problem(ProblemKind.UNREADABLE, fetched.address, page, str(error))
    return Subject(file_parts(text, address, arrival, focus.judge.parts), arrival.file_type), problem


def _read_sitemap(plan: PagePlan, fetched: Fetched, start: str, head: AnswerHead) -> Extraction:
    extent, params = plan.page.survey, plan.page.params
    assert extent is not None
    belongs = belongs_to(start, extent.scope, extent.skips)
    sitemaps, pages = named_addresses(fetched.address, fetched.body)
    leads = [FoundLead(key, key, is_hop=True) for key in dict.fromkeys(sitemaps) if belongs(key)]
    for page in dict.fromkeys(pages):
        key = clean_address(page, params)
        if belongs(key):
            weight = 0.0 if plan.leads is None else link_weight(plan.leads, "", "", page)
            leads.append(FoundLead(key, page, family=family_of(key), score=weight))
    found = dict.fromkeys(clean_address(page, params) for page in (*sitemaps, *pages))
    address = clean_address(fetched.address, params)
    return Extraction(triples=binary_facts(address, head), leads=[lead.to_line() for lead in leads], links=[*found])
