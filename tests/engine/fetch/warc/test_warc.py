"""What was fetched becomes a standard archive, survives a killed process, and answers in place of the network."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections.abc import Iterable
from io import BytesIO
from pathlib import Path

import pytest
from warcio.archiveiterator import ArchiveIterator
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.fetch.warc.index import contents, index_path, scan
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.fetch.warc.source import WarcSource
from rdfcrawl.errors import UsageError

HTML = ("Content-Type", "text/html; charset=utf-8")
LONG = b"<p>a page that is long enough to be worth a reference</p>" * 20
START = "http://site.example/"


def page(address: str, body: bytes = b"<p>page</p>", status: int = 200, **more: object) -> Exchange:
    headers = more.pop("headers", (HTML,))
    return Exchange(address, "GET", {}, status, "OK", headers, body, **more)  # type: ignore[arg-type]


def written(path: Path, exchanges: Iterable[Exchange], earlier: Iterable[Path] = ()) -> WarcRecorder:
    recorder = WarcRecorder(path, about={"software": "test"}, earlier=earlier)
    for exchange in exchanges:
        recorder.record(exchange)
    recorder.close()
    return recorder


def checked(path: Path) -> str:
    """What ``warcio check`` has to say; it is silent about a sound archive."""
    command = (sys.executable, "-m", "warcio.cli", "check", str(path))
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return f"{done.stdout}{done.stderr}" + (f"exit code {done.returncode}" if done.returncode else "")


def record_types(path: Path) -> list[str]:
    with path.open("rb") as file:
        return [record.rec_type for record in ArchiveIterator(file)]


async def test_archives_are_sound_and_give_back_what_they_got(tmp_path: Path) -> None:
    """Other tools find nothing to complain about, and every answer comes back with its status, headers and body."""
    archive = tmp_path / "1.warc.gz"
    exchanges = [
        page(START, "größer".encode()),
        page(f"{START}old", b"", 301, headers=(("Location", "/größe"), HTML)),
        page(f"{START}gone", b"no", 404),
        page(f"{START}binary", bytes(range(256)) * 9, headers=(("Content-Type", "image/png"),)),
        page(f"{START}strange", b"x", headers=(("X-Old", "f\udcfcr"), ("X-Lines", "a\r\nb"))),
    ]
    written(archive, exchanges)
    assert checked(archive) == ""
    source = WarcSource(archive)
    for exchange in exchanges:
        answer = await source.answer(exchange.address)
        assert answer is not None
        assert (answer.status, answer.body, answer.reason) == (exchange.status, exchange.body, "OK")
    moved = await source.answer(f"{START}old")
    assert moved is not None
    assert dict(moved.headers)["Content-Type"] == HTML[1]
    assert await source.answer(f"{START}never") is None


def test_bodies_are_kept_decoded_and_secrets_are_not_kept(tmp_path: Path) -> None:
    """The headers fit the body that is there; cookies and passwords of requests go nowhere."""
    archive = tmp_path / "1.warc.gz"
    asked = {"Cookie": "session=secret", "authorization": "Basic secret", "User-Agent": "rdfcrawl"}
    sent = (HTML, ("Content-Encoding", "gzip"), ("Content-Length", "7"), ("Transfer-Encoding", "chunked"))
    written(archive, [Exchange(START, "GET", asked, 200, "OK", sent, b"<p>decoded</p>")])
    text = gzip.decompress(archive.read_bytes()).decode()
    assert "secret" not in text
    assert "User-Agent: rdfcrawl" in text
    assert "Content-Encoding" not in text
    assert "Transfer-Encoding" not in text
    assert "Content-Length: 14" in text


async def test_equal_bodies_are_kept_once(tmp_path: Path) -> None:
    """A second answer with the same long body refers to the first one; a short body is not worth it."""
    archive = tmp_path / "1.warc.gz"
    written(archive, [page(START, LONG), page(f"{START}same", LONG), page(f"{START}a", b"x"), page(f"{START}b", b"x")])
    assert [kind for kind in record_types(archive) if kind != "request"] == [
        "warcinfo", "response", "revisit", "response", "response",
    ]  # fmt: skip
    assert checked(archive) == ""
    answer = await WarcSource(archive).answer(f"{START}same")
    assert answer is not None
    assert answer.body == LONG


async def test_what_has_not_changed_since_the_run_before_is_kept_there(tmp_path: Path) -> None:
    """The reference always leads to the archive with the body itself, however many runs have seen it."""
    first, second, third = (tmp_path / f"{number}.warc.gz" for number in (1, 2, 3))
    assert written(first, [page(START, LONG)]).referred == set()
    assert written(second, [page(START, LONG), page(f"{START}new")], [first]).referred == {"1.warc.gz"}
    assert written(third, [page(START, LONG), page(f"{START}new")], [second]).referred == {"1.warc.gz"}
    assert checked(third) == ""
    answer = await WarcSource(third).answer(START)
    assert answer is not None
    assert answer.body == LONG
    first.unlink()
    assert await WarcSource(third).answer(START) is None
    assert await WarcSource(third).answer(f"{START}new") is not None


@pytest.mark.parametrize("lost", [1, 8, 9, 60, 200])
async def test_a_record_that_was_cut_off_is_replaced_when_the_run_goes_on(tmp_path: Path, lost: int) -> None:
    """Whatever a killed process left at the end, the archive is sound afterwards, and only that record is missing."""
    archive = tmp_path / "1.warc.gz"
    written(archive, [page(START), page(f"{START}torn", LONG)])
    whole = archive.read_bytes()
    archive.write_bytes(whole[:-lost])
    assert await WarcSource(archive).answer(START) is not None
    assert await WarcSource(archive).answer(f"{START}torn") is None
    written(archive, [page(f"{START}again", LONG)])
    assert checked(archive) == ""
    assert [answer.address for answer in scan(archive).answers] == [START, f"{START}again"]
    assert record_types(archive).count("warcinfo") == 1


def test_the_index_says_what_the_archive_says(tmp_path: Path) -> None:
    """It is only a shortcut: without it, or with one that is older, the archive itself is read."""
    archive = tmp_path / "1.warc.gz"
    posted = Exchange(START, "POST", {}, 200, "OK", (HTML,), LONG, request_body=b"q=1")
    written(archive, [page(START, LONG), posted])
    indexed = contents(archive)
    assert indexed == scan(archive)
    assert [(answer.method, bool(answer.posted)) for answer in indexed.answers] == [("GET", False), ("POST", True)]
    old = index_path(archive).read_bytes()
    written(archive, [page(f"{START}later")])
    index_path(archive).write_bytes(old)
    assert len(contents(archive).answers) == 3


@pytest.mark.parametrize("line", ['{"offset": 0, "length": 9}', "[0, 9]", "0", "[]", "no JSON"])
def test_an_index_in_another_form_is_no_index(tmp_path: Path, line: str) -> None:
    """Another version may have written it."""
    archive = tmp_path / "1.warc.gz"
    written(archive, [page(START, LONG)])
    index_path(archive).write_text(f"{line}\n")
    assert contents(archive) == scan(archive)


async def test_the_last_good_answer_counts(tmp_path: Path) -> None:
    """A page that came at the second try is that page; one that failed later is still what it was."""
    archive = tmp_path / "1.warc.gz"
    good, bad = page(START, b"good"), page(START, b"bad", 503)
    for exchanges, expected in (([bad, good], 200), ([good, bad], 200), ([bad, bad], 503)):
        archive.unlink(missing_ok=True)
        written(archive, exchanges)
        answer = await WarcSource(archive).answer(START)
        assert answer is not None
        assert answer.status == expected


async def test_requests_are_recognised_by_what_they_mean(tmp_path: Path) -> None:
    """Spelling, fragments and what scripts add against caches do not matter; what is posted does."""
    archive = tmp_path / "1.warc.gz"
    posts = [
        Exchange(f"{START}api", "POST", {}, 200, "OK", (HTML,), f"answer {n}".encode(), request_body=b"page=%d" % n)
        for n in (1, 2)
    ]
    written(archive, [page("http://site.example", b"start"), page(f"{START}list?a=1&_=1700000000000"), *posts])
    source = WarcSource(archive)
    assert await source.answer("HTTP://Site.Example:80/#top") is not None
    assert await source.answer(f"{START}list?a=1&_=1800000000001") is not None
    assert await source.answer(f"{START}list?a=2&_=1700000000000") is None
    second = await source.answer(f"{START}api", "POST", b"page=2")
    assert second is not None
    assert second.body == b"answer 2"
    assert await source.answer(f"{START}api", "POST", b"page=3") is None
    assert await source.answer(f"{START}api") is None


async def test_archives_of_other_programs_answer_too(tmp_path: Path) -> None:
    """Plain or compressed, with encoded bodies, and with references by digest alone."""
    for name, is_compressed in (("plain.warc", False), ("packed.warc.gz", True)):
        with (tmp_path / name).open("wb") as file:
            writer = WARCWriter(file, gzip=is_compressed, warc_version="1.0")
            headers = StatusAndHeaders("200 OK", [HTML, ("Content-Encoding", "gzip")], protocol="HTTP/1.1")
            body = gzip.compress(LONG)
            response = writer.create_warc_record(START, "response", payload=BytesIO(body), http_headers=headers)
            writer.write_record(response)
            digest = response.rec_headers.get_header("WARC-Payload-Digest")
            again = StatusAndHeaders("200 OK", [HTML], protocol="HTTP/1.1")
            moment = response.rec_headers.get_header("WARC-Date")
            writer.write_record(writer.create_revisit_record(f"{START}again", digest, START, moment, again))
        source = WarcSource(tmp_path / name)
        for address in (START, f"{START}again"):
            answer = await source.answer(address)
            assert answer is not None
            assert answer.body == LONG
            assert "Content-Encoding" not in dict(answer.headers)


def test_what_is_no_archive_is_refused_with_one_sentence(tmp_path: Path) -> None:
    """Also what is not there."""
    (tmp_path / "page.html").write_text("<p>no archive</p>")
    with pytest.raises(UsageError, match=r"page\.html is not a WARC file"):
        WarcSource(tmp_path / "page.html")
    with pytest.raises(UsageError, match="there is no archive"):
        WarcSource(tmp_path / "missing.warc.gz")
