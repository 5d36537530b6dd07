"""Names of character sets, from servers, pages and workers."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.charsets import codec_of, decoded, sending_codec


@pytest.mark.parametrize(
    ("charset", "codec"),
    [("ISO-8859-1", "cp1252"), ("us-ascii", "cp1252"), ("UTF8", "utf-8"), ("gb2312", "gb18030"), ("koi8-r", "koi8-r")],
)
def test_names_mean_what_browsers_mean_by_them(charset: str, codec: str) -> None:
    """Programs that name a smaller one write the larger one."""
    assert codec_of(charset) == codec


@pytest.mark.parametrize(
    "charset", ["", "no-such", "zlib", "unicode_escape", "punycode", "a\0b", "\ud800", "x" * 10_000]
)
def test_what_is_no_character_set_is_none(charset: str) -> None:
    """Whatever a page or a worker calls so."""
    assert codec_of(charset) is None
    assert decoded(b"x", charset) is None
    assert sending_codec(charset) == "utf-8"


@pytest.mark.parametrize("charset", ["utf-8", "UTF-16", "utf-16be", None])
def test_pages_in_unicode_send_utf_8(charset: str | None) -> None:
    """As browsers do, also where nobody knows the character set."""
    assert sending_codec(charset) == "utf-8"
