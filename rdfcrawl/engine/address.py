"""What a page calls an address goes in; the absolute IRI that a browser would open comes out.

One spelling per address matters more than the page's own spelling: the address of a link, the IRI of the
object behind it and a value that mentions it are the same node only if they are the same text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import SplitResult, urljoin, urlsplit

import idna

from rdfcrawl.errors import quoted

_DEFAULT_PORTS: Final = {"http": 80, "https": 443, "ftp": 21, "ws": 80, "wss": 443}
_SCRIPTS: Final = frozenset({"javascript", "vbscript"})
_BEFORE_QUERY: Final = re.compile(r"[^?#]*")
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_NO_HOST: Final = re.compile(r"[a-z]+:/{2,}(?:[/?#]|$)", re.IGNORECASE)
_FOREIGN_HOST: Final = re.compile(r"//(?:[^/?#@]*@)?[^/?#@:]*(?::[0-9]*)?(?:[/?#]|$)")
_IGNORED_BY_BROWSERS: Final = str.maketrans("", "", "\t\n\r")
# Everything outside ASCII as well: it may stand in an IRI, but browsers and servers name the page with the escapes.
_ESCAPED: Final = re.compile(r"%(?![0-9A-Fa-f]{2})|[^!$%&'()*+,\-./0-9:;=?@A-Z_a-z~]")
_HOST: Final = re.compile(r"[-.0-9A-Z_a-z~]+")
_FRONT: Final = re.compile(r"[^/?#]*//[^/?#]*|[^:]*:?")


@dataclass(frozen=True, slots=True)
class AddressPlace:
    """Where an address is: its scheme, the name of its host, the ``host`` with its port, and the ``origin``."""

    scheme: str
    hostname: str
    host: str
    origin: str


class BadAddress(ValueError):
    """The text leads nowhere; the message says why."""


def resolve(reference: str, base: str) -> str:
    """The absolute address that ``reference`` means on a page with this base address."""
    text = reference.strip().translate(_IGNORED_BY_BROWSERS)
    if not text:
        raise BadAddress("there is no address")
    scheme = match[1].lower() if (match := _SCHEME.match(text)) else ""
    if scheme in _SCRIPTS:
        raise BadAddress(f"{quoted(reference)} is a script, not an address")
    if scheme and scheme not in _DEFAULT_PORTS:
        return _opaque(scheme, text)
    if "\\" in text:
        text = _BEFORE_QUERY.sub(lambda path: path[0].replace("\\", "/"), text, count=1)
    try:
        # urljoin would take "http://" for the page itself.
        return _spelled(urlsplit(text if _NO_HOST.match(text) else urljoin(base, text)))
    except ValueError as error:
        raise BadAddress(f"{quoted(reference)} is no address: {error}") from None


def place_of(address: str) -> AddressPlace:
    """Where an address is; of the many addresses of one place only the first takes time."""
    front = _FRONT.match(address)
    return _place(front[0] if front else "")


def host_of(address: str) -> str:
    """The part of an address that politeness goes by."""
    return place_of(address).host


def origin_of(address: str) -> str:
    """Scheme, host and port of an address: what credentials and robots.txt are for."""
    return place_of(address).origin


@lru_cache(maxsize=4096)
def _place(front: str) -> AddressPlace:
    parts = urlsplit(front)
    host = parts.netloc.rpartition("@")[2].lower()
    return AddressPlace(parts.scheme, parts.hostname or "", host, f"{parts.scheme}://{host}")


def _opaque(scheme: str, text: str) -> str:
    rest = text[len(scheme) + 1 :]
    # "Hinweis: siehe unten" would pass for an address with the scheme "hinweis".
    if not rest or any(char.isspace() for char in rest):
        raise BadAddress(f"{quoted(text)} is a text, not an address")
    if rest.startswith("//") and not _FOREIGN_HOST.match(rest):
        raise BadAddress(f"{quoted(text)} is no address: it names no host")
    front, mark, fragment = rest.partition("#")
    return f"{scheme}:{_escaped(front)}{mark}{_escaped(fragment)}"


def _spelled(parts: SplitResult) -> str:
    if not parts.scheme:
        raise ValueError("it is relative, and the page has no address to resolve it against")
    path = _without_dots(parts.path) if "/." in parts.path else parts.path
    address = f"{parts.scheme}://{_authority(parts.scheme, parts.netloc)}{_escaped(path) or '/'}"
    if parts.query:
        address += f"?{_escaped(parts.query)}"
    if parts.fragment:
        address += f"#{_escaped(parts.fragment)}"
    return address


@lru_cache(maxsize=1024)
def _authority(scheme: str, netloc: str) -> str:
    parts = SplitResult(scheme, netloc, "", "", "")
    host, port = parts.hostname or "", parts.port
    if not host.isascii():
        host = idna.encode(host, uts46=True).decode("ascii")
    if ":" in host:
        host = f"[{IPv6Address(host).compressed}]"
    elif host and not _HOST.fullmatch(host):
        raise ValueError(f"{quoted(host)} is no host")
    if not host and scheme in _DEFAULT_PORTS:
        raise ValueError("it names no host")
    user, at, _ = netloc.rpartition("@")
    if port is not None and port != _DEFAULT_PORTS.get(scheme):
        host = f"{host}:{port}"
    # Only the last @ ends the user's name, as in browsers; an earlier one belongs to it.
    return f"{_escaped(user).replace('@', '%40')}{at}{host}"


def _without_dots(path: str) -> str:
    kept: list[str] = []
    *folders, last = path.split("/")[1:]
    for segment in folders:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if last == "..":
        del kept[-1:]
    kept.append("" if last in {".", ".."} else last)
    return "/" + "/".join(kept)


def _escaped(text: str) -> str:
    return _ESCAPED.sub(_percent, text)


def _percent(match: re.Match[str]) -> str:
    char = match[0]
    if "\ud800" <= char <= "\udfff":
        char = "\ufffd"
    return "".join(f"%{byte:02X}" for byte in char.encode())
