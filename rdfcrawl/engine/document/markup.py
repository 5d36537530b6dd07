"""From bytes to an lxml tree: which language a page is written in, and how that language is read."""

from __future__ import annotations

import re
import sys
from functools import lru_cache
from html.entities import name2codepoint
from typing import TYPE_CHECKING, Any, Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.engine.charsets import UTF_8, decoded, sending_codec
from rdfcrawl.engine.document.errors import DocumentError

if TYPE_CHECKING:
    import turbohtml

XLINK: Final = "http://www.w3.org/1999/xlink"

_HTML: Final = frozenset(("", "text/html", "text/plain", "application/octet-stream", "binary/octet-stream"))
_XML: Final = frozenset(("application/xml", "text/xml"))
GUESSED: Final = frozenset(("text/plain", "application/octet-stream", "binary/octet-stream"))
_MARKS: Final = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")

# A declaration followed by a root element other than html, which says more than the media type.
_XML_START: Final = re.compile(
    rb"\s*+<\?xml\s[^>]*\?>(?>\s+|<!--.*?-->|<\?.*?\?>|<!DOCTYPE\s+(?!html)[^>\[]*(?:\[.*?\]\s*)?>)*+<(?!html\b|!)[A-Za-z_]",
    re.IGNORECASE | re.DOTALL,
)
_CHARSET: Final = re.compile(r';\s*charset\s*=\s*["\x27]?\s*([^\s"\x27;]+)', re.IGNORECASE)
_ATTRIBUTE: Final = re.compile(r'\s([^\s="]+)="[^"]*"')
_REFERENCE: Final = re.compile(
    rb"<!\[CDATA\[.*?(?:\]\]>|\Z)|<!--.*?(?:-->|\Z)|&([A-Za-z][A-Za-z0-9]*);"
    rb"|((?:&#(?:[0-9]{1,9}|[xX][0-9A-Fa-f]{1,7});)+)",
    re.DOTALL,
)
_NUMBER: Final = re.compile(rb"&#(?:([0-9]+)|[xX]([0-9A-Fa-f]+));")
_SURROGATES: Final = range(0xD800, 0xE000)
_XML_NAMES: Final = frozenset((b"lt", b"gt", b"amp", b"quot", b"apos"))

_ENCODING: Final = re.compile(rb"<\?xml\s[^>]*?\sencoding\s*=\s*[\"']([A-Za-z][A-Za-z0-9._-]*)[\"']")
_LINKS: Final = {**dict.fromkeys(("a", "area"), "href"), **dict.fromkeys(("frame", "iframe"), "src"), "form": "action"}
_NO_WEB: Final = re.compile(r"\s*(?!https?:)[a-zA-Z][a-zA-Z0-9+.-]*:")
_FOREIGN: Final = re.compile(r"[^\x00-\x7f]")
_KEPT: Final = frozenset(range(0x21, 0x7F)) - frozenset(b"\"#'<>")
"""The bytes of an encoded character that a query has as they are."""


def is_out_of_memory(error: etree.LxmlError) -> bool:
    """Whether libxml2 had no memory left, which lxml reports like any fault of a document."""
    log: Any = error.error_log
    return any(entry.type_name == "ERR_NO_MEMORY" for entry in log)


def read_tree(body: bytes, content_type: str | None = None) -> Element:
    """The root element of an HTML or XML page."""
    return read_page(body, content_type)[0]


def read_page(body: bytes, content_type: str | None = None) -> tuple[Element, str]:
    """The root element of an HTML or XML page, and the codec in which the page sends what it sends."""
    kind, charset = media_type(content_type)
    if kind == "application/xhtml+xml":
        return _read_xhtml(body, charset)
    if kind in _XML or kind.endswith("+xml") or (kind in _HTML and _XML_START.match(unmarked(body))):
        return _read_xml(body, charset), UTF_8
    if kind not in _HTML or (kind in GUESSED and not unmarked(body).lstrip().startswith(b"<")):
        raise DocumentError(f"{kind} has no elements")
    return _read_html(body, charset)


@lru_cache(maxsize=64)
def media_type(content_type: str | None) -> tuple[str, str | None]:
    """The media type in lower case, and the charset."""
    if not content_type:
        return "", None
    kind, _, parameters = content_type.partition(";")
    charset = _CHARSET.search(f";{parameters}")
    is_name = charset is not None and charset[1].isascii() and charset[1].isprintable()
    return kind.strip().lower(), charset[1] if charset and is_name else None


def unmarked(body: bytes) -> bytes:
    """The start of the body without a byte order mark, as ASCII as far as a declaration goes."""
    start = body[:4096]
    if start.startswith(_MARKS[1:]):
        start = start[2:].replace(b"\0", b"")
    return start.removeprefix(_MARKS[0])


def _read_html(body: bytes, charset: str | None) -> tuple[Element, str]:
    # XML cannot hold a form feed, which is white space in HTML: dropped, it would join two words.
    if b"\f" in body and not _is_utf_16(body, charset):
        body = body.replace(b"\f", b" ")
    try:
        tree = _build(body, charset)
    except LookupError:
        tree = _build(body, None)
    _fill_noscripts(tree)
    codec = sending_codec(tree.encoding)
    xml = _without_declarations(tree.inner_xml)
    # Of a large page, only one of the two trees should be in memory.
    del tree
    written = xml.encode("utf-8", "replace")
    del xml
    root = etree.fromstring(written, _html_parser)
    if root is None:
        raise DocumentError("the page has no elements")
    if codec != UTF_8:
        _spell_queries(root, codec)
    return root, codec


def _spell_queries(root: Element, codec: str) -> None:
    """Write the queries of links in the character set of their page, in which browsers send them."""

    def spelled(character: re.Match[str]) -> str:
        try:
            sent = character[0].encode(codec)
        except UnicodeEncodeError:
            return f"%26%23{ord(character[0])}%3B"
        return "".join(chr(byte) if byte in _KEPT else f"%{byte:02X}" for byte in sent)

    for link in root.iter(*_LINKS):
        address = link.get(_LINKS[link.tag], "")
        front, fragment_mark, fragment = address.partition("#")
        path, query_mark, query = front.partition("?")
        if not query.isascii() and not _NO_WEB.match(address):
            query = _FOREIGN.sub(spelled, query)
            link.set(_LINKS[link.tag], f"{path}{query_mark}{query}{fragment_mark}{fragment}")


def _fill_noscripts(tree: turbohtml.Document) -> None:
    import turbohtml

    for noscript in tree.find_all("noscript"):
        # Around it the tree is that of a browser that runs scripts; inside are often the only pictures of a page.
        content = turbohtml.parse_fragment(noscript.text, positions=False)
        noscript.clear()
        noscript.extend(list(content.children))


def _is_utf_16(body: bytes, charset: str | None) -> bool:
    return body.startswith(_MARKS[1:]) or (charset or "").lower().startswith("utf-16")


def _build(body: bytes, charset: str | None) -> turbohtml.Document:
    # Only the processes that read pages need the library, and it takes a while to import.
    import turbohtml

    return turbohtml.parse(
        body,
        encoding=charset,
        detect_encoding=True,
        positions=False,
        scripting=True,
        allow_declarative_shadow_roots=False,
    )


def _without_declarations(xml: str) -> str:
    """The same markup without namespaces: in HTML, ``//svg`` means an element of that name."""
    pieces: list[str] = []
    done = seen = 0
    while (start := xml.find(" xmlns", seen)) >= 0:
        opened = xml.rfind("<", seen, start)
        seen = start + 1
        # Texts and comments may say xmlns as well; only in a tag there is no ">" before it, for values have it escaped.
        if opened < 0 or xml.find(">", opened, start) >= 0:
            continue
        closed = xml.index(">", start)
        tag = _ATTRIBUTE.sub(lambda attribute: "" if _declares(attribute[1]) else attribute[0], xml[opened:closed])
        pieces += (xml[done:opened], tag)
        done = seen = closed
    return "".join((*pieces, xml[done:]))


def _declares(name: str) -> bool:
    return name == "xmlns" or (name.startswith("xmlns:") and name != "xmlns:xlink")


def _parser(encoding: str | None = None, *, recover: bool = True) -> etree.XMLParser:
    return etree.XMLParser(
        encoding=encoding,
        recover=recover,
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        collect_ids=False,
        huge_tree=True,
    )


_html_parser: Final = _parser("utf-8")


def _read_xhtml(body: bytes, charset: str | None) -> tuple[Element, str]:
    """XHTML as XML where it is well-formed; a browser would refuse the rest, which is read as HTML."""
    try:
        root = _parse_xml(body, charset, recover=False)
    except DocumentError:
        return _read_html(body, charset)
    return (root, UTF_8) if root.tag == "html" else _read_html(body, charset)


def _read_xml(body: bytes, charset: str | None) -> Element:
    return _parse_xml(body, charset, recover=True)


def _parse_xml(body: bytes, charset: str | None, *, recover: bool) -> Element:
    body, charset = _as_unicode(body, charset)
    try:
        parser = _parser(charset, recover=recover)
    except LookupError:
        parser = _parser(recover=recover)
    try:
        root = etree.fromstring(_REFERENCE.sub(_numbered, body), parser)
    except etree.XMLSyntaxError as error:
        if is_out_of_memory(error):
            raise MemoryError from None
        raise DocumentError(f"the XML cannot be read: {error}") from None
    if root is None:
        raise DocumentError("the XML has no elements")
    if any(entry.type_name in ("ERR_RESOURCE_LIMIT", "ERR_INTERNAL_ERROR") for entry in parser.error_log):
        raise DocumentError(f"the XML cannot be read: {parser.error_log.last_error}")
    _drop_namespaces(root)
    return root


def _as_unicode(body: bytes, charset: str | None) -> tuple[bytes, str | None]:
    """XML in an encoding that libxml2 reads to its end, and the name of that, unless the XML itself has it.

    In any other encoding it stops at the first byte that is wrong there, and whatever follows would be lost.
    """
    if body.startswith(_MARKS):
        return body, None
    # A declaration counts only at the very beginning, where scripts often write an empty line.
    stripped = body.lstrip(b" \t\r\n")
    body = stripped if stripped.startswith(b"<") else body
    declaration = _ENCODING.match(body[:1024])
    for name in (charset, declaration[1].decode() if declaration else None):
        # Programs that write XML into a string declare UTF-16, and send it as UTF-8.
        is_utf_8 = name is not None and name.lower().startswith("utf-16") and b"\0" not in body[:4]
        text = None if name is None else decoded(body, "utf-8" if is_utf_8 else name)
        if text is not None:
            return text.encode("utf-8", "replace"), "utf-8"
    return body, charset


def _numbered(reference: re.Match[bytes]) -> bytes:
    """HTML's named characters occur in feeds and XHTML, which do not declare them."""
    name, numbers = reference.groups()
    if numbers is not None:
        return _paired(numbers)
    if name is None or name in _XML_NAMES:
        return reference[0]
    code = name2codepoint.get(name.decode())
    return b"&#%d;" % code if code else reference[0]


def _paired(references: bytes) -> bytes:
    """References to characters; two that make up one, as old programs write emoji, become one reference."""
    codes = [int(number[1]) if number[1] else int(number[2], 16) for number in _NUMBER.finditer(references)]
    if not any(code in _SURROGATES for code in codes):
        return references
    units = b"".join(
        code.to_bytes(2, "big") if code in _SURROGATES else chr(code).encode("utf-16-be", "replace")
        for code in codes
        if code <= sys.maxunicode
    )
    return b"".join(b"&#%d;" % ord(char) for char in units.decode("utf-16-be", "replace"))


def _drop_namespaces(root: Element) -> None:
    own = root.tag.rpartition("}")[0]
    for element in root.iter("{*}*"):
        namespace, _, name = element.tag.rpartition("}")
        if namespace and (element.prefix is None or namespace == own):
            try:
                element.tag = name
            except ValueError:
                # What libxml2 takes for a name when it recovers is not always one; the element stays as it is.
                continue
