"""Lists of names: counted from full names, written, read, scaled; and what is wrong with a file is said."""

from __future__ import annotations

import gzip
import lzma
import pickle
import runpy
import subprocess
import sys
import unicodedata
import zipfile
from pathlib import Path

import pytest

from rdfcrawl.recognise.lists.counting import count_full_names
from rdfcrawl.recognise.lists.files import NameListError, name_list, read_name_list, write_name_list
from rdfcrawl.recognise.lists.name_list import REFERENCE_NAMES, NameList, packed

FULL = ["Ada Lovelace", "Grace Brewster Hopper", "Jan van der Berg", "Otto III, Emperor", "Cher", "J. R. Smith"]


def test_full_names_are_counted_by_their_words() -> None:
    """The first words are given names, the last is a family name; particles, initials and remarks do not count."""
    made = count_full_names(FULL).listed("test")
    assert made.total == 3
    scale = REFERENCE_NAMES // 3
    assert made.counts("Brewster") == (pytest.approx(scale, abs=1), 0)
    assert made.counts("Hopper") == (0, pytest.approx(scale, abs=1))
    assert made.counts("van") == (0, 0)
    assert "otto" not in made.words


def test_accents_that_are_characters_of_their_own_do_not_divide_a_name() -> None:
    """Files from some systems write them so."""
    made = count_full_names([unicodedata.normalize("NFD", "Jörg Schäfer")]).listed("test")
    assert set(made.words) == {"jorg", "schafer"}


@pytest.mark.parametrize("name", ["list.tsv", "list.tsv.gz", "list.tsv.xz"])
def test_a_list_is_read_as_it_was_written(tmp_path: Path, name: str) -> None:
    """Plain and compressed."""
    made = count_full_names(FULL).listed("test")
    write_name_list(made, tmp_path / name)
    read = read_name_list(tmp_path / name)
    assert (read.total, read.words) == (made.total, made.words)


def test_hyphenated_names_and_accents_are_looked_up() -> None:
    """ "Anna-Lena" is known where Anna and Lena are, "Müller" where Muller is."""
    made = NameList("test", REFERENCE_NAMES, {"anna": packed(9, 0), "lena": packed(4, 1), "muller": packed(0, 7)})
    assert made.counts("Anna-Lena") == (4, 0)
    assert made.counts("Müller") == (0, 7)
    assert made.counts("Anna-Xy") == (0, 0)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"anna\t1\t2\n", ":1: not a list of names"),
        (b"# rdfcrawl names 1\nanna\tmany\t2\n", ":2: 'many' is not a count"),
        (b"# rdfcrawl names 1\n", "is empty"),
        (lzma.compress(b"# rdfcrawl names 1\nanna\t1\t2\n")[:40] + b"xx", "is damaged"),
        (gzip.compress(b"\xff\xfe", mtime=0), "is damaged"),
    ],
    ids=["no header", "no count", "empty", "cut off", "not UTF-8"],
)
def test_a_wrong_file_is_named_with_its_line(tmp_path: Path, content: bytes, said: str) -> None:
    """The message says what would be right."""
    path = tmp_path / "names.tsv"
    path.write_bytes(content)
    with pytest.raises(NameListError, match=said):
        read_name_list(path)


def test_the_packaged_list_knows_common_names_and_has_its_licence_beside_it() -> None:
    """As it is installed."""
    names = name_list(None)
    assert len(names) > 80_000
    given, family = names.counts("Hannah")
    assert given > 100 > family
    folder = Path("rdfcrawl/recognise/lists")
    assert "Apache License" in (folder / "names.LICENSE").read_text(encoding="utf-8")
    assert "name2nat" in (folder / "names.md").read_text(encoding="utf-8")


def test_the_script_counts_a_wheel_and_refuses_one_with_more_than_data(tmp_path: Path) -> None:
    """A pickle that would run something is not read."""
    wheel = tmp_path / "name2nat.whl"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("name2nat/name2nats.pkl", pickle.dumps({"x": subprocess.run}))
    command = [sys.executable, "scripts/build-name-list", str(wheel)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode != 0
    assert "only plain data is read" in ended.stderr
    script = runpy.run_path("scripts/build-name-list", run_name="script")
    assert script["LEAST"] == 3
