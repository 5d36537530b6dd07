"""Bytes that nobody thought of: whatever comes, there is a result or an error that names what is wrong."""

from __future__ import annotations

import gzip
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from rdfcrawl.engine import strict
from rdfcrawl.engine.address import BadAddress, place_of, resolve
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.extract.packing import from_bytes, to_bytes
from rdfcrawl.engine.extract.plan import ModelPlan, build_plan
from rdfcrawl.engine.fetch.answers import readable_headers, retry_after
from rdfcrawl.engine.fetch.session import Fetched, FetchFailed
from rdfcrawl.engine.fetch.warc.source import WarcSource
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.strict import Nonsense
from rdfcrawl.engine.workers.reading import read_documents
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from rdfcrawl.rdf.characters import writable

MODEL = """
@prefix : <predicate://> . @prefix type: <type://> .
@prefix x: <x:> . @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
<model:> :section <http://h/> . <http://h/> :page x:list .
x:list :type type:objects ; :item x:thing ; :next "//a[@rel]" ; :total "//b" ; :link x:link .
x:link :path "//a" ; :target x:list ; :optional true .
x:thing :path "//*" ; :id ".//a" ; :property x:text , x:number , x:place .
x:text :path "." ; :optional true .
x:number :path ".//b" ; :optional true ; :type xsd:decimal ; :multiple true .
x:place :path ".//a" ; :optional true ; :attribute "href" ; :type xsd:anyURI .
"""
PIECES = some.sampled_from(
    [
        *(
            "<a href='http://a..b/'>",
            "<a rel=next href=//>",
            "<b>9e9</b>",
            "<main>",
            "</main>",
            "<table>",
            "<template>",
        ),
        *("<svg><a xlink:href='x'>", "<math>", "<!--", "-->", "<![CDATA[", "]]>", "<?xml version='1.0'?>", "&#xD800;"),
        *("&#55357;&#56832;", "&#0;", "\x00", "\ud800", "\ufffe", "<base href='data:x'>", "<x:y:z xmlns:x='}{'>"),
        *("xmlns='", '"', "'", "<script>", "<noscript><img>", "<plaintext>", "\f", "<html xmlns:a=''>", "&amp;", "é"),
    ]
)
MARKUP = some.lists(PIECES | some.text(max_size=5), max_size=30).map("".join)
TYPES = some.sampled_from(["text/html", "application/xml", "application/xhtml+xml", "text/plain", "image/svg+xml"])
CHARSETS = some.sampled_from(["", "; charset=utf-16", "; charset=utf-7", "; charset=\udcff", "; charset=cp037"])


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> ModelPlan:
    """A model that asks for everything that a page can have."""
    path = tmp_path_factory.mktemp("model") / "model.ttl"
    path.write_text(MODEL, encoding="utf-8")
    return build_plan(load_model(path))


@given(markup=MARKUP, kind=TYPES, charset=CHARSETS)
@example("<r><main>&#xD83D;</main></r>", "application/xml", "; charset=utf-16")
@example("<a:b:c xmlns:a='a}b{c'/>", "application/xml", "")
@example("", "application/xml", "; charset=\udcff")
@example("", "text/html", "; charset=\udcff")
def test_any_markup_is_read_or_refused(plan: ModelPlan, markup: str, kind: str, charset: str) -> None:
    """And what was read can be written, sent and read again."""
    body = markup.encode("utf-8", "surrogatepass")
    page = Fetched("http://h/", 200, {"content-type": kind + charset}, body)
    try:
        found = read_documents(plan.pages["x:list"], [page], RunLimits())
    except (DocumentError, FetchFailed, UnicodeDecodeError):
        return
    assert from_bytes(to_bytes(found)) == found
    for triple in found.triples:
        assert writable(triple) == triple


@given(some.text() | some.binary().map(lambda octets: octets.decode("utf-8", "surrogateescape")))
@example("\ud800")
@example("a\r\nSet-Cookie: x")
def test_any_header_becomes_one_line_that_can_be_written(value: str) -> None:
    """Whatever bytes a server has sent."""
    ((_, found),) = readable_headers([("X", value)])
    assert writable(found) == found
    assert len(found.splitlines()) <= 1


@given(some.text() | some.from_regex(r"[A-Z][a-z]{2}, \d{1,30} [A-Z][a-z]{2} \d{1,30} \d+:\d+:\d+ [+-]\d{1,30}"))
@example("9" * 5000)
@example("Mon, 01 Jan 2024 00:00:00 +99999999999999")
def test_any_moment_is_a_number_of_seconds_or_nothing(value: str) -> None:
    """That a pause can be computed from."""
    found = retry_after(value)
    assert found is None or 0 <= found < 1e10


HOSTS = some.sampled_from(
    ["a..b", "[::1]", "0x7f.1", "127。0。0。1", "user:p@h", "%00", "ß.example", "xn--", "", "h:99999"]
)


@given(some.text() | some.builds("{}//{}/{}".format, some.sampled_from(["http:", "", "HTTPS:\t"]), HOSTS, some.text()))
@example("http://\ud800/")
@example("http://h/" + "a" * 40_000)
def test_any_reference_is_an_address_in_one_spelling_or_none(reference: str) -> None:
    """Resolving it again changes nothing, and it can be written."""
    try:
        found = resolve(reference, "http://base.example/a/")
    except BadAddress:
        return
    assert writable(found) == found
    if found.startswith(("http://", "https://")):
        assert resolve(found, "http://other.example/") == found
        assert place_of(found).hostname


@given(some.binary() | some.text().map(lambda text: f'{{"a": "{text}"}}'.encode("utf-8", "surrogatepass")))
@example(rb'"\ud800"')
@example(b"[" * 100_000)
@example(b"9" * 5000)
@example(b"1e999")
def test_any_json_of_another_process_is_plain_data_or_nonsense(content: bytes) -> None:
    """And what was accepted can be written."""
    with suppress(Nonsense):
        str(strict.plain(content)).encode()


WARC = (
    b"WARC/1.1\r\nWARC-Type: %s\r\nWARC-Target-URI: http://h/\r\nContent-Type: application/http\r\n"
    b"%sContent-Length: %d\r\n\r\n%s\r\n\r\n"
)
HTTP = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n%s\r\n%s"


@given(
    kind=some.sampled_from([b"response", b"revisit", b"request", b"warcinfo", b"\xff"]),
    field=some.sampled_from([b"", b"WARC-Refers-To-Filename: ../x\r\n", b"WARC-Date: \xff\r\n", b"no colon\r\n"]),
    header=some.sampled_from(
        [b"", b"Content-Encoding: gzip\r\n", b"Transfer-Encoding: chunked\r\n", b"\xff: \x00\r\n"]
    ),
    body=some.binary(max_size=50),
    harm=some.tuples(some.integers(0, 400), some.binary(max_size=3)),
    is_packed=some.booleans(),
)
async def test_any_archive_answers_or_says_what_is_wrong(
    kind: bytes, field: bytes, header: bytes, body: bytes, harm: tuple[int, bytes], is_packed: bool
) -> None:
    """Also where bytes are missing or too many."""
    block = HTTP % (header, body)
    content = WARC % (kind, field, len(block), block)
    place, put = harm
    content = content[:place] + put + content[place + 2 :] + WARC % (b"response", b"", len(block), block)
    with TemporaryDirectory() as folder:
        archive = Path(folder) / ("a.warc.gz" if is_packed else "a.warc")
        archive.write_bytes(gzip.compress(content) if is_packed else content)
        with suppress(UsageError, FetchFailed):
            found = await WarcSource(archive).answer("http://h/")
            assert found is None or all(writable(value) == value for _, value in found.headers)
