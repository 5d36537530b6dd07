"""Each folder of ``tests/cases/extract`` is a behaviour: a model, the pages it meets, what must come of them.

``expected.nq`` holds the graph of the run, named ``<run://1>`` whatever the run's number is; lines that begin with
``#`` explain. ``expected.problems.txt`` holds its problems, ``kind | address | property or - | reason``; without the
file there must be none. Whatever a case is about, its data keeps what ``rdfcrawl shapes`` promises, or a problem says
why it does not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from rdfcrawl.engine.conflicts import find_conflicts
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.metamodel.model import Model
from tests.conformance import unexplained
from tests.crawling import Crawled, crawl

CASES = Path(__file__).parent / "cases" / "extract"


@dataclass(frozen=True, slots=True)
class CrawledCases:
    """Each case crawled once, whoever asks for it."""

    folder: Path
    crawled: dict[str, tuple[Model, Crawled]] = field(default_factory=dict)

    async def of(self, case: str) -> tuple[Model, Crawled]:
        """The model of a case, and what a run gave."""
        if case not in self.crawled:
            model = load_model(CASES / case / "model.ttl")
            self.crawled[case] = model, await crawl(model, self.folder / case, CASES / case / "pages")
        return self.crawled[case]


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> CrawledCases:
    return CrawledCases(tmp_path_factory.mktemp("cases"))


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
async def test_a_model_meets_its_pages(case: str, cases: CrawledCases) -> None:
    """A run gives exactly the expected triples and exactly the expected problems."""
    folder = CASES / case
    _, crawled = await cases.of(case)
    problems = [
        f"{problem['kind']} | {problem['address']} | {problem.get('property', '-')} | {problem['reason']}"
        for problem in crawled.problems
    ]
    assert sorted(crawled.triples) == sorted(_statements(folder / "expected.nq"))
    assert sorted(problems) == sorted(_lines(folder / "expected.problems.txt"))


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
async def test_the_data_is_what_its_shapes_promise_or_a_problem_says_why_not(case: str, cases: CrawledCases) -> None:
    """Right or reported: nothing is missing or there twice without a problem that says so."""
    model, crawled = await cases.of(case)
    lines = sorted(f"{triple} .".encode() for triple in crawled.triples)
    problems = [(problem["kind"], problem.get("subject"), problem.get("property")) for problem in crawled.problems]
    problems += [(found.kind, found.subject, found.property) for found in find_conflicts(lambda: lines, model)]
    assert unexplained(model, crawled.triples, problems) == []


def test_what_breaks_the_shapes_without_a_problem_is_noticed() -> None:
    """Neither a missing value nor one too many passes, unless it is reported."""
    model = load_model(CASES / "id-conflict" / "model.ttl")
    ada = "http://site.example/ada"
    triples = [
        f"<http://site.example/list> <item://actor> <{ada}>",
        f'<{ada}> <property://name> "Ada"',
        f'<{ada}> <property://name> "A. Young"',
    ]
    assert unexplained(model, triples, [("conflict", ada, "property://role"), ("missing", ada, "property://name")]) == [
        f"MaxCountConstraintComponent {ada} property://name",
        f"MinCountConstraintComponent {ada} property://role",
    ]
    assert not unexplained(model, triples, [("conflict", ada, "property://name"), ("empty", ada, "property://role")])


def _statements(path: Path) -> list[str]:
    return [line.removesuffix(" <run://1> .") for line in _lines(path)]


def _lines(path: Path) -> list[str]:
    """The lines of a file that is not there are none; blank lines and explanations do not count."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if line and not line.startswith("#")]
