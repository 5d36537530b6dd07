"""Answers that are data, such as JSON and CSV: a browser shows them in its own form, or saves them to a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from rdfcrawl.engine.fetch.answers import decoded_headers, header_of
from rdfcrawl.engine.fetch.session import Exchange

_DATA: Final = frozenset(
    ("application/json", "text/json", "text/csv", "application/csv", "text/x-csv", "text/tab-separated-values")
)


def is_data(headers: Iterable[tuple[str, str]]) -> bool:
    """Whether an answer is JSON or CSV."""
    said = (header_of(headers, "content-type") or "").partition(";")[0].strip().lower()
    return said in _DATA or said.endswith("+json")


def shown_as_text(exchange: Exchange) -> dict[str, Any]:
    """The head of the same answer in such a way that a browser shows it as it is."""
    kept = [
        (name, value)
        for name, value in decoded_headers(exchange.headers)
        if name.lower() not in ("content-type", "content-disposition")
    ]
    headers = [*kept, ("Content-Type", "text/plain; charset=utf-8")]
    return {
        "responseCode": exchange.status,
        "responseHeaders": [{"name": name, "value": value} for name, value in headers],
    }
