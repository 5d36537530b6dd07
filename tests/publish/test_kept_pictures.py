"""Pictures that a run has kept: only where the publisher wants it, only what is a picture, and as nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest

from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.fetch.warc.recorder import WarcRecorder
from rdfcrawl.engine.inspect.kept_pictures import MOST_BYTES, KeptPictures
from rdfcrawl.engine.run.archives import worker_archive
from rdfcrawl.publish.kept.raster import MOST_PIXELS_A_SIDE, raster_type
from rdfcrawl.store.folder import Store
from tests.publish.conftest import Server, asked, serving
from tests.publish.quote_site import SITE, crawled

PNG = b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + (1).to_bytes(4, "big") * 2 + b"\x08\x02\x00\x00\x00rest"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
KEPT = {
    f"{SITE}/files/pictures/1.png": ("image/png", PNG),
    f"{SITE}/files/pictures/2.png": ("image/svg+xml", SVG),
    f"{SITE}/files/pictures/3.png": ("image/png", b"<html><script>alert(1)</script></html>"),
    f"{SITE}/files/pictures/4.png": ("image/png", PNG + b"x" * MOST_BYTES),
    f"{SITE}/files/pictures/5.png": ("text/html", PNG),
    f"{SITE}/files/hidden.png": ("image/png", PNG),
}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """Quotes whose run has also kept some pictures, as one with a browser does."""
    found = crawled(tmp_path_factory.mktemp("pictures"))
    (record,) = found.runs.records()
    recorder = WarcRecorder(worker_archive(found.archive, record.id, "browser"), about={})
    for address, (kind, body) in KEPT.items():
        recorder.record(Exchange(address, "GET", {}, 200, "OK", (("Content-Type", kind),), body))
    recorder.close()
    return found


@pytest.fixture(scope="module")
def quotes(store: Store) -> Iterator[Server]:
    """A server that shows them."""
    with serving(store, pictures=KeptPictures(store)) as server:
        yield server


def _page(server: Server, number: int) -> str:
    return server.get(f"/page?iri={asked(f'{SITE}/quote/{number}')}", accept="text/html").text


def test_a_kept_picture_is_seen_beside_its_address(quotes: Server) -> None:
    """From this server, as the picture that it is, and for no other website."""
    image = re.search(r'<img class="kept" src="([^"]+)" alt="([^"]+)"', _page(quotes, 1))
    assert image
    assert image[2] == "picture of Quote 01"
    answer = quotes.get(unescape(image[1]))
    assert (answer.status, answer.body) == (200, PNG)
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["content-security-policy"].startswith("sandbox; default-src 'none'")
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"
    assert quotes.get(unescape(image[1]), if_none_match=answer.headers["etag"]).status == 304


@pytest.mark.parametrize("number", [2, 3, 4, 5, 6], ids=["SVG", "HTML", "too large", "other type", "not kept"])
def test_what_is_no_picture_is_not_sent(quotes: Server, store: Store, number: int) -> None:
    """Whatever its server called it."""
    (record,) = store.runs.records()
    assert '<img class="kept"' not in _page(quotes, number)
    address = f"{SITE}/files/pictures/{number}.png"
    answer = quotes.get(f"/picture?run={record.id}&address={asked(address)}")
    assert answer.status == 404
    assert b"script" not in answer.body


def test_only_pictures_that_the_data_names_are_sent(quotes: Server, store: Store) -> None:
    """An archive has more than what is published."""
    (record,) = store.runs.records()
    assert quotes.get(f"/picture?run={record.id}&address={asked(f'{SITE}/files/hidden.png')}").status == 404
    for nonsense in ("", "?run=x", "?run=1&address=x", f"?run={record.id}&address=no iri".replace(" ", "%20")):
        assert quotes.get(f"/picture{nonsense}").status == 404


def test_without_being_asked_for_no_picture_is_sent(store: Store) -> None:
    """Publishing pictures of others is a decision of the publisher."""
    (record,) = store.runs.records()
    with serving(store) as server:
        assert "<img" not in _page(server, 1)
        address = f"/picture?run={record.id}&address={asked(f'{SITE}/files/pictures/1.png')}"
        assert server.get(address).status == 404


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (PNG, "image/png"),
        (b"GIF89a\x01\x00\x01\x00", "image/gif"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "image/webp"),
        (b"\x00\x00\x00\x1cftypavif", "image/avif"),
        (SVG, None),
        (b"", None),
        (b"GIF89a", None),
        (b"RIFF\x00\x00\x00\x00WAVE", None),
        (PNG.replace(b"\x00\x00\x00\x01", (MOST_PIXELS_A_SIDE + 1).to_bytes(4, "big"), 1), None),
        (b"GIF89a\xff\xff\xff\xff", None),
    ],
)
def test_pictures_are_known_by_their_bytes(body: bytes, kind: str | None) -> None:
    """SVG, which can hold scripts, is none; nor is what would unfold to an enormous one."""
    assert raster_type(body) == kind
