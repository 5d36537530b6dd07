"""The finds of a survey with criteria: each page with its score and, in words, what it meets."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import RdfcrawlError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf import terms
from rdfcrawl.store.runs.record import RunRecord
from rdfcrawl.store.runs.run_files import RunFiles
from rdfcrawl.survey.reading import SurveyedPage


@dataclass(frozen=True, slots=True)
class SurveyFind:
    """A find: its address, its score and its title, and the criteria that it meets, in words."""

    address: str
    score: float
    title: str
    meets: tuple[str, ...]


def has_criteria(record: RunRecord) -> bool:
    """Whether a survey has looked for something."""
    return terms.SITE + "score" in record.model.predicates.properties


def finds_of(runs: RunFiles, record: RunRecord, pages: Iterable[SurveyedPage]) -> list[SurveyFind]:
    """The finds among some pages, the highest score first."""
    pages = [page for page in pages if page.is_find]
    words = _words(runs, record) if pages else {}
    found = [
        SurveyFind(page.address, page.score or 0.0, page.title or "", tuple(words.get(one, one) for one in page.meets))
        for page in pages
    ]
    return sorted(found, key=lambda find: (-find.score, find.address))


def _words(runs: RunFiles, record: RunRecord) -> Mapping[str, str]:
    """The criteria of the run's model in words; without the model, their names have to do."""
    try:
        model = load_model(runs.model(record.id))
    except (OSError, RdfcrawlError):
        return {}
    criteria = (one for page in model.pages.values() if page.focus is not None for one in page.focus.criteria)
    return {one.iri: one.said for one in criteria}
