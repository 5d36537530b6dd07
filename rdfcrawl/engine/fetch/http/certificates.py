"""The system's certificates, loaded with the first connection that needs them.

The library for HTTP loads them twice while it is imported, which took an eighth of a small draft; pages at ``http://``
addresses need none of them.
"""

from __future__ import annotations

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def loaded_when_used() -> Iterator[None]:
    """Whatever is imported inside gets contexts that load the certificates of the system when they are first used.

    They verify what they verified: until then they know no certificate at all, and would trust nobody.
    """
    ssl.SSLContext.set_default_verify_paths = _load_later  # type: ignore[method-assign, assignment]
    try:
        yield
    finally:
        # What is hidden is the method of the class that this one is derived from.
        del ssl.SSLContext.set_default_verify_paths


def _load_later(context: Any) -> None:
    def wrap_bio(*arguments: Any, **named: Any) -> ssl.SSLObject:
        _load(context)
        wrapped: ssl.SSLObject = context.wrap_bio(*arguments, **named)
        return wrapped

    def wrap_socket(*arguments: Any, **named: Any) -> ssl.SSLSocket:
        _load(context)
        wrapped: ssl.SSLSocket = context.wrap_socket(*arguments, **named)
        return wrapped

    context.wrap_bio, context.wrap_socket = wrap_bio, wrap_socket


def _load(context: Any) -> None:
    del context.wrap_bio, context.wrap_socket
    context.set_default_verify_paths()
