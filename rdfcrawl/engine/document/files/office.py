"""DOCX, ODT and PPTX: archives of XML files, read within bounds, whatever size they say that they have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Any, Final
from zipfile import BadZipFile, ZipFile, ZipInfo
from zlib import error as ZlibError  # noqa: N812

from lxml import etree

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.files.file_text import MOST_CHARACTERS, EncryptedDocument, FileText

_MOST_BYTES: Final = 64 * 1024 * 1024
"""How large the files of a document may be together when they are unpacked."""
_MOST_MEMBERS: Final = 20_000
_ENCRYPTED: Final = 1
_OLD_OFFICE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""How files begin in which Office keeps what has a password; also those of its old formats."""
_NUMBER: Final = re.compile(r"[0-9]+")


@dataclass(frozen=True, slots=True)
class _Format:
    """Where a format keeps what: its members, and the local names of its elements."""

    content: re.Pattern[str]
    paragraphs: frozenset[str]
    texts: frozenset[str]
    """Elements whose own text is text of the document; with none, the text of all elements is."""
    breaks: frozenset[str]
    about: str = "docProps/core.xml"
    heading: str | None = None
    """The local name of headings; else the style of a paragraph tells."""


_FORMATS: Final = {
    "docx": _Format(
        re.compile(r"word/(?:document|footnotes|endnotes)\.xml"),
        frozenset(("p",)),
        frozenset(("t",)),
        frozenset(("tab", "br", "cr")),
    ),
    "pptx": _Format(
        re.compile(r"ppt/(?:slides/slide|notesSlides/notesSlide)[0-9]+\.xml"),
        frozenset(("p",)),
        frozenset(("t",)),
        frozenset(("br",)),
    ),
    "odt": _Format(
        re.compile(r"content\.xml"),
        frozenset(("p", "h")),
        frozenset(),
        frozenset(("s", "tab", "line-break")),
        about="meta.xml",
        heading="h",
    ),
}
_HEADING_STYLES: Final = ("heading", "title", "berschrift", "titel")
OFFICE_TYPES: Final = frozenset(_FORMATS)
_ABOUT: Final = frozenset(("title", "subject", "keywords", "keyword", "description"))


def read_office(body: bytes, kind: str) -> FileText:
    """The text of a document of one of ``OFFICE_TYPES``; raises ``DocumentError``."""
    if body.startswith(_OLD_OFFICE):
        raise EncryptedDocument
    known = _FORMATS[kind]
    try:
        with ZipFile(BytesIO(body)) as archive:
            return _read(archive, known)
    except (BadZipFile, ZlibError, EOFError, NotImplementedError, etree.XMLSyntaxError, OSError, ValueError) as error:
        if isinstance(error, DocumentError):
            raise
        raise DocumentError(f"the {kind} document is broken: {error}") from None


def _read(archive: ZipFile, known: _Format) -> FileText:
    members = archive.infolist()
    if len(members) > _MOST_MEMBERS:
        raise DocumentError(f"the document has {len(members):,} files in it; {_MOST_MEMBERS:,} are the most")
    wanted = sorted((one for one in members if known.content.fullmatch(one.filename)), key=_order)
    if not wanted:
        raise DocumentError("the document has no text in it")
    left = _MOST_BYTES
    blocks: list[str] = []
    headings: list[str] = []
    length = 0
    if _says_encrypted(archive, members):
        raise EncryptedDocument
    for member in wanted:
        content = _content(archive, member, left)
        left -= len(content)
        for text, is_heading in _paragraphs(content, known):
            blocks.append(text)
            length += len(text)
            if is_heading:
                headings.append(text)
        if length > MOST_CHARACTERS:
            break
    return FileText(tuple(blocks), tuple(headings), tuple(_about(archive, members, known.about, left)))


def _order(member: ZipInfo) -> tuple[int, str]:
    number = _NUMBER.search(member.filename)
    return (int(number[0]) if number else 0, member.filename)


def _content(archive: ZipFile, member: ZipInfo, left: int) -> bytes:
    if member.flag_bits & _ENCRYPTED:
        raise EncryptedDocument
    with archive.open(member) as opened:
        content = opened.read(left + 1)
    if len(content) > left:
        raise DocumentError(f"the document is larger than {_MOST_BYTES:,} bytes when it is unpacked")
    return content


def _says_encrypted(archive: ZipFile, members: Sequence[ZipInfo]) -> bool:
    """Whether an OpenDocument names how its files are encrypted."""
    manifest = next((one for one in members if one.filename == "META-INF/manifest.xml"), None)
    return manifest is not None and b"encryption-data" in _content(archive, manifest, _MOST_BYTES)


def _elements(content: bytes, *events: str) -> Iterator[tuple[str, etree._Element]]:
    found: Iterator[tuple[str, etree._Element]] = etree.iterparse(
        BytesIO(content), events=events, resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False
    )
    return found


def _name(element: etree._Element) -> str:
    tag = element.tag
    return tag.rpartition("}")[2] if isinstance(tag, str) else ""


def _paragraphs(content: bytes, known: _Format) -> Iterator[tuple[str, bool]]:
    """The text of each paragraph, and whether it is a heading; the tree is thrown away as it is read."""
    is_title = is_heading = False
    for event, element in _elements(content, "start", "end"):
        name = _name(element)
        if event == "start":
            if name in known.paragraphs:
                is_heading = is_title or name == known.heading
        elif name == "ph":
            is_title = element.get("type") in ("title", "ctrTitle")
        elif name == "sp":
            is_title = False
        elif name == "pStyle" and _style(element).lower().startswith(_HEADING_STYLES):
            is_heading = True
        elif name in known.paragraphs:
            if text := "".join(_pieces(element, known)):
                yield text, is_heading
            read: Any = element
            read.clear(keep_tail=True)


def _pieces(paragraph: etree._Element, known: _Format) -> Iterator[str]:
    for event, element in etree.iterwalk(paragraph, events=("start", "end")):
        name = _name(element)
        if event == "start":
            if name in known.breaks:
                yield " "
            elif not known.texts or name in known.texts:
                yield element.text or ""
        elif not known.texts and element is not paragraph:
            yield element.tail or ""


def _style(element: etree._Element) -> str:
    return next((str(value) for key, value in element.attrib.items() if str(key).endswith("val")), "")


def _about(archive: ZipFile, members: Sequence[ZipInfo], name: str, left: int) -> Iterator[str]:
    for member in members:
        if member.filename == name:
            for _, element in _elements(_content(archive, member, left), "end"):
                if _name(element) in _ABOUT and element.text:
                    yield element.text
