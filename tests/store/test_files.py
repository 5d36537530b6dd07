"""Files are whole or not there; sorting is set arithmetic in bounded memory."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rdfcrawl.store.files import (
    count_lines,
    exclusive,
    fingerprint,
    read_lines,
    remove_leftovers,
    write_sorted,
    write_whole,
    written_whole,
)

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


def test_a_missing_line_end_and_empty_lines_do_not_matter(tmp_path: Path) -> None:
    """The last line counts without its end; an empty line is no line."""
    (tmp_path / "in").write_bytes(b"b\n\na")
    write_sorted(tmp_path / "in", tmp_path / "out.gz")
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == b"a\nb\n"


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    """A file and its compressed form have one fingerprint, another content has another."""
    (tmp_path / "plain.nq").write_bytes(b"a\nb\n")
    (tmp_path / "changed.nq").write_bytes(b"a\nc\n")
    write_sorted(tmp_path / "plain.nq", tmp_path / "packed.nq.gz")
    assert fingerprint(tmp_path / "plain.nq") == fingerprint(tmp_path / "packed.nq.gz")
    assert fingerprint(tmp_path / "plain.nq") != fingerprint(tmp_path / "changed.nq")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    """An exception while writing changes nothing in the folder."""
    target = tmp_path / "file"
    write_whole(target, b"old")

    def fail_on_the_way() -> None:
        with written_whole(target) as file:
            file.write(b"half of the n")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_on_the_way()
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    """What a writer killed on the way has left goes, what others write stays."""
    code = (
        "import os, sys, pathlib; from rdfcrawl.store.files import written_whole\n"
        "with written_whole(pathlib.Path(sys.argv[1])) as file: os.kill(os.getpid(), 9)"
    )
    for name in ("7.nq.gz", "8.nq.gz"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    remove_leftovers(tmp_path, "7.")
    assert [path.name[:9] for path in tmp_path.iterdir()] == [".8.nq.gz."]


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    """A second taker is told no, and gets the lock when the first is done."""
    with exclusive(tmp_path / "lock", wait=0) as first, exclusive(tmp_path / "lock", wait=0) as second:
        assert (first, second) == (True, False)
    with exclusive(tmp_path / "lock", wait=0) as third:
        assert third
