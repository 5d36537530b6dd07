"""The two tests of CARACAS on a site of our own: which calls for papers are found, and what else is taken for one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from rdfcrawl.convert.caracas import convert_caracas
from rdfcrawl.convert.caracas_files import read_configuration
from rdfcrawl.engine.extract.plan import PagePlan, build_plan
from rdfcrawl.engine.fetch.session import Fetched
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.site.media import is_html
from rdfcrawl.engine.workers.surveying import read_survey, read_survey_file
from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.metamodel.model import Model
from tests.call_site import CallPage, pages
from tests.crawling import crawl

ROOT = Path(__file__).parents[3]
CARACAS = ROOT / "tests" / "convert" / "caracas"
SITE = "https://www.example.org"
MOST_FALSE = 5 / 259
"""The share of finds that were none in the first test of CARACAS: 1.93 %."""
_LIMITS = RunLimits()


def caracas() -> Model:
    configuration = read_configuration((CARACAS / "Konfiguration.txt").read_text(), "Konfiguration.txt")
    criteria = (CARACAS / "TestCrit01.txt").read_text()
    return model_of_text(
        convert_caracas(configuration, dict.fromkeys(configuration.criteria, criteria)).turtle, "c.ttl"
    )


def calls_for_papers() -> Model:
    return model_of_text((ROOT / "models" / "cfp.ttl").read_text(), "cfp.ttl")


def is_find(plan: PagePlan, page: CallPage) -> bool:
    """Whether a page is a find, judged as a worker does it."""
    fetched = Fetched(SITE + page.path, 200, {"content-type": page.content_type}, page.body)
    if is_html(page.content_type):
        read = read_survey(plan, [fetched], _LIMITS, f"{SITE}/", None)
    else:
        read = read_survey_file(plan, fetched, None, len(page.body), None)
    assert not read.problems
    return any("site/find>" in triple for triple in read.triples)


def found_by(model: Model) -> list[CallPage]:
    plan = build_plan(model).pages["page://site"]
    return [page for page in pages() if is_find(plan, page)]


def test_the_site_is_what_it_should_be() -> None:
    """As many pages of each kind as the measurements speak of, no two of them alike."""
    site = pages()
    kinds = Counter(page.kind for page in site)
    assert (kinds.pop("call"), kinds.pop("list"), kinds.pop("start")) == (66, 10, 1)
    assert kinds.total() == 300
    assert len({page.body for page in site}) == len({page.path for page in site}) == len(site)


def test_the_criteria_of_caracas_miss_no_call_and_take_few_pages_for_one() -> None:
    """No more of what they find is none than in its own test; what is, is a list of calls."""
    found = found_by(caracas())
    wrong = [page for page in found if not page.is_call]
    assert sum(page.is_call for page in found) == 66
    assert len(wrong) / len(found) <= MOST_FALSE
    assert {page.kind for page in wrong} == {"list"}


def test_the_shipped_model_finds_all_calls_and_nothing_else() -> None:
    """Neither lists of calls nor anything else is a find."""
    found = found_by(calls_for_papers())
    assert [page.path for page in found if not page.is_call] == []
    assert sum(page.is_call for page in found) == 66


async def test_calls_are_found_by_a_crawl_and_read_as_objects(tmp_path: Path) -> None:
    """From the start over lists to calls, in pages, text files and PDF; each page is an object with its values."""
    host = tmp_path / "site" / "www.example.org"
    kept = [page for page in pages() if page.kind in ("start", "list", "call") or page.path.endswith("/1")]
    for page in kept:
        path = host / (page.path.removeprefix("/") or "index.html")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(page.body)
    found = await crawl(calls_for_papers(), tmp_path / "store", tmp_path / "site")
    finds = {line.split(" ")[0][1:-1] for line in found.triples if "site/find>" in line}
    lists = [page.body.decode() for page in kept if page.kind == "list"]
    linked = {page.path for page in kept if page.is_call and any(f'"{page.path}"' in body for body in lists)}
    assert finds == {SITE + path for path in linked}
    assert len(finds) >= 50
    titles = {line.split(" ")[0][1:-1] for line in found.triples if "<property://call/title>" in line}
    assert titles == {find for find in finds if not find.endswith((".txt", ".pdf"))}
    assert sum("<property://call/deadline>" in line for line in found.triples) > 20
