"""Turns the addresses that pages contain into the absolute IRIs that a browser would open.

Addresses are read by the rules of the WHATWG, as in browsers. One spelling per address matters more than the page's own
spelling: the address of a link, the IRI of the object behind it and a value that mentions it are the same node only if
they are the same text.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from ada_url import HostType, check_url, join_url, normalize_url, parse_url

from rdfcrawl.dataclass import dataclass
from rdfcrawl.errors import quoted

_WEB: Final = frozenset({"http", "https", "ftp", "ws", "wss"})
"""The schemes whose addresses the WHATWG spells in one way; all others are kept as they are."""
_LONGEST: Final = 32_768
"""No server accepts longer ones, and every address is kept in the queue, the archive and the store."""
_SCRIPTS: Final = frozenset({"javascript", "vbscript"})
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_FOREIGN_HOST: Final = re.compile(r"//(?:[^/?#@]*@)?[^/?#@:]*(?::[0-9]*)?(?:[/?#]|$)")
_AROUND: Final = "".join(char for char in map(chr, range(0x3001)) if char <= " " or char.isspace())
_IGNORED_BY_BROWSERS: Final = str.maketrans("", "", "\t\n\r")
_SURROGATE: Final = re.compile("[\ud800-\udfff]")
# Browsers leave some of these as they are, but no IRI may contain them. Characters outside ASCII are allowed in an
# IRI, but browsers and servers name the page with the escapes.
_ESCAPED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]")
_HOST: Final = re.compile(r"(?:[-.0-9_a-z~]+|\[[0-9a-f:]+\])(?::[0-9]+)?")
_FRONT: Final = re.compile(r"[^/\\?#]*[/\\]*[^/\\?#]*")
_AUTHORITY: Final = re.compile(r"(?:[A-Za-z]+:)?[/\\]{2,}([^/\\?#]*)")
_PLAIN: Final = re.compile(
    r"(https?://[^/\\?#]++)(?:/(?!\.)(?:[!$&()*+,\-.0-9:;=@A-Z_a-z~]++|%(?!2[Ee])[0-9A-Fa-f]{2})*+)++"
    r"(?:\?(?:[!$&()*+,\-./0-9:;=?@A-Z_a-z~]++|%[0-9A-Fa-f]{2})++)?+"
)
"""Addresses that have nothing behind their host that is spelled in another way: no dots as a folder, no fragment.

Nothing in it is tried in two ways: a page chooses the addresses, and some would take for ever.
"""


@dataclass(frozen=True, slots=True)
class AddressPlace:
    """Where an address is: its scheme, the name of its host, the ``host`` with its port, and the ``origin``.

    ``is_ip`` says whether the host is an IP address, however the address spells it.
    """

    scheme: str
    hostname: str
    host: str
    origin: str
    is_ip: bool


_NOWHERE: Final = AddressPlace("", "", "", "", False)


class BadAddress(ValueError):
    """The text leads nowhere; the message says why."""


def resolve(reference: str, base: str) -> str:
    """The absolute address that ``reference`` means on a page with this base address."""
    # Most addresses have been spelled before: those of the queue, and those that a server writes as it names its pages.
    if (plain := _PLAIN.fullmatch(reference)) and len(reference) <= _LONGEST and _is_spelled(plain[1]):
        return reference
    text = reference.strip(_AROUND).translate(_IGNORED_BY_BROWSERS)
    if not text:
        raise BadAddress("there is no address")
    if len(text) > _LONGEST:
        raise BadAddress(f"{quoted(reference)} has {len(text):,} characters; an address has {_LONGEST:,} at most")
    scheme = match[1].lower() if (match := _SCHEME.match(text)) else ""
    if scheme in _SCRIPTS:
        raise BadAddress(f"{quoted(reference)} is a script, not an address")
    if scheme and scheme not in _WEB:
        return _opaque(scheme, text)
    if not text.isascii():
        text = _SURROGATE.sub("\ufffd", text)
    try:
        return _spelled(_joined(text, base))
    except BadAddress:
        raise
    except ValueError:
        raise BadAddress(f"{quoted(reference)} is not an address: {_reason(text)}") from None


def place_of(address: str) -> AddressPlace:
    """Where an address is; of the many addresses of one place, only the first has to be parsed."""
    return _place(_front(address))


def host_of(address: str) -> str:
    """The part of an address by which requests are paced."""
    return place_of(address).host


def origin_of(address: str) -> str:
    """Scheme, host and port of an address: what credentials and robots.txt are for."""
    return place_of(address).origin


def target_of(address: str) -> str:
    """What a request for the address sends to its host: path and query."""
    target = address[len(_front(address)) :].partition("#")[0]
    return target if target.startswith("/") else f"/{target}"


def _front(address: str) -> str:
    """The address up to its path; backslashes are slashes, as in browsers."""
    front = _FRONT.match(address)
    return front[0] if front else ""


@lru_cache(maxsize=4096)
def _place(front: str) -> AddressPlace:
    try:
        parts = parse_url(front, ("protocol", "hostname", "host", "host_type"))
    except ValueError:
        return _NOWHERE
    scheme, host = parts["protocol"].removesuffix(":"), parts["host"]
    is_ip = parts["host_type"] is not HostType.DEFAULT
    return AddressPlace(scheme, parts["hostname"].strip("[]"), host, f"{scheme}://{host}", is_ip)


def _joined(text: str, base: str) -> str:
    try:
        return join_url(base, text)
    except ValueError:
        if check_url(base):
            raise
    return normalize_url(text)


def _opaque(scheme: str, text: str) -> str:
    rest = text[len(scheme) + 1 :]
    # "Hinweis: siehe unten" would otherwise be an address with the scheme "hinweis".
    if not rest or any(char.isspace() for char in rest):
        raise BadAddress(f"{quoted(text)} is text, not an address")
    if rest.startswith("//") and not _FOREIGN_HOST.match(rest):
        raise BadAddress(f"{quoted(text)} is not an address: it names no host")
    front, mark, fragment = rest.partition("#")
    return f"{scheme}:{_escaped(front)}{mark}{_escaped(fragment)}"


def _spelled(address: str) -> str:
    """The IRI for an address in the spelling of the WHATWG."""
    front = _front(address)
    scheme, _, authority = front.partition("://")
    if scheme not in _WEB:
        return _opaque(address.partition(":")[0], address)
    asked, _, fragment = address[len(front) :].partition("#")
    path, _, query = asked.partition("?")
    # An empty query or fragment leads to the same page, which should have one name.
    found = f"{scheme}://{_authority(authority)}{_escaped(path)}"
    if query:
        found += f"?{_escaped(query)}"
    return f"{found}#{_escaped(fragment)}" if fragment else found


@lru_cache(maxsize=1024)
def _is_spelled(front: str) -> bool:
    """Whether the front of an address is spelled in the one way that there is."""
    place = _place(front)
    return place.origin == front and _HOST.fullmatch(place.host) is not None


@lru_cache(maxsize=1024)
def _authority(authority: str) -> str:
    user, at, host = authority.rpartition("@")
    if not _HOST.fullmatch(host):
        raise ValueError("no store accepts such a host")
    return f"{_escaped(user)}{at}{host}"


def _reason(text: str) -> str:
    """Why a reference cannot be resolved."""
    authority = _AUTHORITY.match(text)
    if authority is None and not _SCHEME.match(text):
        return "it is relative, and the page has no address to resolve it against"
    host = authority[1].rpartition("@")[2] if authority else ""
    return f"{quoted(host)} is not a host" if host else "it names no host"


def _escaped(text: str) -> str:
    return _ESCAPED.sub(_percent, text)


def _percent(match: re.Match[str]) -> str:
    char = match[0]
    if "\ud800" <= char <= "\udfff":
        char = "\ufffd"
    return "".join(f"%{byte:02X}" for byte in char.encode())
