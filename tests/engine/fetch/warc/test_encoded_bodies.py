"""Archives of other programs, written by warcio: bodies as servers sent them, compressed and in chunks."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import brotli  # type: ignore[import-untyped]
import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from rdfcrawl.engine.fetch.codings import BodyTooLarge, UndecodableBody, decoded
from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.fetch.warc.source import WarcSource
from rdfcrawl.engine.problem import ProblemKind

START = "http://site.example/"
PAGE = "<title>größer</title>".encode() + b"<p>text</p>" * 100


def raw_deflate(body: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return packer.compress(body) + packer.flush()


CODINGS: dict[str, tuple[str, Callable[[bytes], bytes]]] = {
    "br": ("br", brotli.compress),
    "BR": ("BR", brotli.compress),
    "gzip": ("gzip", gzip.compress),
    "gzip in two members": ("gzip", lambda body: gzip.compress(body[:500]) + gzip.compress(body[500:])),
    "gzip without its checksum": ("gzip", lambda body: gzip.compress(body)[:-8]),
    "gzip and padding": ("x-gzip", lambda body: gzip.compress(body) + bytes(20)),
    "deflate": ("deflate", zlib.compress),
    "deflate without header": ("deflate", raw_deflate),
    "two": ("gzip, br", lambda body: brotli.compress(gzip.compress(body))),
    "identity": ("identity", lambda body: body),
}


def archive(folder: Path, body: bytes, coding: str, *, chunked: bool = False) -> Path:
    """An archive with one answer."""
    path = folder / "other.warc.gz"
    headers = [("Content-Type", "text/html; charset=utf-8"), ("Content-Encoding", coding)]
    if chunked:
        headers.append(("Transfer-Encoding", "chunked"))
        body = b"".join(
            b"%x\r\n%b\r\n" % (len(body[at : at + 70]), body[at : at + 70]) for at in range(0, len(body), 70)
        )
        body += b"0\r\n\r\n"
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        head = StatusAndHeaders("200 OK", headers, protocol="HTTP/1.1")
        writer.write_record(writer.create_warc_record(START, "response", payload=BytesIO(body), http_headers=head))
    return path


@pytest.mark.parametrize("size", range((1 << 18) - 2, (1 << 18) + 260, 23))
@pytest.mark.parametrize("name", ["gzip", "deflate", "deflate without header", "br", "two"])
def test_bodies_that_are_a_little_larger_than_what_is_decoded_at_once_are_whole(name: str, size: int) -> None:
    """All of the compressed data may be read before all of the body is made."""
    coding, pack = CODINGS[name]
    assert decoded(pack(bytes(size)), coding, 1 << 20) == bytes(size)


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("named", CODINGS)
async def test_encoded_bodies_are_replayed_decoded(tmp_path: Path, named: str, chunked: bool) -> None:
    """Brotli as well as the older ones, and several of them, one after the other."""
    coding, packed = CODINGS[named]
    answer = await WarcSource(archive(tmp_path, packed(PAGE), coding, chunked=chunked)).answer(START)
    assert answer is not None
    assert answer.body == PAGE
    assert dict(answer.headers).keys() == {"Content-Type"}


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("named", CODINGS)
async def test_no_body_becomes_larger_than_it_may(tmp_path: Path, named: str, chunked: bool) -> None:
    """A few kilobytes that would become megabytes are a limit that was reached."""
    coding, packed = CODINGS[named]
    path = archive(tmp_path, packed(bytes(3 << 20)), coding, chunked=chunked)
    with pytest.raises(FetchFailed, match=r"larger than [\d,]+ bytes") as failed:
        await WarcSource(path, body_bytes=1 << 20).answer(START)
    assert failed.value.kind is ProblemKind.LIMIT


async def test_a_chunk_that_announces_more_than_there_may_be_is_not_waited_for(tmp_path: Path) -> None:
    """The bound holds while a chunk is read, not only after it."""
    path = tmp_path / "plain.warc"
    body = b"7fffffff\r\n" + bytes(3 << 20)
    head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    about = f"WARC-Type: response\r\nWARC-Target-URI: {START}\r\nWARC-Record-ID: <urn:uuid:1>\r\n".encode()
    about += b"WARC-Date: 2024-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
    block = head + body
    path.write_bytes(b"WARC/1.0\r\n%bContent-Length: %d\r\n\r\n%b\r\n\r\n" % (about, len(block), block))
    with pytest.raises(FetchFailed, match="larger than"):
        await WarcSource(path, body_bytes=1 << 20).answer(START)


@pytest.mark.parametrize(
    ("coding", "body", "reason"),
    [
        ("br", brotli.compress(PAGE)[:-9], "cannot be decoded as br: it is cut off"),
        ("gzip", gzip.compress(PAGE, mtime=0)[:-20], "cannot be decoded as gzip: it is cut off"),
        ("gzip", gzip.compress(PAGE, mtime=0)[:5], "cannot be decoded as gzip: it is cut off"),
        ("gzip", (gzip.compress(PAGE, mtime=0) * 2)[:-20], "cannot be decoded as gzip: it is cut off"),
        ("deflate", zlib.compress(PAGE)[:-20], "cannot be decoded as deflate: it is cut off"),
        ("br", b"\xff\x00\xfe" * 50, "cannot be decoded as br"),
        ("gzip", b"\x1f\x8b\xff\xff\x00", "cannot be decoded as gzip"),
        ("zstd", b"\x28\xb5\x2f\xfd\x00", "encoded as 'zstd', which rdfcrawl cannot decode"),
    ],
)
async def test_what_cannot_be_decoded_is_one_sentence(tmp_path: Path, coding: str, body: bytes, reason: str) -> None:
    """It names the archive and the place; the page is unreadable, and the run goes on."""
    with pytest.raises(FetchFailed, match=rf"other.warc.gz cannot be read at byte 0: .*{reason}") as failed:
        await WarcSource(archive(tmp_path, body, coding)).answer(START)
    assert failed.value.kind is ProblemKind.UNREADABLE


@pytest.mark.parametrize("coding", ["br", "gzip", "deflate"])
async def test_a_body_that_was_kept_decoded_is_taken_as_it_is(tmp_path: Path, coding: str) -> None:
    """Some programs leave the header as it was."""
    answer = await WarcSource(archive(tmp_path, PAGE, coding)).answer(START)
    assert answer is not None
    assert answer.body == PAGE


def test_a_bound_holds_between_two_codings() -> None:
    """Also where only the inner coding would make much of little."""
    twice = brotli.compress(gzip.compress(bytes(1 << 20)))
    with pytest.raises(BodyTooLarge):
        decoded(twice, "gzip, br", 1000)
    assert decoded(b"", "br", 10) == b""
    with pytest.raises(UndecodableBody):
        decoded(b"x", "unknown", 10)
