"""Which addresses belong to a site, what they are, and which of them are traps."""

from __future__ import annotations

import gzip

import pytest

from rdfcrawl.engine.document.tree import parse
from rdfcrawl.engine.extract.kinds.site_page import page_language
from rdfcrawl.engine.site.media import file_type, is_html, looks_like_html
from rdfcrawl.engine.site.robots import header_says_nofollow, page_says_nofollow
from rdfcrawl.engine.site.scope import belongs_to, registrable_domain
from rdfcrawl.engine.site.sitemaps import guesses, may_be_sitemap, named_addresses
from rdfcrawl.engine.site.traps import TrapKind, family_of, trap_of

SITE = "https://site.example"
NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9"


@pytest.mark.parametrize(
    ("scope", "address", "belongs"),
    [
        ("host", "http://www.uni-freiburg.de/x", True),
        ("host", "https://informatik.uni-freiburg.de/", False),
        ("host", "https://www.uni-freiburg.de:8443/", False),
        ("domain", "https://www.informatik.uni-freiburg.de/people", True),
        ("domain", "http://uni-freiburg.de", True),
        ("domain", "https://uni-heidelberg.de/", False),
        ("domain", "https://nouni-freiburg.de/", False),
        ("path", "https://www.uni-freiburg.de/de/a/b", True),
        ("path", "http://www.uni-freiburg.de/de", True),
        ("path", "https://www.uni-freiburg.de/den/x", False),
        ("path", "https://www.uni-freiburg.de/", False),
        ("web", "https://anything.example/", True),
    ],
)
def test_scopes(scope: str, address: str, belongs: bool) -> None:
    """By host, by registrable domain, by folder, or everything."""
    assert belongs_to("https://www.uni-freiburg.de/de/start.html", f"scope://{scope}")(address) is belongs


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("www.informatik.uni-freiburg.de", "uni-freiburg.de"),
        ("a.co.uk", "a.co.uk"),
        ("www.b.co.uk", "b.co.uk"),
        ("www.osaka-sandai.ac.jp", "osaka-sandai.ac.jp"),
        ("localhost", "localhost"),
        ("co.uk", "co.uk"),
    ],
)
def test_registrable_domains_are_those_of_the_public_suffix_list(host: str, domain: str) -> None:
    """A host without any is its own domain."""
    assert registrable_domain(host) == domain


def test_an_ip_address_is_its_own_domain() -> None:
    """Its numbers are no labels."""
    belongs = belongs_to("http://127.0.0.1:8000/", "scope://domain")
    assert belongs("http://127.0.0.1:9000/x")
    assert not belongs("http://127.0.0.2:8000/")


def test_what_is_skipped_does_not_belong() -> None:
    """Any of the expressions is enough; one that takes too long skips nothing."""
    belongs = belongs_to(f"{SITE}/", "scope://domain", ("/print/", r"\.pdf$", "(a+)+$"))
    assert belongs(f"{SITE}/page")
    assert not belongs(f"{SITE}/print/page")
    assert not belongs(f"{SITE}/file.pdf")
    assert belongs(f"{SITE}/{'a' * 40}!")


@pytest.mark.parametrize(
    ("address", "content_type", "disposition", "found"),
    [
        ("/x", "application/pdf; charset=binary", None, "pdf"),
        ("/x", "application/msword", None, "doc"),
        ("/x", "application/vnd.openxmlformats-officedocument.presentationml.presentation", None, "pptx"),
        ("/x.php", "image/png", None, "png"),
        ("/download", "application/octet-stream", 'attachment; filename="Report 1.docx"', "docx"),
        ("/file.PPT?x=1", "application/octet-stream", None, "ppt"),
        ("/v1.2/download", "application/octet-stream", None, None),
        ("/x", "application/x-unheard-of", None, "unheard-of"),
        ("/a.zip", None, None, "zip"),
        ("/x", None, None, None),
    ],
)
def test_the_type_of_a_file(address: str, content_type: str | None, disposition: str | None, found: str | None) -> None:
    """By its media type, else by its name, else by the end of its address; dots elsewhere mean nothing."""
    assert file_type(SITE + address, content_type, disposition) == found


def test_what_is_html() -> None:
    """By what the answer says, and by its first character where it says nothing."""
    assert is_html("Text/HTML; charset=utf-8")
    assert is_html("application/xhtml+xml")
    assert not is_html("text/plain")
    assert not is_html(None)
    assert looks_like_html(b"\xef\xbb\xbf \n<!doctype html>")
    assert not looks_like_html(b"%PDF-1.7")


@pytest.mark.parametrize(
    ("path", "trap"),
    [
        ("/a/b/a/b/a/b/", TrapKind.REPEATED_PATH),
        ("/a/a/a", TrapKind.REPEATED_PATH),
        ("/a/b/a/b/c", None),
        ("/1/11/111", None),
        ("/" + "/".join(map(str, range(50))), TrapKind.REPEATED_PATH),
        ("/" + "x" * 2000, TrapKind.LONG_ADDRESS),
        ("/page?q=/a/a/a", None),
    ],
)
def test_traps_that_an_address_shows_itself(path: str, trap: TrapKind | None) -> None:
    """Paths that repeat themselves, and addresses without end."""
    assert trap_of(SITE + path) is trap


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/cal/2026/11", "/cal/2027/1"),
        ("/cal/2026/11/3", "/cal/2031/12/31"),
        ("/cal?month=11&year=2026", "/cal?year=2199&month=1"),
        ("/cal?date=2026-11-17", "/cal?date=2026-11-18"),
        ("/cal/2026-11", "/cal/2040-01"),
        ("/cal/20261117", "/cal/20261118"),
    ],
)
def test_addresses_that_differ_in_a_date_are_a_family(one: str, other: str) -> None:
    """That is what calendars are made of."""
    family = family_of(SITE + one)
    assert family == family_of(SITE + other)
    assert str(family).startswith("calendar ")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("/a;jsessionid=1A2B", "/a;jsessionid=3C4D"),
        ("/(S(abc123))/a", "/(S(def456))/a"),
        ("/a?PHPSESSID=1", "/a?PHPSESSID=2"),
        ("/s/0123456789abcdef0123/a", "/s/f123456789abcdef0123/a"),
        ("/sid-8f3a2b1c/a", "/sid-9e8d7c6b/a"),
    ],
)
def test_addresses_that_differ_in_a_session_are_a_family(one: str, other: str) -> None:
    """Under whatever name it is in the address."""
    family = family_of(SITE + one)
    assert family == family_of(SITE + other)
    assert str(family).startswith("session ")


def test_addresses_that_differ_in_the_order_of_their_query_are_a_family() -> None:
    """Values of one name keep their order, which may matter."""
    family = family_of(f"{SITE}/x?a=1&b=2&c=3")
    assert family == family_of(f"{SITE}/x?c=3&a=1&b=2") == f"query-order {SITE}/x?a=1&b=2&c=3"
    assert family_of(f"{SITE}/x?a=1&a=2") != family_of(f"{SITE}/x?a=2&a=1")


@pytest.mark.parametrize("path", ["/", "/page", "/page/17", "/article-2026", "/isbn/9783446255555", "/x?page=3"])
def test_most_addresses_belong_to_no_family(path: str) -> None:
    """A number is no date, and one parameter has no order."""
    assert family_of(SITE + path) is None


@pytest.mark.parametrize(
    ("head", "nofollow"),
    [
        ("<meta name=robots content='noindex, NOFOLLOW'>", True),
        ("<meta name=Robots content=none>", True),
        ("<meta name=rdfcrawl content=nofollow>", True),
        ("<meta name=googlebot content=nofollow>", False),
        ("<meta name=robots content=noindex>", False),
        ("", False),
    ],
)
def test_what_a_page_says_about_its_links(head: str, nofollow: bool) -> None:
    """To everybody, or to this crawler."""
    root = parse(f"<html><head>{head}</head></html>".encode(), SITE, "text/html").root
    assert page_says_nofollow(root) is nofollow


@pytest.mark.parametrize(
    ("header", "nofollow"),
    [
        ("nofollow", True),
        ("noindex, nofollow", True),
        ("googlebot: nofollow", False),
        ("googlebot: noindex, rdfcrawl: none", True),
        ("googlebot: noindex, nofollow", False),
        ("noindex", False),
        ("unavailable_after: 25 Jun 2030 15:00:00 PST, nofollow", True),
    ],
)
def test_what_a_header_says_about_the_links_of_a_page(header: str, nofollow: bool) -> None:
    """A name before a colon limits what follows to that crawler."""
    assert header_says_nofollow(header) is nofollow


@pytest.mark.parametrize(
    ("attributes", "content_type", "language"),
    [
        ("lang='de'", "text/html", "de"),
        ("xml:lang='de'", "text/html", "de"),
        ("xmlns='http://www.w3.org/1999/xhtml' xml:lang='de'", "application/xhtml+xml", "de"),
        ("lang='' xml:lang=' fr '", "text/html", "fr"),
        ("", "text/html", ""),
    ],
)
def test_the_language_that_a_page_states(attributes: str, content_type: str, language: str) -> None:
    """In the attribute of HTML or in that of XML."""
    page = parse(f"<html {attributes}><body></body></html>".encode(), "http://site.example/", content_type)
    assert page_language(page.root) == language


def test_where_sitemaps_are_looked_for() -> None:
    """At the root of the host, wherever the survey begins."""
    assert guesses(f"{SITE}/a/b?c") == (f"{SITE}/robots.txt", f"{SITE}/sitemap.xml")
    assert may_be_sitemap("application/xml")
    assert may_be_sitemap("application/x-gzip")
    assert not may_be_sitemap("text/html")


URLSET = f'<urlset xmlns="{NAMESPACE}"><url><loc> {SITE}/a </loc></url><url><loc>/b</loc></url></urlset>'.encode()


@pytest.mark.parametrize(
    ("name", "body", "sitemaps", "pages"),
    [
        ("robots.txt", b"User-agent: *\nSITEMAP: /one.xml # first\nSitemap:https://o.example/2.xml", 2, 0),
        ("sitemap.xml", URLSET, 0, 2),
        ("sitemap.xml.gz", gzip.compress(URLSET), 0, 2),
        (
            "index.xml",
            f'<sitemapindex xmlns="{NAMESPACE}"><sitemap><loc>/s</loc></sitemap></sitemapindex>'.encode(),
            1,
            0,
        ),
        ("list.txt", f"{SITE}/a\n{SITE}/b\nnothing\n".encode(), 0, 2),
        ("feed.xml", b"<rss><channel><link>https://site.example/a</link></channel></rss>", 0, 0),
        ("broken.xml.gz", b"\x1f\x8bbroken", 0, 0),
        ("broken.xml", b"<", 0, 0),
    ],
)
def test_what_a_site_names_itself(name: str, body: bytes, sitemaps: int, pages: int) -> None:
    """In robots.txt, in sitemaps and in indexes of sitemaps, compressed or not."""
    found = named_addresses(f"{SITE}/{name}", body)
    assert (len(found[0]), len(found[1])) == (sitemaps, pages)
    assert all(address.startswith("https://") for address in (*found[0], *found[1]))
