"""Two hundred bad pages, of every kind at once, each with what is said about it."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator

import brotli  # type: ignore[import-untyped]

from tests.security.raw_site import answer

BadPage = tuple[str, bytes]
"""The kind of its problem, and the answer that a server sends for it."""

XML = b"Content-Type: application/xml"
FILLER = b"<main><h1>x</h1></main>"


def bad_pages() -> list[BadPage]:
    """All of them, in an order that mixes the kinds."""
    kinds = [
        list(kind)
        for kind in (
            *(_statuses(), _redirects(), _types(), _bodies(), _rootless()),
            *(_costly(), _slow(), _values()),
        )
    ]
    mixed = [page for number in range(max(map(len, kinds))) for kind in kinds for page in kind[number : number + 1]]
    assert len(mixed) == 200, len(mixed)
    return mixed


def _statuses() -> Iterator[BadPage]:
    for status in (404, 410):
        yield "gone", answer(FILLER, status=status)
    for status in (400, 401, 402, 403, 405, 406, 407, 409, 411, 412, 413, 414, 415, 416, 417, 418, 421, 422, 423, 451):
        yield "unreachable", answer(FILLER, status=status)
    for moment in (b"9" * 400, b"Mon, 01 Jan 9999 00:00:00 GMT", b"Sun, 31 Dec 9998 00:00:00 GMT"):
        yield "unreachable", answer(FILLER, b"Retry-After: " + moment, status=503)


def _redirects() -> Iterator[BadPage]:
    nowhere = (
        b"javascript:\xff",
        b"javascript:alert(1)",
        b"vbscript:x",
        b"mailto:\xe4 x",
        b"http://a..b/",
        b"http://\xff.example/",
        b"http://[::1",
        b"http://",
        b"http://" + b"a" * 64 + b".example/",
        b"http://.example/",
        b"http://x:99999/",
        b"http://a b/",
        b"http://%00/",
        b"http://a%3Ab:x@127.0.0.1:1/",
        b"//",
        b"/" + b"a" * 40_000,
    )
    for target in nowhere:
        yield "unreachable", answer(b"", b"Location: " + target, status=302)
    refused = (
        b"data:text/html,x",
        b"file:///etc/passwd",
        b"ftp://site.example/",
        b"gopher://site.example/",
        b"about:blank",
        b"http://10.0.0.1/",
        b"http://192.168.0.1/",
        b"http://169.254.169.254/latest/meta-data/",
        b"http://[::ffff:10.0.0.1]/",
        b"http://[64:ff9b::a00:1]/",
        b"http://[2002:a00:1::]/",
        b"http://[fec0::1]/",
        b"http://[fc00::1]/",
        b"http://0x0a000001/",
        b"http://167772161/",
        b"http://10.1/",
        b"http://0/",
        b"http://127.0.0.2/",
        b"http://[::]/",
        b"http://224.0.0.1/",
    )
    for target in refused:
        yield "refused", answer(b"", b"Location: " + target, status=302)
    for number in range(4):
        yield "limit", answer(b"", b"Location: #%d" % number, status=301 + number % 2)


def _types() -> Iterator[BadPage]:
    for name in (
        b"text/\xff",
        b"image/png",
        b"application/pdf",
        b"application/json",
        b"video/mp4",
        b"a/\x01b",
        b"x" * 900,
    ):
        yield "unreadable", answer(FILLER, b"Content-Type: " + name)
    for sent in (b"\x00" * 5000, b"%PDF-1.7", b"just text", b"{", b"\xff\xfe\x00"):
        yield "unreadable", answer(sent, b"Content-Type: application/octet-stream")


def _bodies() -> Iterator[BadPage]:
    large = bytes(100_000_000)
    yield "limit", answer(gzip.compress(large, 1), b"Content-Encoding: gzip")
    yield "limit", answer(zlib.compress(large, 1), b"Content-Encoding: deflate")
    yield "limit", answer(brotli.compress(large, quality=4), b"Content-Encoding: br")
    for _ in range(3):
        yield "limit", answer(b"<p>" + b"a" * 34_000_000)


def _rootless() -> Iterator[BadPage]:
    texts = (b"", b" ", b"<", b"<!", b"<!--", b"<![CDATA[", b"&#0;", b"&#xD800;", b"&" * 1000, b"</p>" * 1000)
    texts += (
        b"\x00",
        b"\xff\xfe<",
        b"\xef\xbb\xbf",
        b"<?xml",
        b"<html",
        b"<math><b>",
        b"<table><tr><main" + b" a" * 999,
    )
    texts += (b"<template><b>x", b"<frameset>", b"<plaintext>" + FILLER, b"<title>" + FILLER, b"<script>" + FILLER)
    for text in texts:
        yield "no-root", answer(text if text.strip() else b"<p>" + text)
    for charset in (b"utf-7", b"\xff", b"utf-16", b"unknown", b"utf-8" * 100, b"koi8-r", b"big5", b"rot13"):
        yield "no-root", answer(b"<p>\xff\xfe\x80", b"Content-Type: text/html; charset=" + charset)
    yield "unreadable", answer(b"this is not XML", XML)
    yield "unreadable", answer(b"", XML)
    laughs = b"".join(b'<!ENTITY l%d "%s">' % (n + 1, b"&l%d;" % n * 10) for n in range(9))
    yield "unreadable", answer(b'<!DOCTYPE r [<!ENTITY l0 "ha">' + laughs + b"]><r>&l9;</r>", XML)
    yield "no-root", answer(b'<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><r>&x;</r>', XML)
    for text in (
        b"<a:b>x</a:b>",
        b"<r>&#55357;</r>",
        b'<r xmlns="a}b{c"/>',
        b'<r xmlns:a="x"><a:b:c/></r>',
        b"<r>\x01</r>",
    ):
        yield "no-root", answer(text, XML)


def _costly() -> Iterator[BadPage]:
    formatting = "<p>" + "".join(f"<b id=b{number}>" for number in range(6000)) + "</p>" + "<p>x" * 6000
    bodies = "".join(f"<body a{number}=1>" for number in range(12_000))
    # Each takes all the time that a page may take, as that of the slow path does.
    for markup in (formatting, formatting + "<i>", bodies):
        yield "limit", answer(markup.encode())
    for number in range(2):
        yield "no-root", answer(b"<div>" * (20_000 + number))
    yield "limit", answer(b"<a>" * 2_000 + b"</a>" * 2_000, XML)
    yield "limit", answer(b"<b>x</b>" * 1_100_000)
    yield "limit", answer(b"<r>" + b"<a/>" * 1_100_000 + b"</r>", XML)


def _slow() -> Iterator[BadPage]:
    """Pages on which a path or a pattern of the model takes for ever."""
    yield "limit", answer(FILLER.replace(b"</main>", b"<u>x</u>" * 3000 + b"</main>"))
    # A pattern has a second of the processor, a page six by the clock: of a busy machine that may be less.
    for number in range(4):
        yield "misfit", answer(FILLER.replace(b"</main>", b"<i>" + b"a" * (300 + number) + b"b</i></main>"))


def _values() -> Iterator[BadPage]:
    """Pages that are as they should be, but for one value."""
    for number in range(3):
        yield "misfit", answer(FILLER.replace(b"</main>", b"<em>" + b"a" * (2_000_000 + number) + b"</em></main>"))
    wrong = [
        b"9" * 400 + b".5.5",
        b"NaN",
        b"Infinity",
        b"-",
        b"1e999999999",
        b"0x10",
        b"\xd9\xa1.\xd9\xa1.1",
        b"1,2,3,4",
    ]
    for text in wrong:
        yield "misfit", answer(FILLER.replace(b"</main>", b"<s>" + text + b"</s></main>"))
    yield from _missing()


def _missing() -> Iterator[BadPage]:
    names = (
        b"",
        b" ",
        b"&nbsp;",
        b"&#9;&#32;",
        b"<script>x</script>",
        b"<b hidden>x</b>",
        b"<!--x-->",
        b"<img alt=x>",
    )
    for number in range(54):
        name = names[number % len(names)] if number < 2 * len(names) else b"<br>" * number
        yield "empty", answer(b"<main><h1>" + name + b"</h1><q>%d</q></main>" % number)
