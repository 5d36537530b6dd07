"""The cookies of a run over plain HTTP: kept as browsers keep them, by the public suffix list, and not without end."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from http.cookies import Morsel, SimpleCookie
from typing import Any, Final

from aiohttp import CookieJar
from aiohttp.abc import AbstractCookieJar
from aiohttp.typedefs import LooseCookies
from publicsuffixlist import PublicSuffixList
from yarl import URL

from rdfcrawl.engine.fetch.session_cookies import StoredCookie

_MOST: Final = 3000
_LONGEST: Final = 4096
"""Characters of a cookie, as in browsers."""


class SiteCookies(CookieJar):
    """Cookies that stay within the site that has set them: none is for everything below ``com`` or ``co.uk``."""

    def __init__(self) -> None:
        # Hosts that are IP addresses have cookies as well, each its own.
        super().__init__(unsafe=True)

    def update_cookies(self, cookies: LooseCookies, response_url: URL = URL()) -> None:  # noqa: B008
        """Keep what a host may set."""
        host = response_url.raw_host or ""
        if len(self) > _MOST:
            # Only a host that means harm gets here, and it loses its own.
            self.clear_domain(host)
        super().update_cookies(list(_admitted(cookies, host)), response_url)

    def update_cookies_from_headers(self, headers: Sequence[str], response_url: URL) -> None:
        """Keep what a host may set; newer versions of aiohttp would not ask ``update_cookies`` about it."""
        AbstractCookieJar.update_cookies_from_headers(self, headers, response_url)


def stored_cookies(jar: AbstractCookieJar, host: str) -> list[StoredCookie]:
    """The cookies of a jar that are meant for a host."""
    found = []
    for morsel in jar:
        domain = morsel["domain"].lstrip(".").lower()
        if host == domain or host.endswith(f".{domain}"):
            is_secure = bool(morsel["secure"])
            found.append(
                StoredCookie(morsel.key, morsel.value, domain, morsel["path"] or "/", is_secure, host == domain)
            )
    return found


def put_cookies(jar: AbstractCookieJar, cookies: Iterable[StoredCookie]) -> None:
    """Add cookies to a jar."""
    for cookie in cookies:
        morsel: Morsel[str] = SimpleCookie({cookie.name: ""})[cookie.name]
        morsel.set(cookie.name, cookie.value, cookie.value)
        morsel["path"] = cookie.path
        if cookie.secure:
            morsel["secure"] = True
        if not cookie.host_only:
            morsel["domain"] = cookie.domain
        scheme = "https" if cookie.secure else "http"
        jar.update_cookies([(cookie.name, morsel)], URL(f"{scheme}://{cookie.domain}{cookie.path}"))


def is_public_suffix(domain: str) -> bool:
    """Whether hosts of strangers are below a domain; unknown top-level domains count as such."""
    return bool(_suffixes().is_public(domain))


def _admitted(cookies: LooseCookies, host: str) -> Iterator[tuple[str, Any]]:
    pairs: Iterable[tuple[str, Any]] = cookies.items() if isinstance(cookies, Mapping) else cookies
    for name, cookie in pairs:
        if isinstance(cookie, Morsel):
            if len(name) + len(cookie.value) > _LONGEST:
                continue
            domain = cookie["domain"].strip(".").lower()
            if domain and is_public_suffix(domain):
                if domain != host:
                    continue
                # A host that is itself a suffix, such as localhost, has cookies that are only its own.
                cookie["domain"] = ""
        yield name, cookie


@cache
def _suffixes() -> PublicSuffixList:
    """The list as the package holds it; nothing is downloaded."""
    return PublicSuffixList()
