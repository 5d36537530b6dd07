"""Files are whole or not there, and one process at a time holds a lock."""

from __future__ import annotations

import gzip
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from rdfcrawl.store.files.lines import write_sorted
from rdfcrawl.store.files.locks import exclusive
from rdfcrawl.store.files.whole import fingerprint, packed_whole, remove_leftovers, write_whole, written_whole
from tests.forking import synchronise


def test_the_fingerprint_is_that_of_the_content(tmp_path: Path) -> None:
    """A file and its compressed form have one fingerprint, another content has another."""
    (tmp_path / "plain.nq").write_bytes(b"a\nb\n")
    (tmp_path / "changed.nq").write_bytes(b"a\nc\n")
    write_sorted(tmp_path / "plain.nq", tmp_path / "packed.nq.gz")
    assert fingerprint(tmp_path / "plain.nq") == fingerprint(tmp_path / "packed.nq.gz")
    assert fingerprint(tmp_path / "plain.nq") != fingerprint(tmp_path / "changed.nq")


def test_equal_contents_make_equal_compressed_files(tmp_path: Path) -> None:
    """In whatever pieces they are written: a run that was killed writes other ones."""
    content = b"".join(b'<http://a.example/%d> <p:> "x" .\n' % number for number in range(100_000))
    written = []
    for piece in (1000, 99_991, len(content)):
        with packed_whole(tmp_path / "packed.gz") as file:
            for start in range(0, len(content), piece):
                file.write(content[start : start + piece])
        written.append((tmp_path / "packed.gz").read_bytes())
    assert len(content) > 2 << 20
    assert written[0] == written[1] == written[2]
    assert gzip.decompress(written[0]) == content


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


def test_a_file_is_on_the_disk_before_it_takes_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And its name is before anything relies on it; otherwise a power cut could leave an empty file."""
    steps = []
    synchronise(monkeypatch)
    fsync, rename = os.fsync, os.replace

    def noted_fsync(descriptor: int) -> None:
        fsync(descriptor)
        steps.append("folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file")

    def noted_replace(source: str, target: Path) -> None:
        rename(source, target)
        steps.append("name")

    monkeypatch.setattr(os, "fsync", noted_fsync)
    monkeypatch.setattr(os, "replace", noted_replace)
    write_whole(tmp_path / "file", b"content")
    assert steps == ["file", "name", "folder"]
    assert (tmp_path / "file").read_bytes() == b"content"


def test_leftovers_of_a_killed_process_are_removed(tmp_path: Path) -> None:
    """What a writer killed on the way has left goes, what others write stays."""
    code = (
        "import os, sys, pathlib; from rdfcrawl.store.files.whole import written_whole\n"
        "with written_whole(pathlib.Path(sys.argv[1])) as file: os.kill(os.getpid(), 9)"
    )
    for name in ("7.nq.gz", "8.nq.gz"):
        subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    remove_leftovers(tmp_path, "7.")
    assert [path.name[:9] for path in tmp_path.iterdir()] == [".8.nq.gz."]


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    """A second taker is refused, and gets the lock when the first is done."""
    with exclusive(tmp_path / "lock", wait=0) as first, exclusive(tmp_path / "lock", wait=0) as second:
        assert (first, second) == (True, False)
    with exclusive(tmp_path / "lock", wait=0) as third:
        assert third
