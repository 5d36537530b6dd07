"""Writing and reading archives: rdfcrawl's own records, warcio and FastWARC, on pages of 5 and of 50 kilobytes.

Prints the processor's microseconds for a page, request and answer together, and the ratio to rdfcrawl. Run it with
``python benchmarks/warc_writers.py``; FastWARC is measured too where ``pip install fastwarc`` has been done.
"""

from __future__ import annotations

import io
import random
import tempfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from time import process_time
from typing import Any

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from rdfcrawl.engine.fetch.session import Exchange
from rdfcrawl.engine.fetch.warc.index import digest_of, scan
from rdfcrawl.engine.fetch.warc.records import answer_record, new_id, request_record
from rdfcrawl.engine.fetch.warc.source import WarcSource

try:
    from fastwarc.stream_io import GzipReader, GzipWriter
    from fastwarc.warc import ArchiveIterator, WarcRecord, WarcRecordType
except ImportError:
    WarcRecord = None

PAGES = 400
ROUNDS = 7
SIZES = (5_000, 50_000)
LEVEL = 3
"""How much rdfcrawl compresses; warcio has a level of its own."""

Action = Callable[[Path, list[Exchange]], object]


def main() -> None:
    """Measure and print."""
    for size in SIZES:
        pages = [page(number, size) for number in range(PAGES)]
        with tempfile.TemporaryDirectory() as folder:
            for title, actions in ACTIONS.items():
                taken = measured(actions, Path(folder), pages)
                for name, seconds in taken.items():
                    ratio = seconds / next(iter(taken.values()))
                    print(f"{size // 1000:3} kB  {title:6}  {name:18}  {seconds * 1e6:5.0f} µs  {ratio:5.2f}")


def measured(actions: dict[str, Action], folder: Path, pages: list[Exchange]) -> dict[str, float]:
    """The best seconds for one page; the actions take turns, which spreads the machine's moods over all of them."""
    best = dict.fromkeys(actions, float("inf"))
    for _ in range(ROUNDS):
        for name, action in actions.items():
            begin = process_time()
            action(folder, pages)
            best[name] = min(best[name], (process_time() - begin) / len(pages))
    return best


def page(number: int, size: int) -> Exchange:
    """A list of links, which is compressed to about a fifth, as pages are."""
    chance = random.Random(number)
    words = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=7)) for _ in range(120)]
    item = '<li class="thing"><a href="/things/{}">{}</a>\n'
    rows = [item.format(chance.randrange(9999), " ".join(chance.choices(words, k=4))) for _ in range(size // 75)]
    return Exchange(
        address=f"http://site.example/list?page={number}",
        method="GET",
        request_headers={"Host": "site.example", "User-Agent": "rdfcrawl/1", "Accept": "text/html,*/*;q=0.8"},
        status=200,
        reason="OK",
        headers=(("Content-Type", "text/html; charset=utf-8"), ("Server", "nginx"), ("ETag", f'"{number:x}"')),
        body="".join(rows).encode(),
        peer="192.0.2.1",
    )


def write_own(folder: Path, pages: list[Exchange]) -> None:
    """The bytes that a recorder writes."""
    source = random.Random()
    with (folder / "own.warc.gz").open("wb") as file:
        for exchange in pages:
            name, moment = new_id(source), now()
            asked = request_record(exchange, new_id(source), name, moment)
            file.write(asked + answer_record(exchange, name, moment, digest_of(exchange.body)))


def write_warcio(folder: Path, pages: list[Exchange]) -> None:
    """The same, as far as warcio lets one say what is in a record."""
    with (folder / "warcio.warc.gz").open("wb") as file:
        writer = WARCWriter(file, gzip=True, warc_version="WARC/1.1")
        for exchange in pages:
            head = StatusAndHeaders("200 OK", list(exchange.headers), protocol="HTTP/1.1")
            body, peer = io.BytesIO(exchange.body), {"WARC-IP-Address": exchange.peer}
            answer = writer.create_warc_record(
                exchange.address, "response", body, http_headers=head, warc_headers_dict=peer
            )
            head = StatusAndHeaders("GET /list HTTP/1.1", list(exchange.request_headers.items()), is_http_request=True)
            asked = writer.create_warc_record(exchange.address, "request", http_headers=head)
            writer.write_request_response_pair(asked, answer)


def write_fastwarc(folder: Path, pages: list[Exchange]) -> None:
    """The same fields in records that are compressed each on its own."""
    source = random.Random()
    with (folder / "fastwarc.warc.gz").open("wb") as file:
        stream = GzipWriter(file, LEVEL)
        for exchange in pages:
            name, moment = new_id(source), now()
            asked = fast_record("request", exchange, new_id(source), moment, {"WARC-Concurrent-To": name})
            asked.set_bytes_content(head_of("GET /list HTTP/1.1", exchange.request_headers.items()))
            about = {"WARC-Payload-Digest": digest_of(exchange.body), "WARC-IP-Address": exchange.peer or ""}
            answer = fast_record("response", exchange, name, moment, about)
            answer.set_bytes_content(head_of("HTTP/1.1 200 OK", exchange.headers) + exchange.body)
            for record in (asked, answer):
                record.write(stream)
                stream.finish()


def fast_record(kind: str, exchange: Exchange, name: str, moment: str, about: dict[str, str]) -> Any:
    """A record with its fields, without its block."""
    record = WarcRecord()
    record.init_headers(getattr(WarcRecordType, kind))
    fields = record.headers
    common = {"WARC-Record-ID": name, "WARC-Target-URI": exchange.address, "WARC-Date": moment}
    for field, value in {**common, **about, "Content-Type": f"application/http; msgtype={kind}"}.items():
        fields.set_bytes(field.encode(), value.encode())
    return record


def head_of(first: str, headers: Iterable[tuple[str, str]]) -> bytes:
    """What stands before the body of a request or an answer."""
    return "".join([f"{first}\r\n", *(f"{name}: {value}\r\n" for name, value in headers), "\r\n"]).encode()


def now() -> str:
    """The moment as archives write it."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def scan_own(folder: Path, _: list[Exchange]) -> None:
    """What it takes to go on with the archive of a killed run, or to open one of another program; with warcio."""
    scan(folder / "own.warc.gz")


def scan_fastwarc(folder: Path, pages: list[Exchange]) -> None:
    """The same fields of the same records; that the last one is whole is not looked at."""
    found = []
    with (folder / "own.warc.gz").open("rb") as file:
        for record in ArchiveIterator(GzipReader(file)):
            said, http = record.headers.get, record.http_headers
            if record.record_type == WarcRecordType.response:
                fields = [said(f"WARC-{name}") for name in ("Record-ID", "Date", "Target-URI", "Payload-Digest")]
                found.append((record.stream_pos, http.status_code, http.get("Content-Type"), *fields))
            elif record.record_type == WarcRecordType.request:
                digest_of(record.reader.read())
    assert len(found) == len(pages)


@cache
def opened(archive: Path) -> WarcSource:
    """The archive, scanned once: a run's own archives have an index beside them."""
    return WarcSource(archive)


def read_own(folder: Path, _: list[Exchange]) -> None:
    """What a replay does, page by page; with warcio."""
    source = opened(folder / "own.warc.gz")
    for found in source.found():
        source.read(found)


def read_fastwarc(folder: Path, _: list[Exchange]) -> None:
    """Headers and bodies from the same places."""
    archive = folder / "own.warc.gz"
    for found in opened(archive).found():
        with archive.open("rb") as file:
            file.seek(found.answer.offset)
            record = next(iter(ArchiveIterator(GzipReader(file))))
            dict(record.http_headers.items())
            record.reader.read()


ACTIONS: dict[str, dict[str, Action]] = {
    "write": {"rdfcrawl": write_own, "warcio": write_warcio},
    "scan": {"rdfcrawl, warcio": scan_own},
    "read": {"rdfcrawl, warcio": read_own},
}
if WarcRecord is not None:
    ACTIONS["write"]["FastWARC"] = write_fastwarc
    ACTIONS["scan"]["FastWARC"] = scan_fastwarc
    ACTIONS["read"]["FastWARC"] = read_fastwarc

if __name__ == "__main__":
    main()
