"""What is known of a SPARQL server without sending it anything: that there is one, and what becomes of requests."""

from __future__ import annotations

from rdfcrawl.errors import StoreError


class Refused(StoreError):
    """A server refused a request; ``status`` is the HTTP status."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class NoAnswer(StoreError):
    """A server did not answer at all, or not in time."""

    def __init__(self, message: str, in_time: bool = True) -> None:
        super().__init__(message)
        self.in_time = in_time


def is_address(location: str) -> bool:
    """Whether a location is a server rather than a file or a folder."""
    return location.startswith(("http://", "https://"))
