"""Documents that are no pages: their text, and what becomes of broken, encrypted and hostile ones."""

from __future__ import annotations

import pytest

from rdfcrawl.engine.document.errors import DocumentError
from rdfcrawl.engine.document.files.reading import read_file
from tests.office_files import docx, odt, pdf, pptx, zipped


def test_the_text_of_a_docx_document() -> None:
    """Runs are joined, paragraphs are blocks, the style tells headings, the properties the title."""
    text = read_file(docx("for papers\nhere", "2nd", heading="Call", title="ICSE 2027"), "docx")
    assert (text.blocks, text.headings, text.head) == (("Call", "for papers here", "2nd"), ("Call",), ("ICSE 2027",))


def test_the_text_of_an_odt_document() -> None:
    """Marked words are a part of their paragraph."""
    text = read_file(odt('call <t:span xmlns:t="urn:x">for</t:span> papers\nhere', heading="Call"), "odt")
    assert (text.blocks, text.headings) == (("Call", "call for papers here"), ("Call",))


def test_the_text_of_a_pptx_document() -> None:
    """Slides come in their order, and titles are headings."""
    text = read_file(pptx(*"abcdefghijk", title="T"), "pptx")
    assert "".join(text.blocks) == "TaTbTcTdTeTfTgThTiTjTk"
    assert set(text.headings) == {"T"}


def test_the_text_of_a_pdf_document() -> None:
    """Each page is a block; the title is in the document's information."""
    text = read_file(pdf("Call for papers", "second page", title="ICSE 2027"), "pdf")
    assert [block.strip() for block in text.blocks] == ["Call for papers", "second page"]
    assert text.head == ("ICSE 2027",)


@pytest.mark.parametrize(
    ("body", "content_type"),
    [
        ("Größe".encode(), "text/plain"),
        ("Größe".encode("cp1252"), "text/plain"),
        ("Größe".encode("utf-16"), "text/plain"),
        ("Größe".encode("latin-1"), "text/plain; charset=iso-8859-1"),
        ("Größe".encode(), "text/plain; charset=nonsense"),
    ],
)
def test_plain_text_is_decoded_by_what_is_known_of_it(body: bytes, content_type: str) -> None:
    """Its mark, the header, UTF-8, and else what most old texts are."""
    assert read_file(body, "txt", content_type).blocks == ("Größe",)


def test_empty_lines_divide_plain_text() -> None:
    """Single line breaks do not."""
    assert read_file(b"call\r\nfor\r\n \r\n\r\npapers", "txt").blocks == ("call\nfor", "papers")


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("pdf", pdf("secret", password="secret")),
        ("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 100),
        ("odt", odt("x", manifest="<m><encryption-data/></m>")),
    ],
)
def test_an_encrypted_document_is_said_to_be_one(kind: str, body: bytes) -> None:
    """Nobody has its password."""
    with pytest.raises(DocumentError, match="the document is encrypted"):
        read_file(body, kind)


@pytest.mark.parametrize("kind", ["pdf", "docx", "odt", "pptx"])
@pytest.mark.parametrize(
    "body", [b"", b"no document", b"PK\x03\x04" + b"\x00" * 60, b"%PDF-1.4\n" + b"1 0 obj <<" * 50]
)
def test_a_broken_document_is_no_crash(kind: str, body: bytes) -> None:
    """Whatever is wrong with it."""
    with pytest.raises(DocumentError, match="broken"):
        read_file(body, kind)


@pytest.mark.parametrize("kind", ["pdf", "docx", "odt", "pptx"])
def test_a_document_that_ends_early_is_broken(kind: str) -> None:
    """A download that was cut off; of PDF, as much is read as is there."""
    whole = {"pdf": pdf("text"), "docx": docx("text"), "odt": odt("text"), "pptx": pptx("text")}[kind]
    for end in range(0, len(whole), 97):
        try:
            read_file(whole[:end], kind)
        except DocumentError:
            continue


def test_an_archive_that_unpacks_to_gigabytes_is_left_alone() -> None:
    """It is not unpacked beyond its bound."""
    bomb = zipped(word__document_xml=b"<a>" + b" " * (70 * 1024 * 1024) + b"</a>")
    assert len(bomb) < 100_000
    with pytest.raises(DocumentError, match="larger than 67,108,864 bytes when it is unpacked"):
        read_file(bomb, "docx")


def test_entities_are_not_expanded() -> None:
    """A billion laughs are none."""
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    body = f'<!DOCTYPE a [<!ENTITY l0 "ha">{laughs}]><a xmlns:w="x"><w:p><w:t>&l9;</w:t></w:p></a>'
    try:
        text = read_file(zipped(word__document_xml=body), "docx")
    except DocumentError:
        return
    assert len("".join(text.blocks)) < 100
