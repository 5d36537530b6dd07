"""Focused crawls: pages get scores, finds are read as objects, leads decide what is read and when."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from rdfcrawl.metamodel.load import model_of_text
from rdfcrawl.metamodel.model import Model
from rdfcrawl.store.files.lines import read_lines
from tests.office_files import docx, odt, pdf, pptx
from tests.survey_site import LIMITS, SurveyRun, SurveySite, short, survey, survey_site, without_network

_PREFIXES = """
@prefix : <predicate://> . @prefix type: <type://> . @prefix scope: <scope://> . @prefix part: <part://> .
@prefix page: <page://> . @prefix item: <item://> . @prefix call: <property://call/> . @prefix is: <criterion://> .
is:call :contains "call for papers" ; :weight 2 .
is:near :near ( "deadline" "papers" ) ; :weight 0.5 .
page:call :type type:object ; :item item:call ; :sub page:topics .
item:call :path "//main" ; :property call:title .
call:title :path ".//h1" .
page:topics :type type:objects ; :item item:topic .
item:topic :path ".//dd" ; :property call:topic .
call:topic :path "." .
"""
CALLS = ":criterion is:call , is:near ; :threshold 2 ; :target page:call"


@pytest_asyncio.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SurveySite]:
    """A site without pages."""
    without_network(monkeypatch)
    async with survey_site() as running:
        yield running


def model(site: SurveySite, said: str) -> Model:
    """A model of the site that says this about its page."""
    start = site.address("/")
    section = f"<model:> :section <{start}> . <{start}> :page page:site ."
    return model_of_text(f"{_PREFIXES}{section} page:site :type type:site ; :scope scope:web ; {said} .", "model.ttl")


def put(site: SurveySite, path: str, text: str = "", links: dict[str, str] | None = None) -> None:
    """A page with a text, and links by their texts."""
    anchors = "".join(f'<li><a href="{target}">{anchor}</a></li>' for target, anchor in (links or {}).items())
    site.put(path, f"<title>{path}</title><main><h1>{path}</h1><p>{text}</p><ul>{anchors}</ul></main>")


async def crawl(site: SurveySite, folder: Path, said: str, **options: object) -> SurveyRun:
    """The site, surveyed with what a model says about it."""
    return await survey(site, folder, model(site, said), **{"limits": LIMITS, **options})


def asked(site: SurveySite) -> list[str]:
    """The paths that were asked for, in that order."""
    return [path.removeprefix("127.0.0.1") for path in site.asked if not path.endswith("robots.txt")]


def values(run: SurveyRun, site: SurveySite, predicate: str) -> set[tuple[str, str]]:
    """Who has which value of a predicate."""
    lines = [line.decode().split(" ", 2) for line in read_lines(run.store.runs.graph(run.report.record.id))]
    ending = f" <{run.report.record.iri}> ."
    return {(short(who, site), short(what.removesuffix(ending), site)) for who, how, what in lines if predicate in how}


async def test_pages_get_a_score_and_finds_are_read_as_objects(site: SurveySite, tmp_path: Path) -> None:
    """Every page has a score; only a find says which criteria it meets, and is an object of the target's class."""
    put(site, "/", "nothing", {"/cfp": "one", "/near": "two"})
    put(site, "/cfp", "Call for papers. The deadline of papers is near.<dl><dd>RDF</dd></dl>")
    put(site, "/near", "deadline of papers")
    run = await crawl(site, tmp_path, CALLS)
    assert values(run, site, "site/score") == {("/", "0"), ("/cfp", "2.5"), ("/near", "0.5")}
    assert values(run, site, "site/find") == {("/cfp", "true")}
    assert values(run, site, "site/meets") == {("/cfp", "criterion://call"), ("/cfp", "criterion://near")}
    assert values(run, site, "item://call") == {("/", "/cfp")}
    assert values(run, site, "call/title") == {("/cfp", "/cfp")}
    assert {what for _, what in values(run, site, "call/topic")} == {"RDF"}
    assert run.problems == {}


async def test_a_duplicate_of_a_find_is_none(site: SurveySite, tmp_path: Path) -> None:
    """Everything is said of the address that counts, and nothing of the object of the other one is left."""
    put(site, "/", "nothing", {"/cfp": "one", "/same": "two"})
    put(site, "/cfp", "Call for papers<dl><dd>RDF</dd></dl>")
    site.pages[1, "/same"] = site.pages[1, "/cfp"]
    run = await crawl(site, tmp_path, CALLS)
    assert run.facts["/same"]["kind"] == "duplicate"
    for predicate in ("site/score", "site/find", "site/meets", "call/title", "item://topic"):
        assert "/same" not in {who for who, _ in values(run, site, predicate)}, predicate
    assert not any("/same#" in who for who, _ in values(run, site, ""))
    assert values(run, site, "item://call") == {("/", "/cfp")}


async def test_the_heaviest_leads_of_a_level_are_read_first_and_light_ones_not_at_all(
    site: SurveySite, tmp_path: Path
) -> None:
    """By weight, then by address; what is not followed is known, and says why."""
    put(site, "/", "", {"/a": "news", "/b": "Impressum", "/c": "CFP of a workshop", "/d": "news", "/e/cfp": "more"})
    for path in ("/a", "/c", "/d", "/e/cfp"):
        put(site, path)
    run = await crawl(
        site,
        tmp_path,
        """:lead [ :contains "cfp" ; :weight 3 ] , [ :contains "cfp" ; :in part:address ; :weight 2 ] ,
           [ :contains "impressum" ; :weight -1 ] ; :leadThreshold 0""",
    )
    assert asked(site) == ["/", "/c", "/e/cfp", "/a", "/d"]
    assert run.facts["/b"] == {"kind": "unread", "depth": "1", "reason": "lead"}


async def test_a_lead_is_weighed_by_the_text_around_it_and_by_the_page_it_stands_on(
    site: SurveySite, tmp_path: Path
) -> None:
    """Its row, its list entry or its line; a menu beside it is not around it."""
    site.put(
        "/",
        """<title>start</title><table><tr><td><a href="/row">SEAA</a></td><td>call for papers</td></tr></table>
           <ul><li><a href="/entry">ICSE</a><p>a call</p></li><li><a href="/menu">imprint</a></li></ul>
           <p>The <a href="/line">ESEM</a> has a call.<p><a href="/other">x</a> <b>nothing</b>""",
    )
    put(site, "/row", "call for papers", {"/from-find": "register"})
    for path in ("/entry", "/line"):
        put(site, path, path, {f"/from{path}": "register"})
    put(site, "/from-find")
    run = await crawl(
        site,
        tmp_path,
        """:criterion is:call ; :threshold 2 ; :leadThreshold 1 ;
           :lead [ :contains "call" ; :in part:context ] , [ :scored 2 ]""",
    )
    read = {path for path, kind in run.kinds.items() if kind == "html"}
    assert read == {"/", "/row", "/entry", "/line", "/from-find"}


async def test_of_several_links_to_a_page_the_heaviest_counts(site: SurveySite, tmp_path: Path) -> None:
    """On one page, and from several."""
    put(site, "/", "", {"/a": "one", "/b": "two"})
    put(site, "/a", "a", {"/x": "light"})
    put(site, "/b", "b", {"/x": "heavy", "/y": "light"})
    put(site, "/x")
    run = await crawl(site, tmp_path, ':lead [ :any ( "heavy" "one" "two" ) ] ; :leadThreshold 1')
    assert (run.kinds["/x"], run.kinds["/y"]) == ("html", "unread")


async def test_sitemaps_name_leads_without_text(site: SurveySite, tmp_path: Path) -> None:
    """Only their address can be weighed."""
    put(site, "/")
    named = "".join(f"<url><loc>{site.address(path)}</loc></url>" for path in ("/cfp", "/staff"))
    site.put("/sitemap.xml", f"<urlset>{named}</urlset>", content_type="application/xml")
    put(site, "/cfp")
    run = await crawl(site, tmp_path, ':sitemap true ; :lead [ :contains "cfp" ; :in part:address ] ; :leadThreshold 1')
    assert (run.kinds["/cfp"], run.kinds["/staff"]) == ("html", "unread")


async def test_the_texts_of_the_links_to_a_page_are_a_part_of_it(site: SurveySite, tmp_path: Path) -> None:
    """Those of the level before, whoever has them, also over a redirect; links of later levels do not count."""
    put(site, "/", "", {"/a": "one", "/b": "two", "/moved": "a moved call"})
    put(site, "/a", "a", {"/x": "a", "/y": "z"})
    put(site, "/b", "b", {"/x": "call", "/y": "z"})
    site.put("/moved", status=301, headers={"Location": "/target"})
    for path in ("/target", "/y"):
        put(site, path, path)
    put(site, "/x", "x", {"/y": "call"})
    run = await crawl(site, tmp_path, ':criterion [ :contains "call" ; :in part:anchors ] ; :threshold 1')
    assert {who for who, _ in values(run, site, "site/find")} == {"/x", "/target"}


async def test_a_page_that_has_not_changed_gets_the_score_of_the_links_of_today(
    site: SurveySite, tmp_path: Path
) -> None:
    """It is asked anew where other texts lead to it, and only there."""
    said = ':criterion [ :contains "call" ; :in part:anchors ] ; :threshold 1'
    put(site, "/", "", {"/x": "nothing", "/y": "call"})
    put(site, "/x", "x")
    put(site, "/y", "y")
    first = await crawl(site, tmp_path, said)
    assert {who for who, _ in values(first, site, "site/find")} == {"/y"}
    put(site, "/", "", {"/x": "call", "/y": "call"})
    second = await crawl(site, tmp_path, said)
    assert {who for who, _ in values(second, site, "site/find")} == {"/x", "/y"}
    assert {path for path in site.conditional if site.conditional[path]} == {"127.0.0.1/y"}


async def test_a_hostile_expression_is_a_problem_of_its_page(site: SurveySite, tmp_path: Path) -> None:
    """The page has a score without it, and the run goes on."""
    put(site, "/", "a" * 60 + "b call for papers", {"/next": "next"})
    put(site, "/next", "call for papers")
    run = await crawl(site, tmp_path, ':criterion is:call , [ :matches "^(a|aa)+$" ] ; :threshold 2')
    assert {who for who, _ in values(run, site, "site/find")} == {"/", "/next"}
    assert run.problems == {"limit": 1}


async def test_documents_are_searched_like_pages(site: SurveySite, tmp_path: Path) -> None:
    """By their text, within their type; what is broken or encrypted is a problem and has no text."""
    office = "application/vnd.openxmlformats-officedocument"
    files: dict[str, tuple[bytes, str]] = {
        "/a.pdf": (pdf("Call for papers"), "application/pdf"),
        "/b.docx": (docx("Call for papers"), f"{office}.wordprocessingml.document"),
        "/c.odt": (odt("Call for papers"), "application/vnd.oasis.opendocument.text"),
        "/d.pptx": (pptx("Call for papers"), f"{office}.presentationml.presentation"),
        "/e.txt": (b"Call for\npapers", "text/plain"),
        "/f.pdf": (pdf("Call for papers"), "application/octet-stream"),
        "/g.pdf": (pdf("Call for papers", password="x"), "application/pdf"),
        "/h.docx": (b"PK broken", f"{office}.wordprocessingml.document"),
        "/i.png": (b"Call for papers", "image/png"),
    }
    put(site, "/", "", {path: path for path in files})
    for path, (body, kind) in files.items():
        site.put(path, body, content_type=kind)
    run = await crawl(site, tmp_path, ':criterion is:call , [ :fileType "pdf" ; :weight 0.5 ] ; :threshold 2')
    assert values(run, site, "site/score") == {
        ("/", "0"),
        *((path, "2.5") for path in ("/a.pdf", "/f.pdf")),
        *((path, "2") for path in ("/b.docx", "/c.odt", "/d.pptx", "/e.txt")),
        ("/g.pdf", "0.5"),
        ("/h.docx", "0"),
        ("/i.png", "0"),
    }
    assert run.problems == {"unreadable": 2}
    assert (run.facts["/a.pdf"]["kind"], run.facts["/a.pdf"]["fileType"]) == ("binary", "pdf")
    assert run.facts["/a.pdf"]["bytes"] == str(len(files["/a.pdf"][0]))
    again = await crawl(site, tmp_path, ':criterion is:call , [ :fileType "pdf" ; :weight 0.5 ] ; :threshold 2')
    assert again.facts == run.facts
    assert site.conditional["127.0.0.1/a.pdf"] == 1


async def test_a_document_that_is_too_large_is_judged_by_what_is_known_of_it(site: SurveySite, tmp_path: Path) -> None:
    """Its body is left where it is, and the run says so."""
    put(site, "/", "", {"/cfp.txt": "large"})
    site.put("/cfp.txt", b"call for papers " * 1_000, content_type="text/plain")
    run = await crawl(site, tmp_path, ':criterion is:call , [ :contains "cfp" ; :in part:address ] ; :threshold 1')
    assert {who for who, _ in values(run, site, "site/find")} == {"/cfp.txt"}
    assert run.facts["/cfp.txt"]["score"] == "1"
    assert run.problems == {"limit": 1}


async def test_no_body_is_fetched_that_no_criterion_asks_for(site: SurveySite, tmp_path: Path) -> None:
    """Types and addresses are known without it: the broken one is not even looked at."""
    put(site, "/", "", {"/cfp.pdf": "broken"})
    site.put("/cfp.pdf", b"broken", content_type="application/pdf")
    run = await crawl(
        site, tmp_path, ':criterion [ :fileType "pdf" ] , [ :contains "cfp" ; :in part:address ] ; :threshold 2'
    )
    assert {who for who, _ in values(run, site, "site/find")} == {"/cfp.pdf"}
    assert run.problems == {}
