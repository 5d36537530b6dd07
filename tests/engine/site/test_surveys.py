"""Surveys of a real site on several hosts: every kind of address, every form of link, every trap, once each."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from rdfcrawl.engine.choice import Engine
from rdfcrawl.engine.site.facts import content_digest
from rdfcrawl.engine.site.traps import TrapKind
from tests.survey_site import LIMITS, UNRESOLVED, SurveySite, short, survey, survey_site, without_network


@pytest_asyncio.fixture
async def site(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[SurveySite]:
    """A site without pages."""
    without_network(monkeypatch)
    async with survey_site() as running:
        yield running


def html(site: SurveySite, path: str, depth: int, links: int, images: int = 0, host: int = 1) -> dict[str, str]:
    """The facts of a page that ``SurveySite.page`` made."""
    body = site.pages[host, path].content
    return {
        "kind": "html",
        "depth": str(depth),
        "status": "200",
        "mediaType": "text/html",
        "bytes": str(len(body)),
        "digest": content_digest(body),
        "title": path,
        "language": "en",
        "linkCount": str(links),
        "imageCount": str(images),
    }


async def test_every_kind_of_address_with_all_its_facts(site: SurveySite, tmp_path: Path) -> None:
    """The whole graph, and nothing besides."""
    other = site.address("/other", host=2)
    links = ["/a", "/b", "/pdf", "/office", "/moved", "/secret", "/gone", "/down", "/slow", "/huge", "/untold", other]
    site.page("/", [*links, f"http://{UNRESOLVED}:{site.port}/"])
    site.page("/a", ["/deeper"])
    site.pages[1, "/b"] = site.pages[1, "/a"]
    site.page("/deeper", ["/"])
    site.put("/pdf", b"%PDF-1.7" * 100, content_type="application/pdf")
    site.put("/office", b"x", content_type="application/msword", headers={"X-Robots-Tag": "nofollow"})
    site.put("/moved", status=301, headers={"Location": "/target#part"})
    site.page("/target", ["/a"])
    site.put("/robots.txt", "User-agent: *\nDisallow: /secret", content_type="text/plain")
    site.put("/down", status=500)
    site.put("/slow", never=True)
    site.put("/huge", "<p>" + "x" * 6_000)
    site.put("/untold", b"\x00\x01", content_type="")
    site.page("/other", ["/", "/other-only"], host=2)
    site.page("/other-only", host=2)
    found = await survey(site, tmp_path / "store", limits=LIMITS)
    binary = {"kind": "binary", "depth": "1", "status": "200"}
    same = {name: value for name, value in html(site, "/a", 1, 1).items() if not name.endswith("Count")}
    assert found.facts == {
        "/": html(site, "/", 0, 13),
        "/a": html(site, "/a", 1, 1),
        "/b": {**same, "kind": "duplicate", "duplicateOf": "/a"},
        "/deeper": html(site, "/deeper", 2, 1),
        "/pdf": {**binary, "mediaType": "application/pdf", "fileType": "pdf", "bytes": "800"},
        "/office": {**binary, "mediaType": "application/msword", "fileType": "doc", "bytes": "1"},
        "/moved": {"kind": "redirect", "depth": "1", "status": "301", "redirectsTo": "/target"},
        "/target": html(site, "/target", 1, 1),
        "/secret": {"kind": "disallowed", "depth": "1"},
        "/gone": {"kind": "error", "depth": "1", "status": "404"},
        "/down": {"kind": "error", "depth": "1", "status": "500"},
        "/slow": {"kind": "timeout", "depth": "1"},
        "/huge": {**binary, "mediaType": "text/html", "fileType": "html", "bytes": "6003"},
        "/untold": {**binary, "bytes": "2"},
        "http://127.0.0.2/other": html(site, "/other", 1, 2, host=2),
        "http://127.0.0.2/": {"kind": "error", "depth": "2", "status": "404"},
        "http://127.0.0.2/other-only": html(site, "/other-only", 2, 0, host=2),
        f"http://{UNRESOLVED}/": {"kind": "unresolved", "depth": "1"},
    }
    assert found.problems == {"gone": 2, "unreachable": 3}
    assert found.report.record.sections[0].reasons == {"unreachable": 3}
    assert found.report.survey.kinds == {"html": 6, "binary": 4, "error": 3} | dict.fromkeys(
        ("duplicate", "redirect", "disallowed", "timeout", "unresolved"), 1
    )
    assert found.report.survey.levels == {0: 1, 1: 14, 2: 3}
    assert [path for path in site.asked if path.endswith("/secret")] == []


async def test_the_links_are_a_graph_of_their_own(site: SurveySite, tmp_path: Path) -> None:
    """Links of all forms and images, with the texts of the links; those of a duplicate are left out."""
    site.put(
        "/",
        "<html><head><link rel=next href=/next><meta http-equiv=refresh content='9; url=/refreshed'></head><body>"
        "<a href=/a>The  first</a><a href='/a#x'>The first</a><a href=/a>Again</a><a href='//elsewhere.test/'>Out</a>"
        "<area href=/area><iframe src=/frame></iframe><p onclick=\"window.open('/clicked')\">Click</p>"
        "<a href='mailto:x@y.z'>m</a><a href=''>self</a><a href='#'>top</a>"
        "<img src=/i.png srcset='/i2.png 2x'><img data-src=/lazy.png></body></html>",
    )
    for path in ("/a", "/area"):
        site.put(path, "<a href=/only-there>x</a>")
    found = await survey(site, tmp_path / "store", site.model(":scope scope:host ; :depth 1"))
    texts = (
        r'"[[\"/a\",\"The first\"],[\"/a\",\"Again\"],'
        r'[\"http://elsewhere.test/\",\"Out\"],[\"/clicked\",\"Click\"]]"'
    )
    json = "^^<http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON>"
    lines = [line.replace(f"http://127.0.0.1:{site.port}", "") for line in found.links]
    assert lines == sorted(
        [
            *(f"</> <predicate://site/image> <{path}>" for path in ("/i.png", "/i2.png", "/lazy.png")),
            *(
                f"</> <predicate://site/link> <{path}>"
                for path in ("/a", "/area", "/clicked", "/frame", "/next", "/refreshed", "http://elsewhere.test/")
            ),
            f"</> <predicate://site/linkTexts> {texts}{json}",
            "</a> <predicate://site/link> </only-there>",
            rf'</a> <predicate://site/linkTexts> "[[\"/only-there\",\"x\"]]"{json}',
        ]
    )
    assert found.facts["/"] | {"linkCount": "7", "imageCount": "3"} == found.facts["/"]
    assert found.facts["/area"]["duplicateOf"] == "/a"
    assert found.facts["/only-there"] == {"kind": "unread", "depth": "2", "reason": "depth"}
    assert "http://elsewhere.test/" not in found.facts


async def test_depth_is_the_shortest_distance(site: SurveySite, tmp_path: Path) -> None:
    """Whatever is read first; redirects count nothing."""
    site.page("/", ["/long/1", "/short"])
    site.page("/long/1", ["/long/2"])
    site.page("/long/2", ["/target"])
    site.put("/short", status=302, headers={"Location": "/short2"})
    site.put("/short2", status=302, headers={"Location": "/target"})
    site.page("/target", ["/below"])
    site.page("/below")
    found = await survey(site, tmp_path / "store")
    depths = {address: int(facts["depth"]) for address, facts in found.facts.items()}
    assert depths == {"/": 0, "/long/1": 1, "/short": 1, "/short2": 1, "/target": 1, "/long/2": 2, "/below": 2}
    assert max(site.asked.values()) == 1


async def test_a_site_begins_where_its_start_redirects_to(site: SurveySite, tmp_path: Path) -> None:
    """Its scope is that of the address that it leads to."""
    site.put("/", status=301, headers={"Location": site.address("/de/", host=2)})
    site.page("/de/", ["page", "/en/", site.address("/back", host=1)], host=2)
    site.page("/de/page", host=2)
    found = await survey(site, tmp_path / "store", site.model(":scope scope:path"))
    assert found.kinds == {"/": "redirect", "http://127.0.0.2/de/": "html", "http://127.0.0.2/de/page": "html"}


async def test_a_start_without_slash_is_the_page_that_browsers_open(site: SurveySite, tmp_path: Path) -> None:
    """It is read once, under the name that links to it have."""
    site.page("/", ["/"])
    found = await survey(site, tmp_path / "store", site.model(starts=[""]))
    assert found.kinds == {"/": "html"}
    assert found.report.record.counts.pages == {"http": 1}


async def test_what_asks_not_to_be_followed(site: SurveySite, tmp_path: Path) -> None:
    """By a link, by a page, by a header; it is known all the same, and followed by those who own the site."""
    site.put("/", "<a rel=nofollow href=/a>a</a><a href=/meta>m</a><a href=/header>h</a>")
    site.put("/meta", "<meta name=robots content=nofollow><a href=/b>b</a>")
    site.put("/header", "<a href=/c>c</a>", headers={"X-Robots-Tag": "noindex, nofollow"})
    site.put("/robots.txt", "User-agent: *\nDisallow: /d", content_type="text/plain")
    for path in ("/a", "/b", "/c"):
        site.page(path, ["/d"])
    site.page("/d")
    found = await survey(site, tmp_path / "store")
    unread = {address: facts["reason"] for address, facts in found.facts.items() if facts["kind"] == "unread"}
    assert unread == {"/a": "nofollow", "/b": "nofollow", "/c": "nofollow"}
    assert found.problems == {}
    everything = await survey(site, tmp_path / "other", ignore_robots=True)
    assert set(everything.kinds.values()) == {"html"}
    assert len(everything.kinds) == 7


async def test_traps_have_a_bound_a_name_and_an_end(site: SurveySite, tmp_path: Path) -> None:
    """A calendar, sessions, a path that grows, a query in every order, and redirects without end."""
    orders = ["a=1&b=2&c=3", "a=1&c=3&b=2", "b=2&a=1&c=3"]
    site.page("/", ["/cal/2026/11", "/s;jsessionid=1", "/grow/", "/hop?1", *(f"/q?{order}" for order in orders)])
    for month in range(1, 13):
        site.page(f"/cal/2026/{month}", [f"/cal/2026/{month % 12 + 1}", f"/cal/2027/{month}"])
        site.page(f"/cal/2027/{month}", [f"/cal/2028/{month}"])
    for number in range(1, 9):
        site.page(f"/s;jsessionid={number}", [f"/s;jsessionid={number + 1}"])
        site.page("/" + "grow/" * number, ["grow/"])
    for number in range(1, 20):
        site.put(f"/hop?{number}", status=302, headers={"Location": f"/hop?{number + 1}"})
    for order in orders:
        site.page(f"/q?{order}", [f"/q?{other}" for other in orders])
    found = await survey(site, tmp_path / "store", limits=LIMITS)
    trapped = {
        facts["reason"].removeprefix("trap: "): address
        for address, facts in sorted(found.facts.items())
        if facts.get("reason", "").startswith("trap: ")
    }
    assert set(trapped) == {
        *(TrapKind.CALENDAR, TrapKind.SESSION, TrapKind.QUERY_ORDER, TrapKind.REPEATED_PATH, TrapKind.REDIRECTS)
    }
    assert [path for path in site.asked if "/cal/" in path] == [
        f"127.0.0.1/cal/{month}" for month in ("2026/11", "2026/12", "2027/11")
    ]
    assert sum("jsessionid" in path for path in site.asked) == 2
    assert sum("/grow/" in path for path in site.asked) == 2
    assert [path for path in site.asked if "/q?" in path] == [f"127.0.0.1/q?{orders[0]}"]
    assert sum("/hop" in path for path in site.asked) == 11
    assert found.problems == {"trap": 5}
    (group,) = found.report.problems
    reasons = {problem.reason for problem in group.examples}
    assert any(re.fullmatch(r"[a-z-]+: \d+ addresses of \S+ .* and were not read", reason) for reason in reasons)


async def test_a_limit_leaves_the_rest_in_the_frontier(site: SurveySite, tmp_path: Path) -> None:
    """What was met and not read is known, and its section is incomplete."""
    site.page("/", [f"/{number}" for number in range(10)])
    for number in range(10):
        site.page(f"/{number}", [f"/{number}/below"])
    found = await survey(site, tmp_path / "store", limits=replace(LIMITS, pages=4), concurrency=1)
    assert sorted(found.kinds.values()) == ["html"] * 4 + ["unread"] * 10
    reasons = {facts.get("reason") for facts in found.facts.values()}
    assert reasons == {None, "limit"}
    assert found.problems == {"limit": 1}
    assert not found.report.record.sections[0].complete


async def test_a_limit_takes_the_first_addresses_of_a_level_whichever_host_is_faster(
    site: SurveySite, tmp_path: Path
) -> None:
    """A host that takes one page at a time holds the others up, and loses nothing to them."""
    links = [site.address(f"/{name}", host=host) for host in (2, 1) for name in "edcba"]
    site.page("/", links)
    for host in (1, 2):
        for name in "abcde":
            site.page(f"/{name}", ["/below"], host=host)
    limits = replace(LIMITS, pages=6)
    found = await survey(site, tmp_path / "store", site.model(":scope scope:web"), limits=limits, concurrency=1)
    asked = [path for path in site.asked if not path.endswith("/robots.txt")]
    assert sorted(asked) == ["127.0.0.1/", *(f"127.0.0.1/{name}" for name in "abcde")]
    assert sorted(found.kinds.values()) == ["html"] * 6 + ["unread"] * 6


async def test_skip_follow_and_param(site: SurveySite, tmp_path: Path) -> None:
    """What is skipped does not belong to the site; what is not selected is known; parameters are removed."""
    site.put(
        "/",
        "<nav><a href=/print/a>p</a><a href='/a?ref=nav'>a</a></nav>"
        "<main><a href='/b?ref=main&x=1'>b</a><p><a href='/b?x=1&ref=other'>b</a></p></main>",
    )
    site.page("/b?ref=main&x=1", ["/c"], title="b")
    said = ':scope scope:host ; :skip "/print/" ; :follow "//main" ; :param "ref"'
    found = await survey(site, tmp_path / "store", site.model(said))
    assert found.kinds == {"/": "html", "/a": "unread", "/b?x=1": "html", "/c": "unread"}
    assert found.facts["/a"]["reason"] == "not selected"
    assert found.facts["/b?x=1"]["title"] == "b"


async def test_an_item_is_read_from_every_page(site: SurveySite, tmp_path: Path) -> None:
    """Where it is there; a duplicate says nothing of its own."""
    for path, links in (("/", "<a href=/a>a</a><a href=/b>b</a><a href=/none>n</a>"), ("/a", ""), ("/b", "")):
        site.put(path, f"<h1>Heading {links and 'start'}</h1>{links}")
    site.page("/none")
    said = (
        ":scope scope:host ; :item <item://h> . <item://h> :path '//h1' ; :property <p://text> . <p://text> :path '.'"
    )
    found = await survey(site, tmp_path / "store", site.model(said))
    assert {address: facts.get("p://text") for address, facts in found.facts.items()} == {
        "/": "Heading start",
        "/a": "Heading",
        "/b": None,
        "/none": None,
    }
    assert found.facts["/b"]["kind"] == "duplicate"
    assert found.report.record.counts.objects == {"item://h": 2, "predicate://site/page": 4}


async def test_sitemaps(site: SurveySite, tmp_path: Path) -> None:
    """What robots.txt names, an index in it, and what is only guessed; their pages are one link from the start."""
    site.page("/")
    site.put("/robots.txt", "Sitemap: /index.xml", content_type="text/plain")
    loc = "<sitemapindex><sitemap><loc>{}</loc></sitemap></sitemapindex>"
    site.put("/index.xml", loc.format(site.address("/pages.xml")), content_type="application/xml")
    site.put("/pages.xml", f"<urlset><url><loc>{site.address('/hidden')}</loc></url></urlset>", content_type="text/xml")
    site.page("/hidden")
    found = await survey(site, tmp_path / "store", site.model(":scope scope:host ; :sitemap true ; :depth 1"))
    assert {address: (facts["kind"], facts["depth"]) for address, facts in found.facts.items()} == {
        "/": ("html", "0"),
        "/robots.txt": ("binary", "0"),
        "/index.xml": ("binary", "0"),
        "/pages.xml": ("binary", "0"),
        "/hidden": ("html", "1"),
    }
    assert found.problems == {}
    without = await survey(site, tmp_path / "other", site.model(":scope scope:host"))
    assert set(without.facts) == {"/"}


async def test_unchanged_pages_keep_their_facts(site: SurveySite, tmp_path: Path) -> None:
    """The server says that nothing has changed, and the second run is like the first."""
    site.page("/", ["/a", "/b"])
    site.page("/a", ["/c"])
    site.page("/c")
    first = await survey(site, tmp_path / "store")
    second = await survey(site, tmp_path / "store")
    assert second.facts == first.facts
    assert second.links == first.links
    assert second.report.unchanged == 3
    assert sum(site.conditional.values()) == 3


async def test_a_survey_is_replayed_from_its_archive(site: SurveySite, tmp_path: Path) -> None:
    """Every fact again, without a request."""
    site.page("/", ["/a", "/pdf", "/moved", "/gone"])
    site.page("/a", ["/"])
    site.put("/pdf", b"%PDF", content_type="application/pdf")
    site.put("/moved", status=301, headers={"Location": "/a"})
    seen = await survey(site, tmp_path / "store", record=True)
    before = dict(site.asked)
    again = await survey(site, tmp_path / "store", replay=f"run:{seen.report.record.id}")
    assert again.facts == seen.facts
    assert again.links == seen.links
    assert site.asked == before


async def test_several_sites_in_one_model(site: SurveySite, tmp_path: Path) -> None:
    """Each in its own scope; sections do not share their pages."""
    site.page("/one/", ["a", "/two/b"])
    site.page("/two/", ["b", "/one/c"])
    for path in ("/one/a", "/two/b"):
        site.page(path)
    found = await survey(site, tmp_path / "store", site.model(":scope scope:path", starts=["/one/", "/two/"]))
    assert set(found.facts) == {"/one/", "/one/a", "/two/", "/two/b"}
    assert [section.objects for section in found.report.record.sections] == [2, 2]


async def test_a_site_is_the_target_of_a_link(site: SurveySite, tmp_path: Path) -> None:
    """Every link begins a survey of its own, which hangs from what the link hangs from."""
    other = site.address("/", host=2)
    site.put("/list", f"<h2><a href='/one/'>one</a></h2><h2><a href='{other}'>two</a></h2>")
    site.page("/one/", ["a", "/out"])
    site.page("/one/a")
    site.page("/", ["/x"], host=2)
    site.page("/x", host=2)
    said = ":scope scope:path . <page://list> :type type:links ; :path '//h2/a' ; :target <page://site>"
    found = await survey(site, tmp_path / "store", site.model(said, starts=["/list"], page="page://list"))
    assert found.kinds == dict.fromkeys(("/one/", "/one/a", "http://127.0.0.2/", "http://127.0.0.2/x"), "html")
    assert found.report.record.sections[0].objects == 4


async def test_a_page_that_redirects_to_itself_until_it_has_set_a_cookie(site: SurveySite, tmp_path: Path) -> None:
    """It is asked again, but not for ever."""
    site.put("/", status=302, headers={"Location": "/"})
    found = await survey(site, tmp_path / "store")
    assert found.facts == {"/": {"kind": "error", "depth": "0", "status": "302"}}
    assert found.problems == {"unreachable": 1}


async def test_two_runs_are_compared_by_their_facts(site: SurveySite, tmp_path: Path) -> None:
    """What is new, what is gone, what has changed; an outage is no deletion."""
    from rdfcrawl.versioning.compare import compare_with_previous, find_changes

    site.page("/", ["/a", "/b", "/c"])
    for path in ("/a", "/b", "/c"):
        site.page(path)
    await survey(site, tmp_path / "store")
    site.page("/", ["/a", "/d", "/c"])
    site.put("/c", status=404)
    site.page("/d", title="new")
    found = await survey(site, tmp_path / "store")
    runs = found.store.runs
    changes = find_changes(compare_with_previous(runs, found.report.record)).changes
    told = {(change.kind.value, short(change.triple.split(" ")[2], site)) for change in changes}
    assert {("added", "/d"), ("removed", "/b"), ("changed", "kind"), ("changed", "status")} <= told
    site.page("/", ["/a", "/c"])
    site.put("/a", status=503)
    failed = await survey(site, tmp_path / "store")
    changes = find_changes(compare_with_previous(runs, failed.report.record)).changes
    told = {(change.kind.value, short(change.triple.split(" ")[2], site)) for change in changes}
    assert ("unobserved", "/d") in told
    assert not any(kind == "removed" for kind, _ in told)


@pytest.mark.slow
async def test_what_scripts_link_to_counts_in_the_browser(
    site: SurveySite, tmp_path: Path, is_exhaustive: bool
) -> None:
    """The kinds are the same as over HTTP; a page that only scripts fill is read in the browser by itself."""
    script = "const a = document.createElement('a'); a.href = '/made'; a.textContent = 'x'; document.body.append(a)"
    site.put("/", f"<title>t</title><body><script>{script}</script></body>")
    site.put("/made", "<a href=/pdf>pdf</a><a href=/jump>jump</a>")
    site.put("/pdf", b"%PDF", content_type="application/pdf")
    site.put("/jump", "<script>location.replace('/landed')</script>")
    site.page("/landed")
    expected = {"/": "html", "/made": "html", "/pdf": "binary", "/jump": "redirect", "/landed": "html"}
    if is_exhaustive:
        rendered = await survey(site, tmp_path / "store", engine=Engine.BROWSER)
        assert rendered.kinds == expected
    chosen = await survey(site, tmp_path / "auto", engine=Engine.AUTO)
    assert chosen.kinds == expected
    plain = await survey(site, tmp_path / "plain", engine=Engine.HTTP)
    assert plain.kinds == {"/": "html"}
