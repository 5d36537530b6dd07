"""Small contents are compressed and come back, within bounds."""

from __future__ import annotations

import gzip
import zlib

import pytest

from rdfcrawl.engine.compression import deflated, inflated

CONTENT = "Zählstelle 7, Hafenstraße\n".encode() * 40


@pytest.mark.parametrize("content", [b"", b"x", CONTENT, bytes(1 << 20)], ids=["empty", "short", "text", "large"])
def test_others_can_read_it(content: bytes) -> None:
    """As a zlib stream and as a gzip member, and what they write is read."""
    assert zlib.decompress(deflated(content)) == content
    assert gzip.decompress(deflated(content, gzip=True)) == content
    assert inflated(zlib.compress(content), len(content)) == content
    assert inflated(gzip.compress(content), len(content), gzip=True) == content


def test_no_more_than_the_bound_is_unpacked() -> None:
    """A byte more is refused, however small the stream is."""
    bomb = deflated(bytes(10 << 20))
    with pytest.raises(ValueError, match="more than 1,024 bytes"):
        inflated(bomb, 1024)


@pytest.mark.parametrize(
    "content",
    [b"", b"garbage", deflated(CONTENT)[:-1], deflated(CONTENT) + b"x", deflated(CONTENT, gzip=True)],
    ids=["empty", "garbage", "cut", "prolonged", "gzip"],
)
def test_anything_but_one_stream_is_refused(content: bytes) -> None:
    """Cut, prolonged, or of another kind."""
    with pytest.raises(ValueError, match=r"it|error|Error"):
        inflated(content, 1 << 20)
