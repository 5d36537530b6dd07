"""What a document itself states about a value: its language, and in JSON its datatype."""

from __future__ import annotations

import re
from typing import Final

from lxml import etree
from lxml.etree import _Element as Element

from rdfcrawl.engine.document.tree import Document

_TAG: Final = re.compile(r"[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*")
_XML_LANGUAGE: Final = "{http://www.w3.org/XML/1998/namespace}lang"
_declared: Final = etree.XPath(
    "string(//meta[translate(@http-equiv, 'CONTELAGU', 'contelagu') = 'content-language']/@content)",
    smart_strings=False,
    regexp=False,
)


def language_of(document: Document, element: Element) -> str | None:
    """The language of an element in lower case, as its nearest attribute states it, or else the page as a whole."""
    around: Element | None = element
    while around is not None:
        stated = around.get("lang") if around.get("lang") is not None else around.get(_XML_LANGUAGE)
        if stated is not None:
            # An empty attribute says that the language is not known.
            return _tag(stated)
        around = around.getparent()
    return _tag(str(_declared(document.root)))


def json_type_of(document: Document, element: Element) -> str | None:
    """``integer``, ``decimal``, ``double`` or ``boolean`` for a number or boolean of JSON, by its spelling."""
    kind = element.get("type") if document.is_data(element) else None
    if kind != "number":
        return kind if kind == "boolean" else None
    text = element.text or ""
    if "e" in text.lower():
        return "double"
    return "decimal" if "." in text else "integer"


def _tag(stated: str) -> str | None:
    stated = stated.strip()
    return stated.lower() if _TAG.fullmatch(stated) else None
