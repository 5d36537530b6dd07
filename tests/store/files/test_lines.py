"""Sorting lines is set arithmetic in bounded memory."""

from __future__ import annotations

import gzip
import resource
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rdfcrawl.store.files import lines as module
from rdfcrawl.store.files.lines import count_lines, read_lines, write_sorted

LINE = st.binary(min_size=1, max_size=12).map(lambda text: text.replace(b"\n", b"-").replace(b"\r", b"-"))


@settings(max_examples=40, deadline=None)
@given(lines=st.lists(LINE), chunk=st.integers(1, 40))
def test_sorting_gives_the_different_lines_in_byte_order(lines: list[bytes], chunk: int) -> None:
    """However small the chunks are, the result is sorted(set(lines))."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "in").write_bytes(b"".join(line + b"\n" for line in lines))
        count = write_sorted(folder / "in", folder / "out.gz", chunk_bytes=chunk)
        assert list(read_lines(folder / "out.gz")) == sorted(set(lines))
        assert count == len(set(lines))


def test_equal_graphs_are_equal_files_to_the_byte(tmp_path: Path) -> None:
    """Order, repetition, chunk size and the target's name leave no trace in the file."""
    lines = [f"<a:{number % 5000}> <b:> <c:> .\n".encode() for number in range(20000)]
    (tmp_path / "one").write_bytes(b"".join(lines))
    (tmp_path / "other").write_bytes(b"".join([*reversed(lines[10000:]), *lines[:10000]]))
    write_sorted(tmp_path / "one", tmp_path / "one.gz")
    write_sorted(tmp_path / "other", tmp_path / "other.gz", chunk_bytes=9999)
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "other.gz").read_bytes()
    assert count_lines(tmp_path / "one.gz") == 5000


def test_more_parts_than_files_may_be_open_are_sorted_as_well(tmp_path: Path) -> None:
    """A few at a time; what lies in several of them is there once, and nothing is left behind."""
    source, target = tmp_path / "lines.nq", tmp_path / "sorted.gz"
    lines = [b"%d" % (number * 7919 % 10_007) for number in range(10_007)] * 2
    source.write_bytes(b"\n".join(lines) + b"\n")
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 250), hard))
    try:
        assert write_sorted(source, target, chunk_bytes=16) == 10_007
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert gzip.decompress(target.read_bytes()).split() == sorted(set(lines))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["lines.nq", "sorted.gz"]


def test_sorting_tells_how_far_it_is(tmp_path: Path) -> None:
    """From the first chunk to the last line, never back; all of it is said to be done at the end only."""
    (tmp_path / "in").write_bytes(b"".join(b"%d\n" % number for number in range(9999)))
    shares: list[float] = []
    write_sorted(tmp_path / "in", tmp_path / "out.gz", chunk_bytes=9999, advance=shares.append)
    assert len(shares) > 4
    assert shares == sorted(shares)
    assert shares[-1] == 1 > shares[-2]


def test_a_missing_line_end_and_empty_lines_do_not_matter(tmp_path: Path) -> None:
    """The last line counts without its end; an empty line is no line."""
    (tmp_path / "in").write_bytes(b"b\n\na")
    write_sorted(tmp_path / "in", tmp_path / "out.gz")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == b"a\nb\n"


@settings(max_examples=40, deadline=None)
@given(lines=st.lists(LINE | st.just(b"")), ended=st.booleans(), block=st.integers(1, 30))
def test_lines_are_read_as_they_stand_in_the_file(lines: list[bytes], ended: bool, block: int) -> None:
    """Wherever a block ends, and whether or not the last line has an end."""
    content = b"\n".join(lines) + (b"\n" if ended else b"")
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK_BYTES", block)
        (Path(name) / "plain").write_bytes(content)
        (Path(name) / "packed.gz").write_bytes(gzip.compress(content))
        expected = [line.rstrip(b"\n") for line in content.splitlines(keepends=True)]
        assert list(read_lines(Path(name) / "plain")) == list(read_lines(Path(name) / "packed.gz")) == expected
