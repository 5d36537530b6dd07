"""A model that was checked before is not checked again, and nothing in the cache can do any harm."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from rdfcrawl.metamodel.checked import checking, memory
from rdfcrawl.metamodel.checked.memory import recalled
from rdfcrawl.metamodel.load import check_model, check_text
from rdfcrawl.metamodel.statements.text import SourceText

ROOT = Path(__file__).parents[2]
MODEL = (ROOT / "models" / "bundestag.ttl").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the cache, which is not there yet."""
    monkeypatch.delenv(memory.VARIABLE)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "rdfcrawl" / "models"


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the texts that were really checked."""
    noted: list[str] = []
    really = checking.checked_text

    def checked_text(text: SourceText) -> memory.Checked:
        noted.append(text.name)
        return really(text)

    monkeypatch.setattr(checking, "checked_text", checked_text)
    return noted


def test_the_same_text_is_checked_once(checks: list[str]) -> None:
    """The model and its warnings are the same; another name or another letter is another text."""
    with_warning = MODEL + "\n<https://unused.example/> a <https://unused.example/Thing> .\n"
    for text in (MODEL, with_warning):
        first, second = check_text(text, "a.ttl"), check_text(text, "a.ttl")
        assert first == second
        assert first.model is not None
    assert checks == ["a.ttl"] * 2
    check_text(MODEL, "b.ttl")
    check_text(MODEL + " ", "a.ttl")
    assert checks == ["a.ttl", "a.ttl", "b.ttl", "a.ttl"]


def test_warnings_come_back_with_their_lines() -> None:
    """As they were when the model was checked."""
    path = ROOT / "tests" / "cases" / "check" / "warning-id-without-address" / "model.ttl"
    warned = check_model(path)
    assert warned.model is not None
    assert warned.findings
    assert recalled(SourceText(str(path), path.read_text(encoding="utf-8"))) == warned


def test_an_invalid_model_and_one_that_names_files_are_checked_every_time(checks: list[str], kept: Path) -> None:
    """The first is about to be changed; what the second names may be gone."""
    names = MODEL + "\n<property://x> <predicate://names> <file:///nowhere> .\n"
    for text in ("<model:> <predicate://section> 5 .", names):
        assert check_text(text, "a.ttl") == check_text(text, "a.ttl")
    assert len(checks) == 4
    assert not kept.exists()


def test_another_version_checks_again(checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its shapes may be others."""
    check_text(MODEL, "a.ttl")
    memory._checker.cache_clear()
    monkeypatch.setattr(memory, "VERSION", "0.0.1")
    try:
        check_text(MODEL, "a.ttl")
    finally:
        memory._checker.cache_clear()
    assert len(checks) == 2


def _rewritten(path: Path, edit: Callable[[dict[str, object]], object]) -> None:
    digest, findings, model = path.read_bytes().split(b"\n", 2)
    plain = json.loads(model)
    edit(plain)
    path.write_bytes(b"\n".join((digest, findings, json.dumps(plain).encode())))


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda path: path.write_bytes(b""),
    "cut": lambda path: os.truncate(path, path.stat().st_size - 1),
    "not text": lambda path: path.write_bytes(b"\xff\n\xff\n\xff"),
    "deep": lambda path: path.write_bytes(b"0\n0\n" + b"[" * 1_000_000),
    "edited": lambda path: _rewritten(path, lambda plain: plain.update(digest="another")),
    "too large": lambda path: os.truncate(path, memory.MOST_BYTES + 1),
    "for everybody to write": lambda path: path.chmod(0o666),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
    "a pipe": lambda path: (path.unlink(), os.mkfifo(path)),
    "a link": lambda path: (path.rename(path.with_suffix(".moved")), path.symlink_to(path.with_suffix(".moved"))),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_file_that_cannot_be_believed_counts_as_none(kept: Path, checks: list[str], damage: str) -> None:
    """The model is checked again, and that is all."""
    first = check_text(MODEL, "a.ttl")
    (path,) = kept.iterdir()
    DAMAGES[damage](path)
    assert check_text(MODEL, "a.ttl") == first
    assert len(checks) == 2


def test_a_file_of_another_user_counts_as_none(kept: Path, checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever owns it could have written anything."""
    check_text(MODEL, "a.ttl")
    monkeypatch.setattr(os, "geteuid", lambda: os.stat(kept).st_uid + 1)
    check_text(MODEL, "a.ttl")
    assert len(checks) == 2


@pytest.mark.parametrize("place", ["/proc/nowhere", "/dev/null"])
def test_without_a_place_for_it_nothing_is_kept(place: str, checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """And nothing is said: the check itself is all that was asked for."""
    monkeypatch.setenv("XDG_CACHE_HOME", place)
    assert check_text(MODEL, "a.ttl").model is not None
    assert check_text(MODEL, "a.ttl").model is not None
    assert len(checks) == 2


def test_the_folder_is_private_and_bounded(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was written first makes room."""
    monkeypatch.setattr(memory, "MOST_FILES", 3)
    known = check_text(MODEL, "a.ttl")
    for number in range(5):
        memory.remember(SourceText(f"{number}.ttl", MODEL), known)
        os.utime(kept / f"{memory._key(SourceText(f'{number}.ttl', MODEL))}.model", (number, number))
    assert len(list(kept.iterdir())) == 3
    assert kept.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in kept.iterdir()} == {0o600}


def test_the_second_check_does_without_the_libraries_of_the_first(tmp_path: Path) -> None:
    """They are most of what the first one waits for."""
    path = tmp_path / "model.ttl"
    path.write_text(MODEL, encoding="utf-8")
    asked = (
        "import sys; from rdfcrawl.metamodel.load import load_model; "
        f"load_model({str(path)!r}); print(*({{'rdflib', 'pyshacl', 'lxml'}} & set(sys.modules)))"
    )
    said = [subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True) for _ in "12"]
    assert set(said[0].stdout.split()) == {"rdflib", "lxml"}
    assert said[1].stdout.split() == []
