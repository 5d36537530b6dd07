"""Documents as offices write them, as small as they can be: PDF, DOCX, ODT and PPTX."""

from __future__ import annotations

from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from pypdf import PdfReader, PdfWriter

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_DRAWING = "http://schemas.openxmlformats.org/drawingml/2006/main"
_SLIDE = "http://schemas.openxmlformats.org/presentationml/2006/main"
_OFFICE = "urn:oasis:names:tc:opendocument:xmlns:office:1.0"
_TEXT = "urn:oasis:names:tc:opendocument:xmlns:text:1.0"
_FONT = "/Resources << /Font << /F1 3 0 R >> >>"
_CORE = '<c xmlns="http://purl.org/dc/elements/1.1/"><title>{}</title></c>'


def zipped(**members: str | bytes) -> bytes:
    """An archive of files; ``__`` stands for a slash and ``_`` before the ending for a dot."""
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml").replace("META", "META-INF"), content)
    return packed.getvalue()


def docx(*paragraphs: str, heading: str = "", title: str = "") -> bytes:
    """A text document; each character of a paragraph is a run of its own, as offices like it."""
    style = '<w:pPr><w:pStyle w:val="Heading1"/></w:pPr>'
    texts = [
        f"<w:p>{style}{_runs(heading)}</w:p>" if heading else "",
        *(f"<w:p>{_runs(one)}</w:p>" for one in paragraphs),
    ]
    body = f'<w:document xmlns:w="{_WORD}"><w:body>{"".join(texts)}</w:body></w:document>'
    return zipped(word__document_xml=body, docProps__core_xml=_CORE.format(title))


def _runs(text: str) -> str:
    return "".join("<w:br/>" if char == "\n" else f'<w:r><w:t xml:space="preserve">{char}</w:t></w:r>' for char in text)


def odt(*paragraphs: str, heading: str = "", manifest: str = "<manifest/>") -> bytes:
    """An OpenDocument; line breaks are elements."""
    texts = "".join(f"<t:p>{one.replace(chr(10), '<t:line-break/>')}</t:p>" for one in paragraphs)
    body = f'<o:document-content xmlns:o="{_OFFICE}" xmlns:t="{_TEXT}"><t:h>{heading}</t:h>{texts}</o:document-content>'
    return zipped(content_xml=body, META__manifest_xml=manifest)


def pptx(*slides: str, title: str = "") -> bytes:
    """Slides, each with a title and a text; the tenth comes after the ninth."""
    shape = '<p:sp><p:nvSpPr><p:ph type="{}"/></p:nvSpPr><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sp>'
    return zipped(
        **{
            f"ppt__slides__slide{number}_xml": f'<p:sld xmlns:p="{_SLIDE}" xmlns:a="{_DRAWING}">'
            f"{shape.format('title', title)}{shape.format('body', text)}</p:sld>"
            for number, text in enumerate(slides, 1)
        }
    )


def pdf(*pages: str, title: str = "", password: str | None = None) -> bytes:
    """A PDF document with one line on each page."""
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * number} 0 R {_FONT} >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    body, places = "%PDF-1.4\n", ["0000000000 65535 f "]
    for number, one in enumerate(objects, 1):
        places.append(f"{len(body):010} 00000 n ")
        body += f"{number} 0 obj\n{one}\nendobj\n"
    table = f"xref\n0 {len(places)}\n" + "".join(f"{place}\n" for place in places)
    plain = f"{body}{table}trailer << /Size {len(places)} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF\n".encode()
    writer = PdfWriter(clone_from=PdfReader(BytesIO(plain)))
    writer.add_metadata({"/Title": title})
    if password is not None:
        writer.encrypt(password, algorithm="RC4-128")
    written = BytesIO()
    writer.write(written)
    return written.getvalue()
