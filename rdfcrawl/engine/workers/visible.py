"""What people read on a page, as plain data."""

from __future__ import annotations

from rdfcrawl.dataclass import dataclass
from rdfcrawl.engine import strict
from rdfcrawl.engine.document.text import visible_text
from rdfcrawl.engine.document.tree import Document
from rdfcrawl.engine.extract.kinds.site_page import page_language, page_title
from rdfcrawl.engine.extract.packing import encode


@dataclass(frozen=True, slots=True)
class VisiblePage:
    """The title of a page, the language that it states, and its visible text; what there is not is empty."""

    title: str
    language: str
    text: str


def visible_page(document: Document) -> bytes:
    """What people read on a document, packed."""
    root = document.root
    body = next(root.iter("body"), root)
    lines = (" ".join(line.split()) for line in visible_text(body).splitlines())
    said = {"title": page_title(root), "language": page_language(root), "text": "\n".join(filter(None, lines))}
    return encode(said).encode()


def visible_answer(content: bytes) -> VisiblePage:
    """What ``visible_page`` has packed; raises ``Nonsense``."""
    values = strict.whole_record(strict.plain(content), title=strict.text, language=strict.text, text=strict.text)
    return VisiblePage(values["title"], values["language"], values["text"])
