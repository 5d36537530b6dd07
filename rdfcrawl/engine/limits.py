"""How much of everything a run may take; reaching a limit is a problem of one page, not the end of the run."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a run, each with its default; ``None`` is no limit.

    Only the last three end a start of the run, which can be taken up again: its pages, its hours and the free disk.
    """

    connect_seconds: float = 20.0
    response_seconds: float = 60.0
    redirects: int = 10
    body_bytes: int = 32 * 1024 * 1024
    page_seconds: float = 30.0
    elements: int = 1_000_000
    depth: int = 10_000
    extraction_seconds: float = 30.0
    list_pages: int = 10_000
    crawl_delay_seconds: float = 30.0
    retry_after_seconds: float = 300.0
    pages: int | None = None
    seconds: float | None = None
    free_bytes: int = 128 * 1024 * 1024
