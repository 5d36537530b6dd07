"""Each folder of ``tests/cases/extract`` is a behaviour: a model, the pages it meets, what must come of them.

``expected.nq`` holds the graph of the run, named ``<run://1>`` whatever the run's number is; lines that begin with
``#`` explain. ``expected.problems.txt`` holds its problems, ``kind | address | property or - | reason``; without the
file there must be none.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.crawling import crawl

CASES = Path(__file__).parent / "cases" / "extract"


@pytest.mark.parametrize("case", sorted(path.name for path in CASES.iterdir()))
async def test_a_model_meets_its_pages(case: str, tmp_path: Path) -> None:
    """A run gives exactly the expected triples and exactly the expected problems."""
    folder = CASES / case
    crawled = await crawl(folder / "model.ttl", tmp_path, folder / "pages")
    problems = [
        f"{problem['kind']} | {problem['address']} | {problem.get('property', '-')} | {problem['reason']}"
        for problem in crawled.problems
    ]
    assert sorted(crawled.triples) == sorted(_statements(folder / "expected.nq"))
    assert sorted(problems) == sorted(_lines(folder / "expected.problems.txt"))


def _statements(path: Path) -> list[str]:
    return [line.removesuffix(" <run://1> .") for line in _lines(path)]


def _lines(path: Path) -> list[str]:
    """The lines of a file that is not there are none; blank lines and explanations do not count."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [line for line in lines if line and not line.startswith("#")]
