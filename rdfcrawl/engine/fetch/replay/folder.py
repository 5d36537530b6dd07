"""A folder ``host/path`` that answers in place of the network, at the original addresses.

``http://host/a/b?x=1`` is looked for at ``host/a/b@x=1`` (also with ``.html``, ``.json`` or ``.csv``, or as
``index.html`` of a folder). A file serves every request that has at least its parameters, the file with the most
parameters first: as on a real server, parameters that mean nothing change nothing. ``responses.toml`` at the top of the
folder can set another status or other headers for addresses::

    ["http://site.example/old"]
    status = 301
    headers = { Location = "/new" }
"""

from __future__ import annotations

import mimetypes
import tomllib
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qsl, unquote

from rdfcrawl.engine.address import host_of, target_of
from rdfcrawl.engine.fetch.answers import readable_headers
from rdfcrawl.engine.fetch.session import Exchange, FetchFailed
from rdfcrawl.engine.limits import RunLimits
from rdfcrawl.engine.problem import ProblemKind
from rdfcrawl.errors import UsageError

_SUFFIXES: Final = (".html", ".json", ".csv")
"""What the name of a file may end with though the address does not."""
RESPONSES: Final = "responses.toml"


class FolderSource:
    """Answers from files."""

    def __init__(self, *folders: Path) -> None:
        """Earlier folders go before later ones, file by file."""
        for folder in folders:
            if not folder.is_dir():
                raise UsageError(f"there is no folder {folder} to replay from")
        self.body_bytes = RunLimits().body_bytes
        self._folders = folders
        self._names: dict[Path, tuple[str, ...]] = {}

    async def answer(self, address: str, method: str = "GET", body: bytes | None = None) -> Exchange | None:
        """The file at the address, as an answer of a server; ``None`` if there is none."""
        said = self._responses.get(address.partition("#")[0], {})
        file = self._find(address)
        if file is None and not said:
            return None
        content = self._content(file) if file else b""
        headers = {"Content-Type": _content_type(file)} if file else {}
        headers |= said.get("headers", {})
        return Exchange(
            address, method, {}, int(said.get("status", 200)), "", readable_headers(headers.items()), content
        )

    def _content(self, file: Path) -> bytes:
        with file.open("rb") as opened:
            content = opened.read(self.body_bytes + 1)
        if len(content) > self.body_bytes:
            raise FetchFailed(ProblemKind.LIMIT, f"the body is larger than {self.body_bytes:,} bytes")
        return content

    @cached_property
    def _responses(self) -> dict[str, dict[str, Any]]:
        said: dict[str, dict[str, Any]] = {}
        for folder in reversed(self._folders):
            if (path := folder / RESPONSES).is_file():
                said |= tomllib.loads(path.read_text(encoding="utf-8"))
        return said

    def _find(self, address: str) -> Path | None:
        host = host_of(address)
        asked, _, query = target_of(address).partition("?")
        path = unquote(asked).strip("/")
        if host in ("", ".") or ".." in (host, *path.split("/")):
            return None
        parameters = set(parse_qsl(query, keep_blank_values=True))
        for folder in self._folders:
            place = folder / host / path
            matches = [found for found in self._candidates(place) if found[0] <= parameters]
            if matches:
                return max(matches, key=lambda found: len(found[0]))[1]
        return None

    def _candidates(self, place: Path) -> Iterator[tuple[frozenset[tuple[str, str]], Path]]:
        """The files that may stand for a path, each with the parameters that it needs."""
        for folder, stem in ((place.parent, place.name), (place, "index")):
            for name in self._files(folder):
                if name in (stem, *(f"{stem}{suffix}" for suffix in _SUFFIXES)):
                    yield frozenset(), folder / name
                elif name.startswith(f"{stem}@"):
                    query = name[len(stem) + 1 :]
                    query = query.removesuffix(next((suffix for suffix in _SUFFIXES if query.endswith(suffix)), ""))
                    yield frozenset(parse_qsl(query, keep_blank_values=True)), folder / name

    def _files(self, folder: Path) -> tuple[str, ...]:
        if folder not in self._names:
            try:
                self._names[folder] = tuple(sorted(path.name for path in folder.iterdir() if path.is_file()))
            except (OSError, ValueError):
                # There is no such folder, or the name is impossible for a folder.
                self._names[folder] = ()
        return self._names[folder]


def _content_type(file: Path) -> str:
    name = file.name if file.suffix in (".css", ".js", ".xml", *_SUFFIXES) else file.name.partition("@")[0]
    guessed = mimetypes.guess_type(name)[0]
    return guessed if guessed and guessed not in ("application/octet-stream",) else "text/html"
