"""Which addresses belong to a site."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from typing import Final

from publicsuffixlist import PublicSuffixList

from rdfcrawl.engine.address import place_of
from rdfcrawl.expressions.patterns import compiled_pattern
from rdfcrawl.metamodel.kinds.site_page import DOMAIN, HOST, PATH

_SKIP_SECONDS: Final = 0.1

Belongs = Callable[[str], bool]


def belongs_to(start: str, scope: str, skips: Sequence[str] = ()) -> Belongs:
    """The rule that decides for addresses of the web whether they belong to the site that begins at ``start``."""
    inside = _inside(start, scope)
    if not skips:
        return inside
    skipped = _skipped(tuple(skips))
    return lambda address: inside(address) and not skipped(address)


def registrable_domain(hostname: str) -> str:
    """The domain that somebody has registered, by the public suffix list; a host without any is its own."""
    return _suffixes().privatesuffix(hostname) or hostname


def _inside(start: str, scope: str) -> Belongs:
    place = place_of(start)
    if scope == HOST:
        return lambda address: place_of(address).host == place.host
    if scope == DOMAIN:
        if place.is_ip:
            return lambda address: place_of(address).hostname == place.hostname
        domain = _domain(place.hostname)
        return lambda address: _domain(place_of(address).hostname) == domain
    if scope == PATH:
        folder = _folder(start)
        # The folder itself is often linked without its slash, and over the other scheme.
        return lambda address: (_tail(address) + "/").startswith(folder)
    return lambda address: True


def _folder(start: str) -> str:
    tail = _tail(start).partition("?")[0]
    return tail[: tail.rindex("/") + 1] if "/" in tail else f"{tail}/"


def _tail(address: str) -> str:
    """The address without its scheme."""
    return address.partition("://")[2]


@lru_cache(maxsize=4096)
def _domain(hostname: str) -> str:
    return registrable_domain(hostname.rstrip("."))


@cache
def _suffixes() -> PublicSuffixList:
    return PublicSuffixList()


@lru_cache(maxsize=64)
def _skipped(skips: tuple[str, ...]) -> Belongs:
    patterns = [compiled_pattern(skip) for skip in skips]

    def skipped(address: str) -> bool:
        try:
            return any(pattern.search(address, timeout=_SKIP_SECONDS) for pattern in patterns)
        except TimeoutError:
            # An expression that takes so long on an address says nothing about it.
            return False

    return skipped
