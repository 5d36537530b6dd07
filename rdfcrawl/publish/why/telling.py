"""Explanations, told by ``rdfcrawl explain`` in processes with limits, and kept for the next readers."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import resource
import signal
import sys
import tempfile
from collections import OrderedDict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.publish.server.lanes import Lane

COMMAND: Final = (sys.executable, "-P", "-m", "rdfcrawl", "explain")
NOTHING_KEPT: Final = "nothing-kept"
NOT_SHOWN: Final = "not-shown"
NEEDS_BROWSER: Final = "needs-browser"
_AT_ONCE: Final = 2
_WAITING, _WAITING_EACH = 40, 8
_NICENESS: Final = 5
_MEMORY: Final = 2 << 30
_MOST_BYTES: Final = 8 << 20
_KEPT: Final = 32
_FAILED: Final = "it could not be read again; rdfcrawl explain says more"
_TOO_SLOW: Final = "reading the page again takes too long here; rdfcrawl explain takes its time"
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ToldValue:
    """The way of one value: the element, the steps with their rules and texts, and the term or why there is none.

    ``mark`` is the id of the element in the framed page, if people see it there; ``element`` is its source.
    """

    predicate: str
    path: str
    place: str | None
    steps: tuple[tuple[str, str, str], ...]
    type: str
    reasons: tuple[str, ...]
    stopped: str | None
    triple: str | None
    mark: str | None
    element: str


@dataclass(frozen=True, slots=True)
class Told:
    """Where an object comes from; ``html`` is its page with the elements marked, written anew and still not trusted.

    ``is_unrendered`` if the run has read it in a browser, and here are only those parts that need none.
    """

    run: int
    address: str
    engine: str
    fetched: str | None
    root_path: str
    root: str | None
    stopped: str | None
    values: tuple[ToldValue, ...]
    html: str | None
    is_cut: bool
    is_unrendered: bool = False


@dataclass(frozen=True, slots=True)
class Untold:
    """Why there is no explanation; without ``kept`` pages, or for pages of a browser, there never will be one here."""

    reason: str
    kept: bool = True
    needs_browser: bool = False


class Teller:
    """Asks for explanations, few at once, each client one after the other."""

    def __init__(self, store: Path, seconds: float = 30.0, command: Sequence[str] = COMMAND) -> None:
        self._store = store
        self._seconds = seconds
        self._command = tuple(command)
        self._lane = Lane(_AT_ONCE, _WAITING, _WAITING_EACH)
        self._told: OrderedDict[tuple[int, str], Told] = OrderedDict()

    async def explain(self, iri: str, run: int, client: str) -> Told | Untold:
        """Why a run says what it says of an object; raises ``Overcrowded``."""
        if (known := self._told.get((run, iri))) is not None:
            return known
        async with self._lane.place(client):
            # Somebody else may have asked for the same while this one waited.
            told = self._told.get((run, iri)) or await self._ask(iri, run)
        if isinstance(told, Told):
            self._told[run, iri] = told
            while len(self._told) > _KEPT:
                self._told.popitem(last=False)
        return told

    async def _ask(self, iri: str, run: int) -> Told | Untold:
        options = ("--format", "json", "--page", "--no-browser", "--run", str(run), "--store", str(self._store))
        with tempfile.TemporaryFile() as output:
            try:
                await self._run((*self._command, *options, "--", iri), output)
            except TimeoutError:
                return Untold(_TOO_SLOW)
            except OSError as error:
                _log.warning("no process can be started to explain: %s", error)
                return Untold(_FAILED)
            output.seek(0)
            return _told(output.read(_MOST_BYTES + 1))

    async def _run(self, command: Sequence[str], output: IO[bytes]) -> None:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=asyncio.subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            with suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, process.pid, _NICENESS)
                if sys.platform == "linux":
                    resource.prlimit(process.pid, resource.RLIMIT_AS, (_MEMORY, _MEMORY))
            await asyncio.wait_for(process.wait(), self._seconds)
        finally:
            if process.returncode is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()


def _told(output: bytes) -> Told | Untold:
    try:
        said: dict[str, Any] = json.loads(output)
        if "error" in said:
            kept = said["kind"] != NOTHING_KEPT
            # Other messages may name folders of this machine.
            is_safe = said["kind"] in (NOT_SHOWN, NEEDS_BROWSER)
            return Untold(said["error"] if is_safe else _FAILED, kept, said["kind"] == NEEDS_BROWSER)
        values = [ToldValue(**_tuples({name: one[name] for name in ToldValue.__slots__})) for one in said["values"]]
        return Told(
            run=said["run"],
            address=said["address"],
            engine=said["engine"],
            fetched=said["fetched"],
            root_path=said["root"]["path"] or "",
            root=said["root"]["place"],
            stopped=said["stopped"],
            values=tuple(values),
            html=said["html"],
            is_cut=said["cut"],
            is_unrendered=said["unrendered"],
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        _log.warning("an explanation cannot be read: %s", error)
        return Untold(_FAILED)


def _tuples(fields: dict[str, Any]) -> dict[str, Any]:
    return fields | {"steps": tuple(map(tuple, fields["steps"])), "reasons": tuple(fields["reasons"])}
