"""The address that a browser would open, as an IRI that every store accepts."""

from __future__ import annotations

import pytest
from ada_url import URL
from hypothesis import given
from hypothesis import strategies as st
from pyoxigraph import NamedNode

from rdfcrawl.engine.address import BadAddress, host_of, origin_of, place_of, resolve, target_of

BASE = "http://example.org/list/page.html?page=2"


@pytest.mark.parametrize(
    ("reference", "address"),
    [
        ("detail.html", "http://example.org/list/detail.html"),
        ("  /detail.html\n", "http://example.org/detail.html"),
        ("../../../detail.html", "http://example.org/detail.html"),
        ("//other.example/x", "http://other.example/x"),
        ("https:other.example/x", "https://other.example/x"),
        ("http:///other.example/x", "http://other.example/x"),
        ("\\\\other.example\\x?a=\\b", "http://other.example/x?a=%5Cb"),
        ("?", "http://example.org/list/page.html"),
        ("a//b;", "http://example.org/list/a//b;"),
        ("%2e%2e/detail.html", "http://example.org/detail.html"),
        ("detail.html?#", "http://example.org/list/detail.html"),
        ("?name=o'neil", "http://example.org/list/page.html?name=o%27neil"),
        ("?page=3", "http://example.org/list/page.html?page=3"),
        ("#top", "http://example.org/list/page.html?page=2#top"),
        ("https://example.org", "https://example.org/"),
        ("HTTP://Example.ORG:80/A/./b/../c", "http://example.org/A/c"),
        ("http://example.org/a/..", "http://example.org/"),
        ("http://straße.example/", "http://xn--strae-oqa.example/"),
        ("http://[::1]:8080/x", "http://[::1]:8080/x"),
        ("http://[::ffff:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
        ("http://2130706433/", "http://127.0.0.1/"),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("http://127。0。0。1/", "http://127.0.0.1/"),
        ("http://@example.org/", "http://example.org/"),
        ("http://user:word@example.org/", "http://user:word@example.org/"),
        ("http://a@b:word@example.org/", "http://a%40b:word@example.org/"),
        ("Käse & Brot.html", "http://example.org/list/K%C3%A4se%20&%20Brot.html"),
        ("a%20b%", "http://example.org/list/a%20b%25"),
        ("?filter[a]=1|2", "http://example.org/list/page.html?filter%5Ba%5D=1%7C2"),
        ("#a#b", "http://example.org/list/page.html?page=2#a%23b"),
        ("a\ud800", "http://example.org/list/a%EF%BF%BD"),
        ("de\ntail.html", "http://example.org/list/detail.html"),
        ("?from=http://a/../b", "http://example.org/list/page.html?from=http://a/../b"),
        ("mailto:someone@example.org", "mailto:someone@example.org"),
        ("urn:isbn:9783161484100", "urn:isbn:9783161484100"),
    ],
)
def test_an_address_is_resolved_as_browsers_do(reference: str, address: str) -> None:
    """Relative, protocol-relative and untidy references give the one spelling that a browser would open."""
    assert resolve(reference, BASE) == address


@pytest.mark.parametrize(
    ("reference", "reason"),
    [
        ("", "no address"),
        (" \u00a0", "no address"),
        ("javascript:void(0)", "script"),
        (" Java\tScript:void(0)", "script"),
        ("\x01javascript:void(0)", "script"),
        ("Hinweis: siehe unten", "is text"),
        ("http://", "no host"),
        ("http://two words/", "is not a host"),
        ("http://[::1", "is not an address"),
        ("http://example.org:port/", "is not an address"),
        ("http://50%/", "is not a host"),
        ("http://256.0.0.1/", "is not a host"),
        ("http://{host}/", "is not a host"),
        ("page://@@0", "is not an address"),
        ("page://a:b", "is not an address"),
    ],
)
def test_what_leads_nowhere_is_refused_with_a_reason(reference: str, reason: str) -> None:
    """Scripts, texts and broken addresses raise, and the message says what is wrong."""
    with pytest.raises(BadAddress, match=reason):
        resolve(reference, BASE)


def test_a_relative_address_needs_a_base() -> None:
    """Nothing relative is ever taken for an IRI."""
    with pytest.raises(BadAddress, match="relative"):
        resolve("detail.html", "")


_PIECES = "http: HTTPS: // / \\ ? # % %2 .. . a ü [ ] : @ 80 :80 ::1 mailto: page: ß.de & ; ' \" < | \ud800 \ue000"
_references = st.text() | st.lists(st.sampled_from([*_PIECES.split(" "), " ", "\t"]), max_size=9).map("".join)


@given(_references)
def test_every_result_is_a_legal_iri_and_stays_the_same(reference: str) -> None:
    """Whatever stands on a page, the result is accepted by the store, and resolving it again changes nothing."""
    try:
        address = resolve(reference, BASE)
    except BadAddress:
        return
    assert NamedNode(address).value == address
    assert resolve(address, BASE) == address


@pytest.mark.parametrize("last", ["|", "'", "%", "%2e", "#", "?", "/.", "/..", "\\"])
@pytest.mark.parametrize("before", ["a", "%41", "a/", "a%41", "/", "?a", "&a="])
def test_addresses_of_any_length_are_spelled_at_once(before: str, last: str) -> None:
    """A page chooses its addresses: none of them may be tried in more ways than there is time for."""
    address = f"http://a.example/{before * 4000}{last}"
    assert resolve(address, BASE) == resolve(f" {address}", BASE)


_near_plain = st.builds(
    "{}{}{}".format,
    st.sampled_from(
        ("http://a.example", "https://a.example:8080", "http://A.example:80", "http://1.2", "http://u@a", "ftp://a")
    ),
    st.text(alphabet="/.%2eE~a'?&=(#\\;:@", max_size=12).map("/{}".format),
    st.sampled_from(("", "?", "?a=%2e", "?a='b'", "#x")),
)


@given(_near_plain)
def test_addresses_that_need_no_spelling_are_those_that_come_out_as_they_are(address: str) -> None:
    """What is taken as it is would have been spelled like that; a space in front prevents that it is taken so."""
    assert resolve(address, BASE) == resolve(f" {address}", BASE)


@given(_references)
def test_an_address_is_where_a_browser_would_look_for_it(reference: str) -> None:
    """What is checked before a request is the host that the request goes to, also where a reference has no base."""
    try:
        address = resolve(reference, BASE)
    except BadAddress:
        return
    for text in (address, reference):
        try:
            url = URL(text)
        except ValueError:
            continue
        found = place_of(text)
        if found.hostname or text == address:
            assert (found.hostname, found.host) == (url.hostname.strip("[]"), url.host)


@pytest.mark.parametrize(
    ("address", "host", "origin"),
    [
        ("http://Site.example/a", "site.example", "http://site.example"),
        ("http://user:secret@site.example:8080/a?b#c", "site.example:8080", "http://site.example:8080"),
        ("HTTPS://[::1]:8443?a=//other.example/", "[::1]:8443", "https://[::1]:8443"),
        ("http://site.example?a@b", "site.example", "http://site.example"),
        ("http://site.example:80/", "site.example", "http://site.example"),
        ("http://site.example\\@other.example/", "site.example", "http://site.example"),
        ("http://0x7f.1:8080/", "127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://two words/", "", ""),
        ("data:text/html,//other.example/", "", "data://"),
        ("about:blank", "", "about://"),
    ],
)
def test_places_are_named_in_one_way(address: str, host: str, origin: str) -> None:
    """Lower case, with the port, without a user; what only looks like a host further on is none."""
    assert (host_of(address), origin_of(address)) == (host, origin)


@pytest.mark.parametrize(
    ("address", "target"),
    [
        ("http://site.example", "/"),
        ("http://site.example?a=/b#c", "/?a=/b"),
        ("http://site.example/a//b?c?d#e?f", "/a//b?c?d"),
    ],
)
def test_the_target_of_a_request_is_path_and_query(address: str, target: str) -> None:
    """Without the fragment, which is not sent to a server."""
    assert target_of(address) == target
