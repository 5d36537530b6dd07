"""Remembers valid models in the user's cache folder, so that a text that has not changed is not checked again.

A model is found again by its bytes, its name, and what has checked it: the version of rdfcrawl and of Python, the files
of the metamodel and the installed packages. A file of the cache is believed only if nobody but its owner can have
written it and if it is whole; everything else counts as nothing, and no trouble with the cache stops a command.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from rdfcrawl.metamodel.check.findings import Finding, Severity
from rdfcrawl.metamodel.checked.result import Checked
from rdfcrawl.metamodel.model import Model
from rdfcrawl.metamodel.plain import model_from_json, model_to_json
from rdfcrawl.metamodel.statements.text import SourceText
from rdfcrawl.version import VERSION

VARIABLE: Final = "RDFCRAWL_CACHE"
"""Names another folder than that of the user's caches."""
MOST_FILES: Final = 64
MOST_BYTES: Final = 4 << 20
_FORMAT: Final = 1
_ENDING: Final = ".model"
_WRITABLE_BY_OTHERS: Final = stat.S_IWGRP | stat.S_IWOTH


def recalled(text: SourceText) -> Checked | None:
    """What the last check of the same text has found, if it is known."""
    key = _key(text)
    try:
        content = _read_own(_folder() / (key + _ENDING))
        digest, findings, model = content.split(b"\n", 2)
        if digest.decode() != _digest(key, findings, model):
            return None
        return Checked(model_from_json(model), tuple(_finding(text.name, said) for said in json.loads(findings)))
    except (OSError, RuntimeError, ValueError, LookupError, TypeError):
        # No home, no file, somebody else's file, half a file, a file of another kind.
        return None


def remember(text: SourceText, checked: Checked) -> None:
    """Keep the result of a check, if it depends on the text alone; the files that were written first make room."""
    if checked.model is None or _depends_on_files(checked.model):
        return
    key = _key(text)
    findings = json.dumps([_plain(finding) for finding in checked.findings]).encode()
    model = model_to_json(checked.model)
    content = b"\n".join((_digest(key, findings, model).encode(), findings, model))
    if len(content) > MOST_BYTES:
        return
    with contextlib.suppress(OSError, RuntimeError):
        folder = _folder()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder / (key + _ENDING), content)
        _make_room(folder)


def _folder() -> Path:
    if own := os.environ.get(VARIABLE):
        return Path(own) / "models"
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if os.path.isabs(named) else Path.home() / ".cache") / "rdfcrawl" / "models"


def _key(text: SourceText) -> str:
    return _digest(text.name, str(text.n3), text.text, *_checker())


@cache
def _checker() -> tuple[str, ...]:
    """Everything besides the text that decides what a check finds."""
    package = Path(__file__).parents[1]
    files = sorted(path for path in package.rglob("*") if path.suffix in (".py", ".ttl"))
    installed = [Path(place) for place in sys.path if place.endswith(("site-packages", "dist-packages"))]
    return (str(_FORMAT), VERSION, sys.version, *(_state(path) for path in (*files, *installed)))


def _state(path: Path) -> str:
    try:
        about = path.stat()
    except OSError:
        return f"{path} missing"
    return f"{path} {about.st_size} {about.st_mtime_ns}"


def _depends_on_files(model: Model) -> bool:
    """Whether the model names a recogniser or a list of names, which may be gone tomorrow."""
    return any(prop.recognise or prop.names for item in model.items() for prop in item.properties)


def _digest(*parts: str | bytes) -> str:
    """A digest that tells apart how the parts are divided."""
    found = hashlib.sha256()
    for part in parts:
        octets = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        found.update(len(octets).to_bytes(8, "big"))
        found.update(octets)
    return found.hexdigest()


def _read_own(path: Path) -> bytes:
    """The bytes of a file that only this user can have written; raises ``OSError`` for any other."""
    with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
        about = os.fstat(file.fileno())
        is_own = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
        if not is_own or about.st_mode & _WRITABLE_BY_OTHERS or about.st_size > MOST_BYTES:
            raise PermissionError(f"{path} is not believed")
        return file.read(MOST_BYTES)


def _write(path: Path, content: bytes) -> None:
    """Write a file as a whole; half of one is never seen under its name."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=_ENDING)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _make_room(folder: Path) -> None:
    for _, path in sorted(_written(folder))[:-MOST_FILES]:
        path.unlink(missing_ok=True)


def _written(folder: Path) -> Iterator[tuple[int, Path]]:
    for path in folder.glob("*" + _ENDING):
        with contextlib.suppress(FileNotFoundError):
            yield path.lstat().st_mtime_ns, path


def _plain(finding: Finding) -> list[str | int | None]:
    """A finding without its file, which is the name of the text."""
    return [
        finding.severity.value,
        finding.line,
        finding.column,
        finding.resource,
        finding.term,
        finding.message,
        finding.advice,
    ]


def _finding(file: str, plain: Any) -> Finding:
    severity, line, column, resource, term, message, advice = plain
    return Finding(Severity(severity), file, line, column, resource, term, message, advice)
