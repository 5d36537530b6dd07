"""An archive that somebody else wrote, or that was damaged: it is read within bounds, and only in its own folder."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import pytest
from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from rdfcrawl.engine.fetch.session import FetchFailed
from rdfcrawl.engine.fetch.warc.index import contents, index_path
from rdfcrawl.engine.fetch.warc.source import WarcSource
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.engine.run.run import RunOptions, run_model
from rdfcrawl.errors import UsageError
from rdfcrawl.metamodel.load import load_model
from tests.crawling import read_run, unloaded_store
from tests.thing_site import thing_site

ADDRESS = "http://site.example/"
RECORD = "<urn:uuid:11111111-1111-1111-1111-111111111111>"
SECRET = b"<main><h1>secret</h1></main>"
SAME = "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"


def write(
    path: Path,
    kind: str = "response",
    body: bytes = b"",
    fields: dict[str, str] | None = None,
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),),
) -> Path:
    """An archive of one record, as another program writes it."""
    with path.open("wb") as file:
        writer = WARCWriter(file, gzip=True)
        http = StatusAndHeaders("200 OK", list(headers), protocol="HTTP/1.1")
        record = writer.create_warc_record(
            ADDRESS, kind, payload=io.BytesIO(body), warc_headers_dict=fields or {}, http_headers=http
        )
        writer.write_record(record)
    return path


def referring(path: Path, file: str, offset: str | None = "0") -> Path:
    """An archive whose only answer says that another file has its body."""
    fields = {"WARC-Profile": SAME, "WARC-Refers-To": RECORD, "WARC-Refers-To-Filename": file}
    return write(path, "revisit", fields=fields | ({"WARC-Refers-To-File-Offset": offset} if offset else {}))


class TestNamesOfOtherArchives:
    @pytest.mark.parametrize(
        "name",
        [
            "../private/other.warc.gz",
            "{folder}/private/other.warc.gz",
            "./../private/other.warc.gz",
            "..",
            ".",
            "",
            "/etc/passwd",
            "a" * 5000,
            "..\\private\\other.warc.gz",
        ],
    )
    async def test_only_names_of_files_in_the_same_folder_count(self, tmp_path: Path, name: str) -> None:
        """Whatever a record says, nothing is read anywhere else."""
        for folder in ("private", "archives"):
            (tmp_path / folder).mkdir()
        write(tmp_path / "private" / "other.warc.gz", body=SECRET, fields={"WARC-Record-ID": RECORD})
        archive = referring(tmp_path / "archives" / "mine.warc.gz", name.format(folder=tmp_path))
        assert await WarcSource(archive).answer(ADDRESS) is None

    @pytest.mark.parametrize("offset", [None, "99999", "-1", "1" * 5000, "x", "7"])
    async def test_an_offset_that_is_none_is_a_problem_of_the_page(self, tmp_path: Path, offset: str | None) -> None:
        """Missing, beyond the end, or in the middle of a record."""
        write(tmp_path / "other.warc.gz", body=SECRET, fields={"WARC-Record-ID": RECORD})
        source = WarcSource(referring(tmp_path / "mine.warc.gz", "other.warc.gz", offset))
        with pytest.raises(FetchFailed, match="damaged") as failed:
            await source.answer(ADDRESS)
        assert failed.value.kind is ProblemKind.UNREADABLE

    async def test_another_record_at_the_place_is_not_taken_for_the_one_that_is_meant(self, tmp_path: Path) -> None:
        """Somebody may have put another archive there, or bytes that happen to look like a record."""
        write(tmp_path / "other.warc.gz", body=SECRET, fields={"WARC-Record-ID": "<urn:uuid:another>"})
        with pytest.raises(FetchFailed, match="has another record at byte 0") as failed:
            await WarcSource(referring(tmp_path / "mine.warc.gz", "other.warc.gz")).answer(ADDRESS)
        assert failed.value.kind is ProblemKind.UNREADABLE

    async def test_a_body_next_to_the_archive_is_found(self, tmp_path: Path) -> None:
        """That is what such names are for."""
        write(tmp_path / "other.warc.gz", body=SECRET, fields={"WARC-Record-ID": RECORD})
        found = await WarcSource(referring(tmp_path / "mine.warc.gz", "other.warc.gz")).answer(ADDRESS)
        assert found is not None
        assert found.body == SECRET


class TestSizes:
    async def test_bytes_are_counted_after_decompression(self, tmp_path: Path) -> None:
        """A recorded body has the same bound as one from the network."""
        body = gzip.compress(bytes(100_000_000), 1)
        archive = write(tmp_path / "bomb.warc.gz", body=body, headers=(("Content-Encoding", "gzip"),))
        with pytest.raises(FetchFailed, match="larger than 33,554,432 bytes") as failed:
            await WarcSource(archive).answer(ADDRESS)
        assert failed.value.kind is ProblemKind.LIMIT

    @pytest.mark.parametrize("head", [b"x" * 50_000_000, b"WARC/1.1\r\n" + b"a: b\r\n" * 5_000_000])
    def test_a_head_without_end_is_not_read(self, tmp_path: Path, head: bytes) -> None:
        """Neither a line nor the number of lines has to be held to see that."""
        archive = tmp_path / "long.warc.gz"
        archive.write_bytes(gzip.compress(head, 1))
        with pytest.raises(UsageError, match="longer than 1,048,576 bytes"):
            WarcSource(archive)


class TestStrangeRecords:
    def test_a_request_without_http_is_left_out(self, tmp_path: Path) -> None:
        """Other programs record name lookups as well."""
        archive = tmp_path / "dns.warc"
        archive.write_bytes(
            b"WARC/1.0\r\nWARC-Type: request\r\nWARC-Target-URI: dns:site.example\r\n"
            b"Content-Type: text/dns\r\nContent-Length: 4\r\n\r\nGET \r\n\r\n"
        )
        assert contents(archive).answers == ()

    async def test_what_follows_a_record_that_cannot_be_read_is_found(self, tmp_path: Path) -> None:
        """Each record is compressed on its own."""
        good = write(tmp_path / "good.warc.gz", body=SECRET).read_bytes()
        archive = tmp_path / "mixed.warc.gz"
        archive.write_bytes(good + gzip.compress(b"WARC/1.1\r\nWARC-Type: response\r\n\r\n\r\n\r\n") + good)
        assert len(contents(archive).answers) == 2

    def test_an_index_of_other_values_is_not_believed(self, tmp_path: Path) -> None:
        """The archive itself is read instead."""
        archive = write(tmp_path / "one.warc.gz", body=SECRET)
        (answer,) = contents(archive).answers
        line = answer._replace(status="200", offset=0).to_line()  # type: ignore[arg-type]
        index_path(archive).write_text(line + "\n", encoding="utf-8")
        assert contents(archive).answers == (answer,)


@pytest.mark.parametrize("seed", range(3))
async def test_a_replay_of_a_damaged_archive_ends_by_itself(tmp_path: Path, seed: int) -> None:
    """Pages whose record is damaged are problems; nothing is made up for them, and the others are as they were."""
    store = unloaded_store(tmp_path / "store")
    async with thing_site(10) as site:
        model = site.model(tmp_path)
        whole = read_run(store, (await run_model(model, store, RunOptions())).record)
    archive = next((tmp_path / "store" / "archive").glob("*.warc.gz"))
    damaged, chance = bytearray(archive.read_bytes()), random.Random(seed)
    for _ in range(30):
        damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
    archive.write_bytes(damaged)
    replay = RunOptions(replay=f"run:{whole.record.id}", fresh=True)
    again = read_run(store, (await run_model(load_model(tmp_path / "things.ttl"), store, replay)).record)
    assert again.triples <= whole.triples
    assert again.problems
