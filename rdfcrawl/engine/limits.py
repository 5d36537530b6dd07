"""How much of each resource a run may use; reaching a limit is a problem of one page, not the end of the run."""

from __future__ import annotations

import errno
import resource
from collections.abc import Iterable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Final

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import Stopped, UsageError

_OTHER_FILES: Final = 128
"""What a run opens besides connections: the queue, the store, archives, workers, a browser."""
_LEAST_CONNECTIONS: Final = 4

OUT_OF_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS})
"""The errors of a disk that takes no more."""


@dataclass(frozen=True, slots=True)
class RunLimits:
    """The limits of a run, each with its default; ``None`` is no limit.

    In a survey, HTML of more than ``html_bytes`` is a file like any other; what is ``levels`` links away is not read,
    and of addresses that differ only in a date, a session number or the order of their query no more than so many are.
    Pages that are left when the ``pages`` or ``seconds`` of a run are used up are not read in it. With less than
    ``free_bytes`` on the disk the run stops, and can be resumed when there is room again.
    """

    connections: int = 256
    connect_seconds: float = 20.0
    response_seconds: float = 60.0
    redirects: int = 10
    body_bytes: int = 32 * 1024 * 1024
    page_seconds: float = 30.0
    elements: int = 1_000_000
    depth: int = 1_000
    extraction_seconds: float = 30.0
    worker_bytes: int = 512 * 1024 * 1024
    list_pages: int = 10_000
    html_bytes: int = 10 * 1024 * 1024
    levels: int = 1_000
    calendar_pages: int = 1_000
    session_pages: int = 100
    query_orders: int = 1
    crawl_delay_seconds: float = 30.0
    retry_after_seconds: float = 300.0
    aside_seconds: float = 15.0
    pages: int | None = None
    seconds: float | None = None
    free_bytes: int = 128 * 1024 * 1024

    def with_settings(self, settings: Iterable[str]) -> RunLimits:
        """These limits changed by settings like ``body-bytes=1000000``; raises ``UsageError``."""
        changed: dict[str, Any] = {}
        known = {name.replace("_", "-"): getattr(self, name) for name in SETTABLE}
        for setting in settings:
            name, _, value = setting.partition("=")
            if name not in known:
                listed = ", ".join(f"{name}={default or 'N'}" for name, default in known.items())
                raise UsageError(f"there is no limit {name or setting}; the limits are {listed}")
            try:
                number = type(known[name] or 0)(value)
            except ValueError:
                number = 0
            if number <= 0:
                raise UsageError(f"--max {setting}: a number above 0 is expected, like {name}={known[name] or 1000}")
            changed[name.replace("-", "_")] = number
        return replace(self, **changed)


LOOKING_ON: Final = RunLimits(extraction_seconds=15.0)
"""The limits of a single page that somebody looks at, and waits for."""


def connections_at_once(limits: RunLimits) -> int:
    """How many connections a run may have at once over all hosts: fewer where the system allows fewer open files.

    As many again may be kept open for later requests.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if files == resource.RLIM_INFINITY:
        return limits.connections
    return max(_LEAST_CONNECTIONS, min(limits.connections, (files - _OTHER_FILES) // 3))


SETTABLE: Final = tuple(limit.name for limit in fields(RunLimits) if limit.default is not None or limit.name == "pages")
"""The limits that have a number by default, and that of the pages."""


def list_ends(pages: int) -> str:
    """The message about a list that is not read to its end, over HTTP or in the browser."""
    return f"the list has more than {pages:,} pages; it ends here"


def too_slow(seconds: float) -> str:
    """The message about a page that is not read in time."""
    return f"reading the page takes more than {seconds:g} seconds; its XPaths cost too much here"


def too_much_memory(most_bytes: int) -> str:
    """The message about a page that cannot be read within the memory of a worker."""
    return f"reading the page takes more memory than the {most_bytes:,} bytes that a worker may have"


def ensure_room(folder: Path, free_bytes: int) -> None:
    """Raise ``Stopped`` before the disk is full, while there is room to end the run properly."""
    import shutil

    free = shutil.disk_usage(folder).free
    if free < free_bytes:
        raise Stopped(
            f"the disk of {folder} has only {free // 1024**2:,} MiB left, too little to continue; "
            "free some space, and the same command resumes the run"
        )
